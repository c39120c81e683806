import fc from "fast-check";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { setJsonEntry, removeJsonEntry } from "./edit-json.ts";

const ENTRY = { command: "repertoire", args: ["serve"] };
const PATH = ["mcpServers", "repertoire"] as const;

function setEntry(text: string, entry: Parameters<typeof setJsonEntry>[3] = ENTRY): string {
  const edited = setJsonEntry(text, "mcp.json", PATH, entry);
  if (edited.kind !== "changed") throw new Error(JSON.stringify(edited));
  return edited.text;
}

function refusalOf(text: string): string {
  const edited = setJsonEntry(text, "mcp.json", PATH, ENTRY);
  return edited.kind === "refused" ? edited.message : `it was ${edited.kind}`;
}

describe("a file of servers", () => {
  it("gets the entry where it is empty, or holds nothing", () => {
    const whole = `{
  "mcpServers": {
    "repertoire": {
      "command": "repertoire",
      "args": [
        "serve"
      ]
    }
  }
}`;
    for (const text of ["", " \n", "{}\n", "{ }\n"]) expect(setEntry(text)).toBe(`${whole}\n`);
    expect(setEntry("{}")).toBe(whole);
    expect(setEntry(`{\n  "mcpServers": {}\n}`)).toBe(whole);
    expect(setEntry(`{\n  "mcpServers": {\n  }\n}`)).toBe(whole);
  });

  it("keeps comments, the layout of its neighbours and a trailing comma", () => {
    const before = `{
  // mine
  "mcpServers": {
    "slack": { "command": "slack",   "args":["a"] }, // chat
  },
  "x": [1,2], /* end */
}
`;
    expect(setEntry(before)).toBe(`{
  // mine
  "mcpServers": {
    "slack": { "command": "slack",   "args":["a"] }, // chat
    "repertoire": {
      "command": "repertoire",
      "args": [
        "serve"
      ]
    },
  },
  "x": [1,2], /* end */
}
`);
  });

  it("keeps a comment with the member that it stands behind", () => {
    const after = setEntry(`{\n  "mcpServers": {\n    "slack": {} // chat\n  }\n}`);
    expect(after).toContain(`    "slack": {}, // chat\n    "repertoire": {`);
  });

  it("is indented with tabs, and broken as Windows does, where it is", () => {
    const after = setEntry(`{\r\n\t"a": 1,\r\n\t"mcpServers": {\r\n\t\t"x": {}\r\n\t}\r\n}`);
    expect(after).toContain(`\r\n\t\t"x": {},\r\n\t\t"repertoire": {\r\n\t\t\t"command": "repertoire",\r\n`);
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it("stays on one line where it stands on one", () => {
    expect(setEntry(`{"a":1,"mcpServers":{}}`)).toBe(
      `{"a":1,"mcpServers":{"repertoire":{"command":"repertoire","args":["serve"]}}}`,
    );
    expect(setEntry(`{"mcpServers": {"x": {}}, "b": 2}\n`)).toBe(
      `{"mcpServers": {"x": {}, "repertoire": {"command":"repertoire","args":["serve"]}}, "b": 2}\n`,
    );
  });

  it("has exactly its old entry replaced", () => {
    const before = `{\n  "mcpServers": {\n    "repertoire": {\n      "command": "old"\n    }, // ours\n    "x": { }\n  }\n}`;
    expect(setEntry(before)).toBe(`{
  "mcpServers": {
    "repertoire": {
      "command": "repertoire",
      "args": [
        "serve"
      ]
    }, // ours
    "x": { }
  }
}`);
  });

  it("is refused with the place where it cannot be read", () => {
    expect(refusalOf(`{\n  "mcpServers": {\n`)).toMatch(/^mcp\.json:\d+:\d+ {2}/);
    expect(refusalOf(`[]`)).toContain("must contain an object");
    for (const text of [`{"mcpServers": []}`, `{"mcpServers": null}`, `{"mcpServers": "x"}`]) {
      expect(refusalOf(text)).toContain("mcpServers: this should be an object with servers");
    }
    expect(refusalOf("// only a comment\n")).toMatch(/^mcp\.json/);
    expect(refusalOf(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`)).toContain("nests deeper");
  });

  it("is refused where a key on the way to the entry stands twice, and not where another does", () => {
    expect(refusalOf(`{"mcpServers": {}, "mcpServers": {}}`)).toContain("duplicate key");
    expect(setEntry(`{"a": 1, "a": 2, "mcpServers": {}}`)).toContain(`"a": 1, "a": 2`);
  });
});

/** JSON with comments, trailing commas, odd spaces and both kinds of line breaks. */
const space = fc.constantFrom("", " ", "\n  ", "\n\t", " /* c */ ", " // c\n", "\r\n    ");
const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("1", "null", `"x, } // no"`, "[ 1,2 ]", `"\\""`),
    tie("object"),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "mcpServers", "d"), tie("value"), space), {
        selector: ([key]) => key,
        maxLength: 3,
      }),
      space,
      fc.boolean(),
    )
    .map(([members, gap, hasComma]) => {
      const inner = members.map(([key, child, before]) => `${before}"${key}":${gap}${child}`).join(",");
      return `{${inner}${hasComma && members.length > 0 ? "," : ""}${gap}}`;
    }),
}));

it("whatever the file looks like, the entry is in it, the rest is the same, and a second time changes nothing", () => {
  fc.assert(
    fc.property(value, (text) => {
      const edited = setJsonEntry(text, "f", PATH, ENTRY);
      if (edited.kind !== "changed") {
        const before = parse(text) as { mcpServers?: unknown };
        const servers = before === null || typeof before !== "object" ? 0 : before.mcpServers;
        expect(typeof servers === "object" && servers !== null && !Array.isArray(servers)).toBe(false);
        return;
      }
      const after = parse(edited.text) as Record<string, Record<string, unknown>>;
      expect(after["mcpServers"]?.["repertoire"]).toEqual(ENTRY);
      expect(setJsonEntry(edited.text, "f", PATH, ENTRY)).toEqual({ kind: "unchanged" });
      // Nothing but white space may be missing from what was there, and in its order.
      let at = 0;
      for (const char of text.replaceAll(/\s/g, "")) {
        at = edited.text.indexOf(char, at) + 1;
        expect(at).toBeGreaterThan(0);
      }
    }),
    { numRuns: 300 },
  );
});

function removeEntry(text: string, key = "a"): string {
  const edited = removeJsonEntry(text, "mcp.json", ["mcpServers", key]);
  if (edited.kind !== "changed") throw new Error(JSON.stringify(edited));
  return edited.text;
}

describe("C6: a server that is taken out", () => {
  it("goes with its lines and the comment behind it; all other comments and the layout stay", () => {
    const before = `{
  // mine
  "mcpServers": {
    // files
    "a": {
      "command": "a",
    }, // here
    // chat
    "b": { "command": "b" }, /* b */
    "c": { "command": "c" } // c
  },
}
`;
    expect(removeEntry(before)).toBe(`{
  // mine
  "mcpServers": {
    // files
    // chat
    "b": { "command": "b" }, /* b */
    "c": { "command": "c" } // c
  },
}
`);
    expect(removeEntry(before, "c")).toContain(`    "b": { "command": "b" } /* b */\n  },`);
    expect(removeEntry(removeEntry(removeEntry(before), "b"), "c")).toContain(
      `"mcpServers": {\n    // files\n    // chat\n  },`,
    );
  });

  it("goes from a file on one line, and from one with Windows line breaks", () => {
    expect(removeEntry(`{"mcpServers":{"a":{"command":"a"},"b":{}}}`)).toBe(`{"mcpServers":{"b":{}}}`);
    expect(removeEntry(`{"mcpServers":{"b":{}, "a":{"command":"a"}}}`)).toBe(`{"mcpServers":{"b":{} }}`);
    expect(removeEntry(`{"mcpServers": {\r\n  "a": {},\r\n  "b": {}\r\n}}`)).toBe(
      `{"mcpServers": {\r\n  "b": {}\r\n}}`,
    );
  });

  it("is left alone where it is not there, and the file where it cannot be read", () => {
    for (const text of ["", "{}", `{"mcpServers": []}`, `{"mcpServers": {"b": {}}}`]) {
      expect(removeJsonEntry(text, "f", ["mcpServers", "a"])).toEqual({ kind: "unchanged" });
    }
    expect(removeJsonEntry(`{"mcpServers": {"a": {}, "a": {}}}`, "f", ["mcpServers", "a"]).kind).toBe(
      "refused",
    );
  });

  it("is gone whatever the file looks like, and strict JSON stays strict JSON", () => {
    fc.assert(
      fc.property(value, fc.constantFrom("a", "b", "d"), (text, key) => {
        const whole = `{"mcpServers": ${text}}`;
        const edited = removeJsonEntry(whole, "f", ["mcpServers", key]);
        const before = parse(whole) as { mcpServers: unknown };
        const isThere =
          typeof before.mcpServers === "object" &&
          before.mcpServers !== null &&
          Object.hasOwn(before.mcpServers, key);
        expect(edited.kind).toBe(isThere ? "changed" : "unchanged");
        if (edited.kind !== "changed") return;
        const { [key]: _, ...others } = before.mcpServers as Record<string, unknown>;
        expect(parse(edited.text)).toEqual({ mcpServers: others });
        if (isStrict(whole)) expect(isStrict(edited.text)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

function isStrict(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
