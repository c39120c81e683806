import fc from "fast-check";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createTempProject } from "../../config/temp-project.testkit.ts";
import { CLIENT_IDS, type ClientId } from "../client.ts";
import { describeEntry } from "./client-entry.ts";
import { findClientTarget, type ClientTarget } from "./client-target.ts";
import { planClientEdit, writeClientEdit, type ClientEdit } from "./client-edit.ts";
import { undoChange } from "../../config/files/backup.ts";

const SERVE = { kind: "stdio", command: "repertoire", args: ["serve"] } as const;

interface Connected {
  readonly target: ClientTarget;
  readonly home: string;
  plan(): ReturnType<typeof planClientEdit>;
  /** Plans and writes; throws where there is nothing to write. */
  connect(): ReturnType<typeof writeClientEdit>;
  undo(isForced?: boolean): ReturnType<typeof undoChange>;
  write(content: string | Uint8Array): void;
  read(): string;
}

function openConnected(client: ClientId, scope: "user" | "project" = "user"): Connected {
  const { options, home, cwd } = createTempProject();
  const place = { platform: "linux", env: {}, homedir: options.homedir, cwd } as const;
  const target = findClientTarget(client, scope, place)!;
  const plan = () => planClientEdit(target, describeEntry(client, SERVE)!);
  return {
    target,
    home,
    plan,
    connect: () => writeClientEdit(requireChange(plan()), home),
    undo: (isForced) => undoChange(target, target.path, home, isForced),
    write(content) {
      mkdirSync(dirname(target.path), { recursive: true });
      writeFileSync(target.path, content);
    },
    read: () => readFileSync(target.path, "utf8"),
  };
}

function requireChange(plan: ReturnType<typeof planClientEdit>): ClientEdit {
  if (plan.kind !== "change") throw new Error(JSON.stringify(plan));
  return plan;
}

const JSON_FILE = `\uFEFF{\r\n\t// servers\r\n\t"mcpServers": { "x": { "command": "x" } }, // x\r\n\t"servers": {},\r\n\t"z": [ 1 ]\r\n}`;
const TOML_FILE = `# mine\r\nmodel = "x"\r\n\r\n[mcp_servers.x] # x\r\ncommand = "x"\r\n[z]\r\na = [ 1 ]`;

describe.each(CLIENT_IDS)("connecting %s", (client) => {
  it("makes its file where there is none, for its owner alone, and undoing leaves nothing", () => {
    const connected = openConnected(client);
    const { target } = connected;
    expect(connected.connect().kind).toBe("written");
    expect(connected.read()).toContain("repertoire");
    expect(statSync(target.path).mode & 0o777).toBe(0o600);
    expect(connected.plan()).toEqual({ kind: "unchanged" });
    expect(connected.undo().kind).toBe("removed");
    expect(existsSync(join(target.path, "../.."))).toBe(client === "claude");
    expect(connected.undo()).toEqual({ kind: "none" });
  });

  it("changes a file with comments and other servers, once, and undoing restores every byte and the mode", () => {
    const connected = openConnected(client);
    const before = connected.target.format === "toml" ? TOML_FILE : JSON_FILE;
    connected.write(before);
    chmodSync(connected.target.path, 0o646);
    connected.connect();
    const after = connected.read();
    const added = after.split("\r\n").filter((line) => !before.split("\r\n").includes(line));
    expect(after).toContain("repertoire");
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(added.length).toBeLessThan(12);
    expect(after.startsWith(before.slice(0, 20))).toBe(true);
    expect(connected.plan()).toEqual({ kind: "unchanged" });
    expect(statSync(connected.target.path).mode & 0o777).toBe(0o646);
    chmodSync(connected.target.path, 0o600);
    expect(connected.undo().kind).toBe("restored");
    expect(connected.read()).toBe(before);
    expect(statSync(connected.target.path).mode & 0o777).toBe(0o646);
    expect(readdirSync(join(connected.home, "backups"))).toEqual([]);
  });

  it("is refused with the place where the file is broken, and nothing is changed", () => {
    const connected = openConnected(client);
    const before = connected.target.format === "toml" ? "a = [1\n" : `{ "mcpServers": {\n`;
    connected.write(before);
    const plan = connected.plan();
    expect(plan.kind === "refused" && plan.message).toMatch(/(?:json|toml):\d+:\d+ {2}/);
    expect(connected.read()).toBe(before);
    expect(existsSync(connected.home)).toBe(false);
  });
});

