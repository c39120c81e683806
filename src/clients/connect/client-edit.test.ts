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
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTempProject } from "../../config/temp-project.testkit.ts";
import { CLIENT_IDS, type ClientId } from "../client.ts";
import { describeEntry } from "./client-entry.ts";
import { findJoinTarget, type JoinTarget } from "./client-target.ts";
import { planJoin, writeJoin, type JoinChange } from "./client-edit.ts";
import { undoChange } from "../../config/files/undo-backup.ts";

const SERVE = { kind: "stdio", command: "repertoire", args: ["serve"] } as const;

interface Joining {
  readonly target: JoinTarget;
  readonly home: string;
  plan(): ReturnType<typeof planJoin>;
  /** Plans and writes; throws where there is nothing to write. */
  join(): ReturnType<typeof writeJoin>;
  undo(isForced?: boolean): ReturnType<typeof undoChange>;
  write(content: string | Uint8Array): void;
  read(): string;
}

function createJoining(client: ClientId, scope: "user" | "project" = "user"): Joining {
  const { options, home, cwd } = createTempProject();
  const place = { platform: "linux", env: {}, homedir: options.homedir, cwd } as const;
  const target = findJoinTarget(client, scope, place)!;
  const plan = () => planJoin(target, describeEntry(client, SERVE)!);
  return {
    target,
    home,
    plan,
    join: () => writeJoin(requireChange(plan()), home),
    undo: (isForced) => undoChange(target, target.path, home, isForced),
    write(content) {
      mkdirSync(dirname(target.path), { recursive: true });
      writeFileSync(target.path, content);
    },
    read: () => readFileSync(target.path, "utf8"),
  };
}

function requireChange(plan: ReturnType<typeof planJoin>): JoinChange {
  if (plan.kind !== "change") throw new Error(JSON.stringify(plan));
  return plan;
}

const JSON_FILE = `\uFEFF{\r\n\t// servers\r\n\t"mcpServers": { "x": { "command": "x" } }, // x\r\n\t"servers": {},\r\n\t"z": [ 1 ]\r\n}`;
const TOML_FILE = `# mine\r\nmodel = "x"\r\n\r\n[mcp_servers.x] # x\r\ncommand = "x"\r\n[z]\r\na = [ 1 ]`;

describe.each(CLIENT_IDS)("joining %s", (client) => {
  it("makes its file where there is none, for its owner alone, and undoing leaves nothing", () => {
    const joining = createJoining(client);
    const { target } = joining;
    expect(joining.join().kind).toBe("written");
    expect(joining.read()).toContain("repertoire");
    expect(statSync(target.path).mode & 0o777).toBe(0o600);
    expect(joining.plan()).toEqual({ kind: "unchanged" });
    expect(joining.undo().kind).toBe("removed");
    expect(existsSync(join(target.path, "../.."))).toBe(client === "claude");
    expect(joining.undo()).toEqual({ kind: "none" });
  });

  it("changes a file with comments and other servers, once, and undoing restores every byte and the mode", () => {
    const joining = createJoining(client);
    const before = joining.target.format === "toml" ? TOML_FILE : JSON_FILE;
    joining.write(before);
    chmodSync(joining.target.path, 0o646);
    joining.join();
    const after = joining.read();
    const added = after.split("\r\n").filter((line) => !before.split("\r\n").includes(line));
    expect(after).toContain("repertoire");
    expect(after.replaceAll("\r\n", "")).not.toContain("\n");
    expect(added.length).toBeLessThan(12);
    expect(after.startsWith(before.slice(0, 20))).toBe(true);
    expect(joining.plan()).toEqual({ kind: "unchanged" });
    expect(statSync(joining.target.path).mode & 0o777).toBe(0o646);
    chmodSync(joining.target.path, 0o600);
    expect(joining.undo().kind).toBe("restored");
    expect(joining.read()).toBe(before);
    expect(statSync(joining.target.path).mode & 0o777).toBe(0o646);
    expect(readdirSync(join(joining.home, "backups"))).toEqual([]);
  });

  it("is refused with the place where the file is broken, and nothing is changed", () => {
    const joining = createJoining(client);
    const before = joining.target.format === "toml" ? "a = [1\n" : `{ "mcpServers": {\n`;
    joining.write(before);
    const plan = joining.plan();
    expect(plan.kind === "refused" && plan.message).toMatch(/(?:json|toml):\d+:\d+ {2}/);
    expect(joining.read()).toBe(before);
    expect(existsSync(joining.home)).toBe(false);
  });
});

