import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { setTomlEntry, removeTomlEntry } from "./edit-toml.ts";

const ENTRY = { command: "repertoire", args: ["serve"] };
const PATH = ["mcp_servers", "repertoire"] as const;
const TABLE = `[mcp_servers.repertoire]\ncommand = "repertoire"\nargs = [ "serve" ]\n`;

function setEntry(text: string, entry: Parameters<typeof setTomlEntry>[3] = ENTRY): string {
  const edited = setTomlEntry(text, "config.toml", PATH, entry);
  if (edited.kind !== "changed") throw new Error(JSON.stringify(edited));
  return edited.text;
}

function refusalOf(text: string): string {
  const edited = setTomlEntry(text, "config.toml", PATH, ENTRY);
  return edited.kind === "refused" ? edited.message : `it was ${edited.kind}`;
}

describe("a TOML file of servers", () => {
  it("gets the table at its end", () => {
    expect(setEntry("")).toBe(TABLE);
    expect(setEntry(`# mine\nmodel = "x"\n`)).toBe(`# mine\nmodel = "x"\n\n${TABLE}`);
    expect(setEntry(`model = "x" # no line break`)).toBe(`model = "x" # no line break\n\n${TABLE}`);
    expect(setEntry(`a = 1\r\n`)).toBe(`a = 1\r\n\r\n${TABLE.replaceAll("\n", "\r\n")}`);
  });

  it("has exactly the lines of its old table replaced", () => {
    const before = `a = 1 # one

[ mcp_servers . "repertoire" ] # ours
command = "old"
args = [
  "x",
]

# the next one
[mcp_servers.other]
command = "o"
`;
    expect(setEntry(before)).toBe(
      `a = 1 # one\n\n${TABLE}\n# the next one\n[mcp_servers.other]\ncommand = "o"\n`,
    );
  });

  it("keeps what a person added in tables below, and takes away what does not go with an address", () => {
    const before = `${TABLE}tool_timeout_sec = 9\n\n[mcp_servers.repertoire.env]\nLANG = "C"\n\n[z]\nb = 2\n`;
    const other = setEntry(before, { command: "node", args: ["main.js", "serve"] });
    expect(parse(other)).toEqual({
      mcp_servers: {
        repertoire: {
          command: "node",
          args: ["main.js", "serve"],
          tool_timeout_sec: 9,
          env: { LANG: "C" },
        },
      },
      z: { b: 2 },
    });
    const remote = setEntry(before, { url: "http://127.0.0.1/mcp" });
    expect(parse(remote)).toEqual({
      mcp_servers: { repertoire: { url: "http://127.0.0.1/mcp", tool_timeout_sec: 9 } },
      z: { b: 2 },
    });
  });

  it("is refused where the entry cannot be written without touching the rest", () => {
    for (const text of [
      `[mcp_servers]\nrepertoire = { command = "old" }\n`,
      `mcp_servers = { x = { command = "y" } }\n`,
      `mcp_servers.repertoire.command = "old"\n`,
      `[mcp_servers.repertoire]\ncommand = """\n[mcp_servers.repertoire]\n[x]\n"""\n`,
    ]) {
      expect(refusalOf(text)).toContain("mcp_servers.repertoire: this entry cannot be changed without");
    }
  });

  it("is not misled by a string that looks like a table", () => {
    const before = `text = """\n[mcp_servers.repertoire]\ncommand = "no"\n"""\n`;
    expect(setEntry(before)).toBe(`${before}\n${TABLE}`);
  });

  it("is refused with the place, and without its text, where it cannot be read", () => {
    const secret = "x".repeat(12);
    const message = refusalOf(`a = 1\ntoken = ${secret}\n`);
    expect(message).toBe("config.toml:2:9  invalid value");
    expect(refusalOf(`mcp_servers = 1\n`)).toContain("this should be a table");
  });

  it("keeps numbers that are too large for JavaScript, and times", () => {
    const before = `big = 1152921504606846976\nat = 1979-05-27T07:32:00Z\n`;
    expect(setEntry(before)).toBe(`${before}\n${TABLE}`);
  });
});

it("whatever is in the file, the entry is added, every byte stays, and a second time changes nothing", () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
  const tables = fc.dictionary(fc.string(), fc.oneof(scalar, fc.dictionary(fc.string(), scalar)));
  fc.assert(
    fc.property(tables, fc.boolean(), (table, isWindows) => {
      const text = stringify({ top: table });
      const before = isWindows ? text.replaceAll("\n", "\r\n") : text;
      const after = setEntry(before);
      expect(after.startsWith(before)).toBe(true);
      expect(setTomlEntry(after, "f", PATH, ENTRY)).toEqual({ kind: "unchanged" });
    }),
    { numRuns: 100 },
  );
});

describe("C6: a table that is taken out", () => {
  const removeEntry = (text: string, key: string) =>
    removeTomlEntry(text, "config.toml", ["mcp_servers", key]);

  it("goes with those below it; what belongs to the next one stays", () => {
    const before = `model = "x"

# files
[mcp_servers.files]
command = "a"

[mcp_servers.files.env]
KEY = "v"

# chat
[mcp_servers."my.chat"]
command = "b"
`;
    expect(removeEntry(before, "files")).toEqual({
      kind: "changed",
      text: `model = "x"\n\n# files\n\n# chat\n[mcp_servers."my.chat"]\ncommand = "b"\n`,
    });
    expect(removeEntry(before, "my.chat")).toEqual({
      kind: "changed",
      text: before.slice(0, before.indexOf('[mcp_servers."my')),
    });
    expect(removeEntry(before, "myxchat")).toEqual({ kind: "unchanged" });
  });

  it("is refused where it has no lines of its own", () => {
    expect(removeEntry(`[mcp_servers]\nfiles = { command = "a" }\n`, "files")).toMatchObject({
      kind: "refused",
    });
  });
});