describe("connecting", () => {
  it("leaves a link a link", () => {
    const connected = openConnected("cursor");
    const { path } = connected.target;
    connected.write("{}");
    const real = join(dirname(path), "real.json");
    writeFileSync(real, "{}\n");
    unlinkSync(path);
    symlinkSync("real.json", path);
    connected.connect();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("repertoire");
    connected.undo();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe("{}\n");
  });

  it("writes nothing where the file has changed since it was looked at", () => {
    const connected = openConnected("cursor");
    connected.write("{}");
    const plan = requireChange(connected.plan());
    connected.write(`{"a": 1}`);
    expect(writeClientEdit(plan, connected.home)).toEqual({ kind: "changed" });
    expect(connected.read()).toBe(`{"a": 1}`);
    expect(existsSync(connected.home)).toBe(false);
  });

  it("keeps no backup of what it could not write", () => {
    const connected = openConnected("cursor");
    const folder = dirname(connected.target.path);
    mkdirSync(dirname(folder), { recursive: true });
    symlinkSync("nowhere/at/all", folder);
    expect(() => connected.connect()).toThrow(`Cannot change ${connected.target.path}`);
    expect(lstatSync(folder).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(connected.home, "backups"))).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)(
    "is refused in a folder that is read-only, and nothing is changed",
    () => {
      const connected = openConnected("cursor");
      connected.write("{}");
      chmodSync(dirname(connected.target.path), 0o500);
      expect(() => connected.connect()).toThrow("permission denied");
      chmodSync(dirname(connected.target.path), 0o700);
      expect(connected.read()).toBe("{}");
      expect(readdirSync(join(connected.home, "backups"))).toEqual([]);
    },
  );

  it("is refused where the file is a folder, or is no text", () => {
    const connected = openConnected("cursor");
    mkdirSync(connected.target.path, { recursive: true });
    expect(connected.plan()).toMatchObject({ kind: "refused" });
    const other = openConnected("cursor");
    other.write(Buffer.from([0x7b, 0xff, 0x7d]));
    expect(other.plan()).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("UTF-8") as string,
    });
  });

  it("gives a project a file that others may read", () => {
    const connected = openConnected("claude", "project");
    connected.connect();
    expect(statSync(connected.target.path).mode & 0o777).toBe(0o666 & ~process.umask());
  });
});

describe("undoing", () => {
  it("is refused where the file was changed since, unless it is forced", () => {
    const connected = openConnected("cursor");
    connected.write("{}");
    connected.connect();
    connected.write(`${connected.read()} `);
    expect(connected.undo().kind).toBe("changed");
    expect(connected.read()).toContain("repertoire");
    expect(connected.undo(true).kind).toBe("restored");
    expect(connected.read()).toBe("{}");
  });

  it("is refused where the file is gone since, unless it is forced", () => {
    const connected = openConnected("cursor");
    connected.write("{}");
    connected.connect();
    unlinkSync(connected.target.path);
    expect(connected.undo().kind).toBe("changed");
    expect(connected.undo(true).kind).toBe("restored");
    expect(connected.read()).toBe("{}");
  });

  it("forgets a backup of what is there still, as a crash before the writing leaves it", () => {
    const connected = openConnected("cursor");
    connected.write("{}");
    connected.connect();
    connected.write("{}");
    expect(connected.undo().kind).toBe("already");
    expect(connected.undo()).toEqual({ kind: "none" });
  });

  it("goes back one step at a time", () => {
    const connected = openConnected("cursor");
    connected.connect();
    const first = connected.read();
    const other = describeEntry("cursor", { ...SERVE, args: ["serve", "--profile", "x"] })!;
    writeClientEdit(requireChange(planClientEdit(connected.target, other)), connected.home);
    expect(connected.undo().kind).toBe("restored");
    expect(connected.read()).toBe(first);
    expect(connected.undo().kind).toBe("removed");
  });

  it("keeps a folder that somebody has put something into", () => {
    const connected = openConnected("windsurf");
    connected.connect();
    writeFileSync(join(dirname(connected.target.path), "other"), "");
    connected.undo();
    expect(readdirSync(dirname(connected.target.path))).toEqual(["other"]);
  });

  it("takes the file of this project, not that of another", () => {
    const one = openConnected("cursor", "project");
    one.write("{}");
    one.connect();
    expect(undoChange(one.target, `${one.target.path}.other`, one.home)).toEqual({ kind: "none" });
    expect(one.undo().kind).toBe("restored");
  });

  it("restores every byte of any file that could be edited", () => {
    const connected = openConnected("cursor");
    const text = fc
      .record({
        mark: fc.constantFrom("", "\uFEFF"),
        value: fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ maxDepth: 2 })),
        unit: fc.constantFrom("", "\t", "  ", "   "),
        lineBreak: fc.constantFrom("\n", "\r\n"),
        end: fc.constantFrom("", "\n", "\r\n", " // end", "\n\n"),
      })
      .map(
        ({ mark, value, unit, lineBreak, end }) =>
          mark + JSON.stringify(value, null, unit).replaceAll("\n", lineBreak) + end,
      );
    fc.assert(
      fc.property(text, (before) => {
        connected.write(before);
        const plan = connected.plan();
        if (plan.kind !== "change") return;
        writeClientEdit(plan, connected.home);
        expect(connected.plan()).toEqual({ kind: "unchanged" });
        connected.undo();
        expect(connected.read()).toBe(before);
      }),
      { numRuns: 15 },
    );
  });
});
