/** `npm run check:commits` in a real repository of a few commits. */
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { environmentOf } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const SCRIPT = join(import.meta.dirname, "../scripts/check-commits.ts");
const LARGE = 401;

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  git("init", "--quiet");
  commit("chore: begin", { "README.md": 1 });
});

/** No config of the machine counts, neither a hook nor a signature. */
function run(program: string, args: readonly string[]) {
  const environment = {
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
  };
  return spawnSync(program, args, {
    cwd: folder,
    env: environmentOf(folder, environment),
    encoding: "utf8",
    timeout: 60_000,
  });
}

function git(...args: string[]): void {
  const { status, stderr } = run("git", args);
  expect({ status, stderr }).toMatchObject({ status: 0 });
}

/** Writes files of so many lines, and commits them with all that was done before. */
function commit(message: string, lineCounts: Readonly<Record<string, number>> = {}): void {
  for (const [path, lineCount] of Object.entries(lineCounts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), Array.from({ length: lineCount }, (_, i) => `${path} ${i}\n`).join(""));
  }
  git("add", "--all");
  git("commit", "--quiet", "--message", message);
}

function check(...args: string[]): { lines: string[]; status: number | null } {
  const { stdout, stderr, status } = run(process.execPath, [SCRIPT, ...args]);
  expect(stderr).toBe("");
  return { lines: stdout.trimEnd().split("\n"), status };
}

it("is silent about a commit of one thing, with its reason", () => {
  commit("fix(cli): stop early\n\nThe timer ran on.", { "src/cli/a.ts": 400, "test/a.test.ts": 0 });
  expect(check("--strict")).toEqual({ lines: ["commits: 2, with a warning: 0"], status: 0 });
});

it("warns of a large commit, and fails only when it is strict", () => {
  commit("refactor(cli): much", { "src/cli/a.ts": LARGE });
  const lines = [
    expect.stringMatching(/^[0-9a-f]{8} refactor\(cli\): much$/),
    "  401 changed lines, more than 400: split it",
    "commits: 2, with a warning: 1",
  ];
  expect(check()).toEqual({ lines, status: 0 });
  expect(check("--strict")).toEqual({ lines, status: 1 });
});

it("counts neither pure renames nor what programs write", () => {
  commit("refactor(cli): begin", { "src/cli/a.ts": 300 });
  for (const room of ["runs", "store", "cli"]) mkdirSync(join(folder, "src", room), { recursive: true });
  renameSync(join(folder, "src/cli/a.ts"), join(folder, "src/runs/a.ts"));
  commit("refactor(runs): move it", {
    "package-lock.json": LARGE,
    "docs/cli.md": LARGE,
    "docs/configuration.md": LARGE,
    "schema/repertoire.schema.json": LARGE,
  });
  expect(check("--strict")).toEqual({ lines: ["commits: 3, with a warning: 0"], status: 0 });
});

it("warns of three rooms, and takes the root of src for one", () => {
  commit("refactor(cli): two", { "src/cli/a.ts": 1, "src/main.ts": 1, "test/a.test.ts": 1, "docs/a.md": 1 });
  commit("refactor(cli): three", { "src/cli/b.ts": 1, "src/app.ts": 1, "src/store/sqlite/a.ts": 1 });
  const { lines } = check();
  expect(lines.slice(1)).toEqual([
    "  3 rooms (cli, src, store), more than 2: one thing to a commit",
    "commits: 3, with a warning: 1",
  ]);
});

it("wants a reason for every feat and fix, and takes no signature for one", () => {
  commit("feat: more\n\nSigned-off-by: a <a@example.com>", { a: 1 });
  commit("fix(cli)!: less", { b: 1 });
  commit("fixture(test): other", { c: 1 });
  const { lines } = check();
  expect(lines.filter((line) => line === "  no body: say why")).toHaveLength(2);
});

it("reads the commits since the newest tag, or those of a range", () => {
  commit("fix: old", { a: 1 });
  git("tag", "v1");
  commit("fix: new", { b: 1 });
  expect(check().lines.at(-1)).toBe("commits: 1, with a warning: 1");
  expect(check("HEAD~2..HEAD").lines.at(-1)).toBe("commits: 2, with a warning: 2");
});
