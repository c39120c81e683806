/** Which outcome has which exit code, over many commands; and `--json` answers one JSON value whatever the outcome is. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXIT } from "../src/cli/terminal/exit-code.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";

it("C7: the exit codes are these", () => {
  expect(EXIT).toEqual({
    ok: 0,
    failed: 1,
    usage: 2,
    auth: 3,
    unreachable: 4,
    toolError: 5,
    refused: 6,
    notFound: 7,
    waiting: 8,
    interrupted: 130,
    terminated: 143,
  });
});

const SERVER = join(import.meta.dirname, "fixtures/workflow-server.mjs");
const SUM = "return args.a + args.b;";
const WAITING = {
  ir_version: "1.0",
  nodes: [{ id: "ask", type: "approve", params: { message: "Really?" } }],
};

let folder: string;
let config: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
  config = join(folder, "servers.json");
  const box = { command: process.execPath, args: [SERVER, join(folder, "effects.jsonl")] };
  const dead = { command: process.execPath, args: ["-e", "process.exit(3)"] };
  const mcpServers = { box, dead, off: { ...box, enabled: false } };
  writeFileSync(config, JSON.stringify({ mcpServers }));
  writeFileSync(join(folder, "sum.ts"), SUM);
  writeFileSync(join(folder, "wait.json"), JSON.stringify(WAITING));
  writeFileSync(join(folder, "broken.json"), "{ nope");
  writeFileSync(join(folder, "bad.json"), JSON.stringify({ exposure: "some" }));
  await cli("run", "sum.ts", "--input", "a=1", "--input", "b=2");
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function cli(...args: string[]): ReturnType<typeof runCliHere> {
  return runCliHere([...args, ...(args.includes("--config") ? [] : ["--config", config])], { folder });
}

const RUN = "01980f0e-6c3a-7000-8000-0000000000aa";

const TABLE: readonly [number, string][] = [
  // Not found: a tool, a server, a run, an item, a draft, a file, a value, a token.
  [7, "call box.nope"],
  [7, "call nope.nope"],
  [7, "types nope"],
  [7, "login nope"],
  [7, "logout nope"],
  [7, "remove nope"],
  [7, "enable nope"],
  [7, "disable nope"],
  [7, `show ${RUN}`],
  [7, `resume ${RUN}`],
  [7, `approve ${RUN}`],
  [7, "approve last"],
  [7, "show last --step nope"],
  [7, "describe nope:nope"],
  [7, "history nope:nope"],
  [7, "test nope:nope"],
  [7, "diff nope:nope@1 nope:nope@2"],
  [7, "rollback nope:nope@1"],
  [7, "rename nope:nope nope:other"],
  [7, "alias nope:nope nope:other"],
  [7, "delete nope:nope"],
  [7, "save nope nope:nope --description x"],
  [7, "run nope"],
  [7, "run nope.ts"],
  [7, "run nope.json"],
  [7, "validate nope.json"],
  [7, "graph nope.json"],
  [7, "import nope"],
  [7, "input forget nope"],
  [7, "token revoke nope"],
  [7, "token rotate nope"],
  // Usage: words, values and configs that cannot be meant.
  [2, "tols"],
  [2, "list --jsn"],
  [2, "describe"],
  [2, "list one two"],
  [2, "runs --limit many"],
  [2, "runs --status odd"],
  [2, "completions tcsh"],
  [2, "tools --log-level loud"],
  [2, "call box.add text"],
  [2, "call box.add --args []"],
  [2, "run sum.ts --input a"],
  [2, "run sum.ts --timeout soon"],
  [2, "connect nope"],
  [2, "init --from nope"],
  [2, "token create ci --scope all"],
  [2, "describe notvalid!"],
  [2, "tools --config broken.json"],
  [2, "list --config bad.json"],
  [2, "run sum.ts --config bad.json"],
  // The world outside.
  [4, "call dead.x"],
  [4, "types dead"],
  [5, "call box.complain text=x"],
  // Refused.
  [6, "describe ../x"],
  [6, "delete ../x"],
  // Waiting, in this order: `last` is the run before.
  [8, "run wait.json"],
  [8, "resume last"],
  [2, "approve last"],
  // Failed.
  [1, "validate broken.json"],
];

describe("C7: outcomes and their exit codes", () => {
  it.each(TABLE)("%i %s", async (status, line) => {
    const ended = await cli(...line.split(" "));
    expect({ status: ended.status, stderr: ended.stderr }).toEqual({ status, stderr: expect.anything() });
    const json = await cli(...line.split(" "), "--json");
    expect(json.status).toBe(status);
    const answer = JSON.parse(json.stdout) as { error?: object; missing?: object[] };
    // What a check found, and a part of what was asked for, are answers and no errors.
    if (status !== EXIT.failed && answer.missing === undefined) {
      expect(answer.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    }
  });
});

describe("C7: global options", () => {
  it("--json says what is wrong with the words", async () => {
    const { stdout, stderr } = await cli("tols", "--json");
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: "USAGE",
        message: expect.stringContaining("unknown command 'tols'"),
        hint: expect.stringContaining("--help"),
      },
    });
    expect(stderr).toBe("");
  });

  it("--json says what is wrong with the config", async () => {
    const { stdout } = await cli("tools", "--json", "--config", "bad.json");
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: "CONFIG_INVALID", message: expect.stringContaining("exposure") },
    });
  });

  it("--json behind -- is for the program of a server", async () => {
    const own = join(folder, "own.json");
    const { stdout, stderr } = await cli("add", "x", "--config", own, "-H", "A: b", "--", "x", "--json");
    expect({ stdout, isText: stderr.includes("error") }).toEqual({ stdout: "", isText: true });
  });

  it("--quiet leaves notes out, and no error", async () => {
    const loud = await cli("run", "sum.ts", "--input", "a=1", "--input", "b=2");
    expect(loud.stderr).toContain("draft ");
    const quiet = await cli("run", "sum.ts", "--input", "a=1", "--input", "b=2", "--quiet");
    expect(quiet).toMatchObject({ status: 0, stdout: loud.stdout, stderr: "" });
    const failed = await cli("call", "box.nope", "--quiet");
    expect(failed.stderr + failed.stdout).toContain("TOOL_NOT_FOUND");
    const paused = await cli("run", "wait.json", "--quiet");
    expect(paused.stderr).toContain("decide with: ");
  });

  it("--no-input fails with 2 where a person would be asked, and says which option answers", async () => {
    await cli("run", "wait.json");
    const approve = await cli("approve", "last", "--no-input");
    expect(approve.status).toBe(2);
    expect(approve.stderr).toContain("--no-input");
    expect(approve.stderr).toContain("--yes or --deny");
    const connect = await cli("connect", "cursor", "--no-input");
    expect(connect.status).toBe(2);
    expect(connect.stderr).toMatch(/--no-input is set.*--yes/);
  });

  it("--no-input does not stand in the way of --input", async () => {
    const { stdout } = await cli("run", "sum.ts", "--no-input", "--input", "a=1", "--input", "b=2");
    expect(stdout).toBe("3\n");
  });
});

describe("C7: --jq", () => {
  it("filters the answer, and prints strings without quotation marks", async () => {
    expect(await cli("config", "path", "--jq", ".config")).toMatchObject({
      status: 0,
      stdout: `${config}\n`,
    });
  });

  it("is 2 for a filter that is wrong, with jq's own words and nothing on stdout", async () => {
    const { status, stdout, stderr } = await cli("config", "path", "--jq", ".config.x");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe('error --jq: Cannot index string with string "x"\n');
  });

  it("does not hide an error behind the filter", async () => {
    const { status, stdout } = await cli("show", RUN, "--jq", ".steps[].name");
    expect({ status, error: JSON.parse(stdout) as object }).toMatchObject({
      status: 7,
      error: { error: { code: "TOOL_NOT_FOUND" } },
    });
  });

  it("takes half a megabyte", async () => {
    writeFileSync(join(folder, "big.ts"), 'return Array.from({ length: 20_000 }, () => "x".repeat(20));');
    const { stdout } = await cli("run", "big.ts", "--jq", ".outputs[]");
    expect(stdout.split("\n").length).toBe(20_001);
  });
});
