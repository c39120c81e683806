/** `--dry-run` of every command that writes: it says what would be done, with the exit code of doing it, and writes nothing. */
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../src/cli/program.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";

/** Commands that write nothing of their own, or whose purpose is to act. */
const WITHOUT: ReadonlySet<string> = new Set(
  [
    // They read.
    "servers search tools cost list describe history diff show runs inbox calls audit pins rules validate test completions status stats schedules",
    // They run what they are given, or go on until they are stopped: `validate` and `call --dry-run` look first.
    "run resume retry dismiss cancel serve console demo demo-server",
    // They ask first, or talk to somebody else.
    "approve reject login logout start",
    // It writes one new file, and nothing else.
    "bug-report",
  ]
    .flatMap((line) => line.split(" "))
    .concat(
      "config path",
      "config check",
      "config schema",
      "token list",
      "token show",
      "input list",
      "audit verify",
      "audit export",
      "rules explain",
    ),
);

function leavesOf(command: Command, path = ""): { path: string; command: Command }[] {
  return command.commands.flatMap((one) => {
    const own = path === "" ? one.name() : `${path} ${one.name()}`;
    return one.commands.length > 0 ? leavesOf(one, own) : [{ path: own, command: one }];
  });
}

it("C7: every command that writes has --dry-run", () => {
  const leaves = leavesOf(createProgram(() => {}));
  expect(leaves.length).toBeGreaterThan(40);
  const lacking = leaves
    .filter(({ path }) => !WITHOUT.has(path))
    .filter(({ command }) => !command.options.some(({ long }) => long === "--dry-run"))
    .map(({ path }) => path);
  expect(lacking).toEqual([]);
});

let folder: string;
let draft: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  const file = (name: string, text: string) => writeFileSync(join(folder, name), text);
  file("one.ts", "return 1;");
  file("two.ts", "return 2;");
  file(
    "flow.json",
    JSON.stringify({ ir_version: "1.0", nodes: [{ id: "w", type: "wait", params: { ms: 1 } }] }),
  );
  file("repertoire.json", JSON.stringify({ mcpServers: { a: { command: "x" } } }));
  const keep = async (source: string, ...more: string[]) => {
    const run = JSON.parse((await cli("run", source, "--json")).stdout) as { draft: string };
    expect((await cli("save", run.draft, "math:one", "--description", "One.", ...more)).status).toBe(0);
  };
  await keep("one.ts");
  await keep("two.ts", "--overwrite");
  ({ draft } = JSON.parse((await cli("run", "one.ts", "--intent", "Again", "--json")).stdout) as {
    draft: string;
  });
  expect((await cli("token", "create", "ci")).status).toBe(0);
  expect((await cli("export", "kept")).status).toBe(0);
  expect((await runCliHere(["input", "set", "key"], { folder, input: "CANARY-value" })).status).toBe(0);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = (...args: string[]) => runCliHere(args, { folder, input: "CANARY-other" });

/** Every file but the database, byte by byte, and what is in the database. */
async function snapshot(): Promise<unknown> {
  const files = globSync(["**", "**/.*/**"], { cwd: folder })
    .filter((name) => !name.includes("repertoire.db") && statSync(join(folder, name)).isFile())
    .sort();
  const commands = [
    ["list"],
    ["history", "math:one"],
    ["describe", "math:one"],
    ["token", "list"],
    ["input", "list"],
  ];
  const said: string[] = [];
  for (const words of commands) said.push((await cli(...words, "--json")).stdout);
  return { files: files.map((name) => [name, readFileSync(join(folder, name), "utf8")]), said };
}

describe("C7: --dry-run", () => {
  const cases: readonly [number, string, RegExp][] = [
    [0, "save DRAFT math:two --description x", /mcp__math__two[^]*saved version 1/],
    [2, "save DRAFT math:one --description x", /already|exists|taken/],
    [7, "save nope math:two --description x", /no draft/],
    [0, "rename math:one math:uno", /renamed to math:uno/],
    [7, "rename math:nope math:uno", /math:nope/],
    [0, "alias math:one math:uno", /math:one has the aliases math:uno/],
    [0, "rollback math:one@1", /math:one is at version 3/],
    [0, "delete math:one", /deleted math:one/],
    [0, "import kept", /0 created, 0 updated, 1 unchanged/],
    [0, "export kept", /0 written, 1 unchanged/],
    [0, "export other", /math\/one.*\n[^]*1 written, 0 unchanged/],
    [0, "types --out types.d.ts", /types\.d\.ts: \d+ tool/],
    [0, "graph flow.json --out flow.txt", /written to flow\.txt/],
    [0, "trust", /command   x[^]*trusted /],
    [0, "token create laptop", /created laptop \(read, call\)/],
    [2, "token create ci", /ci/],
    [0, "token revoke ci", /revoked ci/],
    [0, "token rotate ci", /replaced ci/],
    [0, "input set other", /kept other/],
    [0, "input forget key", /forgotten key/],
    [7, "input forget nope", /No value is stored/],
  ];

  it("says what would be done, and writes nothing", { timeout: 240_000 }, async () => {
    const before = await snapshot();
    for (const [status, line, words] of cases) {
      const args = line.split(" ").map((word) => (word === "DRAFT" ? draft : word));
      const ended = await cli(...args, "--dry-run");
      expect({ line, status: ended.status, stderr: ended.stderr }).toMatchObject({ line, status });
      expect(ended.stdout + ended.stderr).toMatch(words);
      expect(ended.stderr).toContain("Dry run");
      expect(ended.stdout + ended.stderr).not.toContain("CANARY");
      if (status === 0) expect(ended.stderr).toContain("Nothing was written (--dry-run).");
    }
    expect(await snapshot()).toEqual(before);
  });

  it("says so in JSON, and shows no token that opens nothing", async () => {
    const { stdout } = await cli("token", "create", "laptop", "--dry-run", "--json");
    expect(JSON.parse(stdout)).toEqual({
      dryRun: true,
      name: "laptop",
      scopes: ["read", "call"],
      token: null,
    });
  });
});