describe("joining", () => {
  it("leaves a link a link", () => {
    const joining = createJoining("cursor");
    const { path } = joining.target;
    joining.write("{}");
    const real = join(dirname(path), "real.json");
    writeFileSync(real, "{}\n");
    unlinkSync(path);
    symlinkSync("real.json", path);
    joining.join();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toContain("repertoire");
    joining.undo();
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe("{}\n");
  });

  it("writes nothing where the file has changed since it was looked at", () => {
    const joining = createJoining("cursor");
    joining.write("{}");
    const plan = requireChange(joining.plan());
    joining.write(`{"a": 1}`);
    expect(writeJoin(plan, joining.home)).toEqual({ kind: "changed" });
    expect(joining.read()).toBe(`{"a": 1}`);
    expect(existsSync(joining.home)).toBe(false);
  });

  it("keeps no backup of what it could not write", () => {
    const joining = createJoining("cursor");
    const folder = dirname(joining.target.path);
    mkdirSync(dirname(folder), { recursive: true });
    symlinkSync("nowhere/at/all", folder);
    expect(() => joining.join()).toThrow(`Cannot change ${joining.target.path}`);
    expect(lstatSync(folder).isSymbolicLink()).toBe(true);
    expect(readdirSync(join(joining.home, "backups"))).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)(
    "is refused in a folder that is read-only, and nothing is changed",
    () => {
      const joining = createJoining("cursor");
      joining.write("{}");
      chmodSync(dirname(joining.target.path), 0o500);
      expect(() => joining.join()).toThrow("permission denied");
      chmodSync(dirname(joining.target.path), 0o700);
      expect(joining.read()).toBe("{}");
      expect(readdirSync(join(joining.home, "backups"))).toEqual([]);
    },
  );

  it("is refused where the file is a folder, or is no text", () => {
    const joining = createJoining("cursor");
    mkdirSync(joining.target.path, { recursive: true });
    expect(joining.plan()).toMatchObject({ kind: "refused" });
    const other = createJoining("cursor");
    other.write(Buffer.from([0x7b, 0xff, 0x7d]));
    expect(other.plan()).toMatchObject({
      kind: "refused",
      message: expect.stringContaining("UTF-8") as string,
    });
  });

  it("gives a project a file that others may read", () => {
    const joining = createJoining("claude", "project");
    joining.join();
    expect(statSync(joining.target.path).mode & 0o777).toBe(0o666 & ~process.umask());
  });
});

describe("undoing", () => {
  it("is refused where the file was changed since, unless it is forced", () => {
    const joining = createJoining("cursor");
    joining.write("{}");
    joining.join();
    joining.write(`${joining.read()} `);
    expect(joining.undo().kind).toBe("changed");
    expect(joining.read()).toContain("repertoire");
    expect(joining.undo(true).kind).toBe("restored");
    expect(joining.read()).toBe("{}");
  });

  it("is refused where the file is gone since, unless it is forced", () => {
    const joining = createJoining("cursor");
    joining.write("{}");
    joining.join();
    unlinkSync(joining.target.path);
    expect(joining.undo().kind).toBe("changed");
    expect(joining.undo(true).kind).toBe("restored");
    expect(joining.read()).toBe("{}");
  });

  it("forgets a backup of what is there still, as a crash before the writing leaves it", () => {
    const joining = createJoining("cursor");
    joining.write("{}");
    joining.join();
    joining.write("{}");
    expect(joining.undo().kind).toBe("already");
    expect(joining.undo()).toEqual({ kind: "none" });
  });

  it("goes back one step at a time", () => {
    const joining = createJoining("cursor");
    joining.join();
    const first = joining.read();
    const other = describeEntry("cursor", { ...SERVE, args: ["serve", "--profile", "x"] })!;
    writeJoin(requireChange(planJoin(joining.target, other)), joining.home);
    expect(joining.undo().kind).toBe("restored");
    expect(joining.read()).toBe(first);
    expect(joining.undo().kind).toBe("removed");
  });

  it("keeps a folder that somebody has put something into", () => {
    const joining = createJoining("windsurf");
    joining.join();
    writeFileSync(join(dirname(joining.target.path), "other"), "");
    joining.undo();
    expect(readdirSync(dirname(joining.target.path))).toEqual(["other"]);
  });

  it("takes the file of this project, not that of another", () => {
    const one = createJoining("cursor", "project");
    one.write("{}");
    one.join();
    expect(undoChange(one.target, `${one.target.path}.other`, one.home)).toEqual({ kind: "none" });
    expect(one.undo().kind).toBe("restored");
  });

  it("restores every byte of any file that could be joined", () => {
    const joining = createJoining("cursor");
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
        joining.write(before);
        const plan = joining.plan();
        if (plan.kind !== "change") return;
        writeJoin(plan, joining.home);
        expect(joining.plan()).toEqual({ kind: "unchanged" });
        joining.undo();
        expect(joining.read()).toBe(before);
      }),
      { numRuns: 15 },
    );
  });
});
