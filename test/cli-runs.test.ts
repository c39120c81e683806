/** Runs and workflows on the command line: run, stopped, looked at, decided on and resumed, by the command that is printed. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { BIN, environmentOf, runCli } from "./fixtures/gateway-process.ts";
import { eventually, eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";

const SERVER = join(import.meta.dirname, "fixtures/workflow-server.mjs");
/** Far beyond what a process needs, also on a busy machine. */
const PATIENCE_MS = 50_000;
const RUN_ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Place {
  readonly folder: string;
  /** Runs a command to its end. */
  cli(...args: string[]): Promise<Ended>;
  json(...args: string[]): Promise<unknown>;
  /** The same as a process of its own. */
  process(...args: string[]): Ended;
  /** Starts a command that is watched. */
  start(...args: string[]): ReturnType<typeof startCli>;
  write(name: string, content: unknown): void;
  /** What was really done, as `tool text`. */
  effects(): string[];
  /** A mark for the server: `broken` or `go`. */
  mark(name: string): void;
  unmark(name: string): void;
}

function createPlace(): Place {
  const folder = temporaryFolder();
  const effects = join(folder, "effects.jsonl");
  const box = { command: process.execPath, args: [SERVER, effects] };
  const config = join(folder, "servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { box } }));
  const all = (args: readonly string[]) => [...args, "--config", config];
  const cli: Place["cli"] = async (...args) => {
    const { status, stdout, stderr } = await runCliHere(all(args), { folder });
    return { status, stdout, stderr };
  };
  return {
    folder,
    cli,
    json: async (...args) => JSON.parse((await cli(...args, "--json")).stdout) as unknown,
    process: (...args) => runCli(all(args), { folder }),
    start: (...args) => startCli(folder, all(args)),
    write: (name, content) =>
      writeFileSync(
        join(folder, name),
        typeof content === "string" ? content : JSON.stringify(content, null, 2),
      ),
    effects: () => (existsSync(effects) ? linesOf(effects) : []),
    mark: (name) => writeFileSync(`${effects}.${name}`, ""),
    unmark: (name) => rmSync(`${effects}.${name}`),
  };
}

function linesOf(file: string): string[] {
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => {
    const { tool, args } = JSON.parse(line) as { tool: string; args: { text?: string } };
    return `${tool} ${args.text ?? ""}`.trim();
  });
}

function startCli(folder: string, args: readonly string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env: environmentOf(folder) });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  let exit: { readonly code: number | null } | undefined;
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.on("close", (code) => (exit = { code }));
  return {
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    says: (words: string) => eventually(`${words} in ${stderr}`, () => stderr.includes(words), PATIENCE_MS),
    ended: async () => ({ ...(await eventually("the end", () => exit, PATIENCE_MS)), stdout, stderr }),
  };
}

/** The words of a command that was printed for a person to copy, without the program's name and the config. */
function commandIn(text: string, label: string): string[] {
  const [, command] = new RegExp(`${label}: +repertoire (.*)`).exec(text)!;
  const words = command!.split(" ");
  return words.slice(0, words.indexOf("--config"));
}

function idIn(text: string): string {
  return RUN_ID.exec(text)![0];
}

/** Three nodes in a row: `add`, then what the test wants, then `add` again. */
function flowWith(node: object): object {
  return {
    ir_version: "1.0",
    description: "Writes two notes.",
    inputs: { text: { type: "string", default: "hello" } },
    outputs: { last: { source: "${last.text}" } },
    nodes: [
      { id: "first", type: "box__add", params: { text: "${text}" } },
      { id: "middle", ...node },
      { id: "last", type: "box__add", params: { text: "${text} again" } },
    ],
    edges: [
      { from: "first", to: "middle" },
      { from: "middle", to: "last" },
    ],
  };
}

const FRAGILE = flowWith({ type: "box__fragile", params: { text: "x" } });
const GATED = flowWith({ type: "approve", params: { message: "Really \u202e?" } });
const HELD = flowWith({ type: "box__hold", params: { text: "x" } });

describe("every command", () => {
  it("has help with an example", async () => {
    for (const command of ["run", "resume", "runs", "show", "approve", "validate", "graph"]) {
      const { status, stdout } = await runCliHere([command, "--help"]);
      expect({ command, status, hasExample: stdout.includes(`$ repertoire ${command}`) }).toEqual({
        command,
        status: 0,
        hasExample: true,
      });
    }
  });

  // `run` and `runs` are processes in other tests below.
  it("ends by itself, each a process of its own", async () => {
    const place = createPlace();
    place.write("flow.json", GATED);
    expect(await place.cli("run", "flow.json")).toMatchObject({ status: 8, stdout: "" });
    for (const [args, status, stdout] of [
      [["validate", "flow.json"], 0, /^valid flow\.json: 3 nodes/],
      [["graph", "flow.json"], 0, /^Writes two notes\.\n/],
      [["show", "last"], 0, /  needs approval  workflow  /],
      [["approve", "last", "--yes"], 0, /^$/],
      [["resume", "last"], 0, /^\{\n {2}"last": "hello again"\n\}\n$/],
    ] as const) {
      const ended = place.process(...args);
      expect({ args, status: ended.status }).toEqual({ args, status });
      expect(ended.stdout).toMatch(stdout);
    }
    expect(place.effects()).toEqual(["add hello", "add hello again"]);
  });

  it.each([
    ["resume both", ["resume", "last", "--code", "a.ts", "--name", "b"], 2, "not both"],
    ["an odd answer", ["resume", "last", "--uncertain", "maybe"], 2, `retry (call again), skip`],
    ["resume of nothing", ["resume", "last"], 7, "No run that was started here can be resumed."],
    ["an unknown run", ["show", "nope"], 7, `There is no run "nope".`],
    ["approve of nothing", ["approve", "last"], 7, "No run waits for an approval."],
    ["an odd status", ["runs", "--status", "done"], 2, "running, paused, succeeded"],
    ["a workflow that is not there", ["validate", "none.json"], 7, "ENOENT"],
    ["an odd time limit", ["run", "none", "--timeout", "0"], 2, "--timeout"],
  ])("refuses %s", async (_, args, status, words) => {
    expect(await createPlace().cli(...args)).toEqual({
      status,
      stdout: "",
      stderr: expect.stringContaining(words),
    });
  });
});

describe("validate, graph", () => {
  it("say in one line that a workflow could run, and draw its plan", async () => {
    const place = createPlace();
    place.write("flow.json", FRAGILE);
    expect(await place.cli("validate", "flow.json")).toEqual({
      status: 0,
      stdout: "valid flow.json: 3 nodes, 3 levels, 1 input\n",
      stderr: "",
    });
    expect(await place.json("validate", "flow.json")).toEqual({
      valid: true,
      nodes: 3,
      levels: [["first"], ["middle"], ["last"]],
      inputs: ["text"],
    });
    const drawn = await place.cli("graph", "flow.json");
    expect(drawn).toMatchObject({ status: 0, stderr: "" });
    expect(drawn.stdout).toMatch(
      /^Writes two notes\.\n[^]*level 1\n {2}middle {2}box__fragile {2}\[after first\]\n/,
    );
    expect(await place.cli("graph", "flow.json", "--svg", "--out", "flow.svg")).toEqual({
      status: 0,
      stdout: "",
      stderr: "written to flow.svg\n",
    });
    expect(readFileSync(join(place.folder, "flow.svg"), "utf8")).toMatch(/^<svg [^]*<\/svg>\s*$/);
  });

  it("tell every problem in a line with its place, and what to do about it", async () => {
    const place = createPlace();
    const flow = JSON.stringify(flowWith({ type: "box__fragil", params: {} }), null, 2);
    place.write("flow.json", flow.replace('"to": "last"', '"to": "lats"'));
    const { status, stdout, stderr } = await place.cli("validate", "flow.json");
    expect({ status, stderr }).toEqual({ status: 1, stderr: "2 problems\n" });
    expect(stdout).toMatch(/^flow\.json:\d+:\d+: .*box__fragil.*\n {2}.*Did you mean box__fragile\?\n/);
    expect(stdout).toMatch(/\nflow\.json:\d+:\d+: .*lats.*\n {2}.*Did you mean last\?\n$/);
    expect(await place.json("validate", "flow.json")).toMatchObject({
      valid: false,
      problems: [{ line: expect.any(Number), column: expect.any(Number), fix: expect.any(String) }, {}],
    });
    for (const command of ["graph", "run"]) {
      const refused = await place.cli(command, "flow.json");
      expect({ command, stdout: refused.stdout }).toEqual({ command, stdout: "" });
      expect(refused.stderr.startsWith(stdout)).toBe(true);
    }
    expect(place.effects()).toEqual([]);
  });

  it("A3: tell the mistakes in the code of nodes, with their place in that code, and warn of types", async () => {
    const place = createPlace();
    place.write(
      "flow.json",
      flowWith({ type: "code", params: { code: "const a = 1;\nreturn await mcp.box.ad({});" } }),
    );
    const { status, stdout } = await place.cli("validate", "flow.json");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^flow\.json:\d+:\d+: node middle, line 2, column 14 of its code: .*"ad"\..* mcp\.box\.add/,
    );
    const ran = await place.cli("run", "flow.json");
    expect(ran.stderr.startsWith(stdout)).toBe(true);
    expect(place.effects()).toEqual([]);
    place.write(
      "flow.json",
      flowWith({ type: "code", params: { code: 'const n: number = "x"; return n;' } }),
    );
    expect(await place.cli("validate", "flow.json")).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^warning Node middle: Line 1, column 7: /),
    });
  });

  it("validate reads standard input, and shows what a terminal would hide", async () => {
    const { status, stdout } = await runCliHere(["validate", "-"], { input: `{"\u001b[2J": 1}` });
    expect(status).toBe(1);
    expect(stdout).toMatch(/^stdin:1:\d+: /);
    expect(stdout).not.toContain("\u001b");
    expect(await runCliHere(["validate", "-"], { input: "{ nope" })).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^stdin:1:3: /),
    });
  });
});

describe("run, resume", () => {
  it("a workflow that fails says what is done and how to go on, and nothing is done twice", async () => {
    const place = createPlace();
    place.write("flow.json", FRAGILE);
    place.mark("broken");
    const failed = await place.cli("run", "flow.json", "--input", "text=hi", "--intent", "Two notes");
    expect(failed).toMatchObject({ status: 5, stdout: "" });
    expect(failed.stderr).toMatch(/error TOOL_EXECUTION_FAILED: .*it is broken/);
    expect(failed.stderr).toMatch(
      /\n {2}done +first\n {2}failed +middle\n {2}continue with: repertoire resume /,
    );
    place.unmark("broken");
    const resumed = await place.cli(...commandIn(failed.stderr, "continue with"));
    expect(resumed).toEqual({
      status: 0,
      stdout: `{\n  "last": "hi again"\n}\n`,
      stderr: expect.stringContaining("1 answered from the journal"),
    });
    expect(place.effects()).toEqual(["add hi", "fragile x", "fragile x", "add hi again"]);

    const again = await place.cli("resume", idIn(failed.stderr));
    expect(again).toMatchObject({ status: 6, stdout: "" });
    expect(again.stderr).toContain("superseded");
    expect(again.stderr).toContain("see: repertoire show ");
    expect(await place.json("resume", idIn(failed.stderr))).toMatchObject({
      success: false,
      error: { reason: "superseded" },
    });
  });

  it("a corrected workflow file goes on from what the old one had done", async () => {
    const place = createPlace();
    place.write("flow.json", FRAGILE);
    place.mark("broken");
    const failed = await place.cli("run", "flow.json");
    place.write("flow.json", flowWith({ type: "box__add", params: { text: "instead" } }));
    const resumed = await place.cli(...commandIn(failed.stderr, "corrected"));
    expect(resumed).toMatchObject({ status: 0, stdout: expect.stringContaining("hello again") });
    expect(place.effects()).toEqual(["add hello", "fragile x", "add instead", "add hello again"]);
  });

  it("corrected code goes on from what the old one had done", async () => {
    const place = createPlace();
    place.write("notes.ts", `await mcp.box.add({ text: args.a });\nreturn args.lenght.x;`);
    const failed = await place.cli("run", "notes.ts", "--input", "a=1st");
    expect(failed).toMatchObject({ status: 5, stdout: "" });
    expect(failed.stderr).toMatch(/\n {2}done +box__add\n/);
    place.write("notes.ts", `await mcp.box.add({ text: args.a });\nreturn args;`);
    const resumed = await place.cli("resume", "last", "--code", "notes.ts", "--input", "b=2");
    expect(JSON.parse(resumed.stdout)).toEqual({ a: "1st", b: 2 });
    expect(place.effects()).toEqual(["add 1st"]);
  });

  it("a draft and what was kept run by name, and a large result is printed whole", async () => {
    const place = createPlace();
    mkdirSync(join(place.folder, "home/drafts"), { recursive: true, mode: 0o700 });
    place.write("home/drafts/two-notes.json", HELD);
    place.mark("go");
    expect(await place.json("run", "two-notes")).toMatchObject({
      success: true,
      outputs: { last: "hello again" },
    });
    place.write("large.ts", `return "x".repeat(100_000);`);
    const large = await place.cli("run", "large.ts");
    expect(large.stdout).toBe(`${"x".repeat(100_000)}\n`);
    place.write("home/drafts/one.ts", "return 1;");
    await place.cli("save", "one", "num:one", "--description", "One.");
    expect(await place.cli("run", "num:one")).toMatchObject({ status: 0, stdout: "1\n" });
    expect((await place.cli("runs", "--limit", "1")).stdout).toMatch(/ capability {2}num:one\n$/);
  });

  it("a call without an answer is shown with its arguments and the three choices, and waits for one", async () => {
    const place = createPlace();
    place.write("notes.ts", `return await mcp.box.add({ text: "a\u202eb" });`);
    const { folder } = place;
    const config = ["--config", join(folder, "servers.json")];
    const crashed = runCli(["run", "notes.ts", ...config], {
      folder,
      env: { REPERTOIRE_CRASH_AT: "step.sent" },
    });
    expect(crashed.status).toBeNull();
    expect(await place.json("runs", "--status", "interrupted")).toMatchObject({ runs: [{ kind: "code" }] });

    const asked = await place.cli("resume", "last");
    expect(asked).toMatchObject({ status: 8, stdout: "" });
    expect(asked.stderr).toContain(`\n    box__add {"text":"a\\u{202e}b"}\n`);
    for (const [label, answer] of [
      ["call again", "retry"],
      ["continue without it", "skip"],
      ["continue with its result", `'{"result": …}'`],
    ] as const) {
      const [id, ...words] = commandIn(asked.stderr, label).slice(1);
      expect([id, words.join(" ")]).toEqual([expect.stringMatching(RUN_ID), `--uncertain ${answer}`]);
    }
    expect((await place.cli("show", "last")).stdout).toMatch(
      /\? box__add .*sent, but no answer was recorded\n/,
    );

    const told = await place.cli("resume", "last", "--uncertain", `{"result": {"mine": true}}`);
    expect(told).toMatchObject({ status: 0, stdout: `{\n  "mine": true\n}\n` });
    expect(place.effects().length).toBeLessThanOrEqual(1);
  });

  it("A5: a call that was skipped is shown as skipped, and the answer warns of it", async () => {
    const place = createPlace();
    place.write("notes.ts", "return await mcp.box.add({ text: 'x' });");
    const { folder } = place;
    const config = ["--config", join(folder, "servers.json")];
    runCli(["run", "notes.ts", ...config], { folder, env: { REPERTOIRE_CRASH_AT: "step.sent" } });
    const skipped = await place.cli("resume", "last", "--uncertain", "skip");
    expect(skipped).toMatchObject({ status: 0, stdout: "null\n" });
    expect(skipped.stderr).toMatch(/warning box__add was skipped by decision of \w+/);
    expect(skipped.stderr).toContain("0 failed, 1 skipped");
    const { runs } = (await place.json("runs")) as { runs: { run_id: string }[] };
    expect((await place.cli("show", runs[0]!.run_id)).stdout).toMatch(/- box__add .*skipped by \w+\n/);
  });
});

describe("signals", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s lets the call under way finish, says how to go on, and exits with %i",
    async (signal, code) => {
      const place = createPlace();
      place.write("flow.json", HELD);
      const running = place.start("run", "flow.json");
      await eventually("the call", () => place.effects().includes("hold x"), PATIENCE_MS);
      running.signal(signal);
      await running.says("Stopping");
      place.mark("go");
      const ended = await running.ended();
      expect(ended).toMatchObject({ code, stdout: "" });
      expect(ended.stderr).toMatch(/\n {2}done +first, middle\n {2}continue with: repertoire resume /);
      expect(await place.cli(...commandIn(ended.stderr, "continue with"))).toMatchObject({
        status: 0,
        stdout: `{\n  "last": "hello again"\n}\n`,
      });
      expect(place.effects()).toEqual(["add hello", "hold x", "add hello again"]);
    },
  );

  it("C10: show has the calls that are under way, also one that only reads, and is not on record yet", async () => {
    const place = createPlace();
    place.write(
      "look.ts",
      `await mcp.box.add({ text: "a" }); return await mcp.box.look({ text: "secret-argument" });`,
    );
    const running = place.start("run", "look.ts");
    const shown = await eventuallyAsync("the call in show", async () => {
      const { stdout } = await place.cli("show", "last");
      return stdout.includes("box__look") && stdout;
    });
    expect(shown).toMatch(/^\S+ {2}running {2}code /);
    expect(shown).toMatch(/\n├─ ✓ box__add .*\n└─ … box__look {2}under way for \S+ (m?s|min .*) at \+/);
    expect(await place.json("show", "last")).toMatchObject({
      steps: [
        { tool: "box__add", status: "succeeded" },
        { tool: "box__look", name: "box__look", status: "under_way", elapsed_ms: null },
      ],
    });
    const [file] = readdirSync(join(place.folder, "home/live"));
    const live = readFileSync(join(place.folder, "home/live", file!), "utf8");
    expect(live).not.toContain("secret-argument");
    place.mark("go");
    expect(await running.ended()).toMatchObject({ code: 0 });
    expect(readdirSync(join(place.folder, "home/live"))).toEqual([]);
    expect((await place.cli("show", "last")).stdout).toMatch(/✓ box__look .* at \+/);
  });

  it("a second one ends at once, and the call is uncertain", async () => {
    const place = createPlace();
    place.write("flow.json", HELD);
    const running = place.start("run", "flow.json");
    await eventually("the call", () => place.effects().includes("hold x"), PATIENCE_MS);
    running.signal("SIGINT");
    await running.says("Stopping");
    running.signal("SIGINT");
    expect(await running.ended()).toMatchObject({ code: 130, stdout: "" });
    expect(await place.cli("resume", "last")).toMatchObject({
      status: 8,
      stderr: expect.stringContaining(`middle: box__hold {"text":"x"}`),
    });
  });
});

describe("runs, show", () => {
  it("list what ran, newest first, and show one as a tree with times", async () => {
    const place = createPlace();
    expect(await place.cli("runs")).toEqual({ status: 0, stdout: "", stderr: "Nothing has run yet.\n" });
    place.write(
      "flow.json",
      flowWith({ type: "code", params: { code: `return await mcp.box.fragile({ text: "x" });` } }),
    );
    place.mark("broken");
    await place.cli("run", "flow.json", "--intent", "Evil \u001b[2J");
    place.unmark("broken");
    await place.cli("resume", "last");

    const { status, stdout } = await place.cli("runs");
    expect(status).toBe(0);
    const id = RUN_ID.source;
    const when = String.raw`\d{4}-\d\d-\d\dT[\d:]{8}Z`;
    const [short, ago] = ["[0-9a-f]{8}", String.raw`(?:just now|\d+ s ago|\d+ min ago)`];
    expect(stdout).toMatch(
      new RegExp(
        String.raw`^RUN +STATUS +STARTED +TOOK +KIND +WHAT\n${short}  succeeded  ${ago} +[\d.]+ m?s +workflow  Evil \\u\{1b\}\[2J\n${short}  failed +${ago} .* \(continued as ${short}\)\n$`,
      ),
    );
    expect((await place.cli("runs", "--time", "iso")).stdout).toMatch(new RegExp(`succeeded +${when} `));
    const listed = (await place.json("runs")) as { runs: { run_id: string; resumed_from?: string }[] };
    expect(listed.runs).toMatchObject([{ status: "succeeded" }, { status: "failed" }]);
    expect(listed.runs[0]!.resumed_from).toBe(listed.runs[1]!.run_id);
    const { folder } = place;
    const coloured = runCli(["runs"], { folder, env: { FORCE_COLOR: "1" } }).stdout;
    expect(coloured).toContain("\u001b[32msucceeded\u001b[39m  ");
    expect(await place.json("runs", "--status", "failed", "--all")).toMatchObject({
      runs: [{ status: "failed" }],
    });

    const shown = (await place.cli("show", "last")).stdout;
    expect(shown).toMatch(new RegExp(String.raw`^${id}  succeeded  workflow  ${ago} \(${when}\)  `));
    expect(shown).toMatch(/\n├─ ✓ first {2}box__add \{"text":"hello"\} {2}from the journal of /);
    expect(shown).toMatch(/\n├─ ✓ middle {2}code .* at \+\d+ ms\n│ {2}└─ code \S+ {2}succeeded {2}\d+ ms\n/);
    expect(shown).toMatch(/\n│ {5}└─ ✓ box__fragile \{"text":"x"\} {2}\d+ ms at \+\d+ ms\n└─ ✓ last /);
    expect(shown).toContain(`\noutputs  {"last":"hello again"}\n`);

    const before = (await place.cli("show", listed.runs[1]!.run_id)).stdout;
    expect(before).toMatch(/\n└─ ✗ middle [^]*it is broken/);
    expect(before).toContain(`next     ${listed.runs[0]!.run_id}`);
    expect(before).not.toContain("continue with");
  });

  it("C7: runs says what ran, and the id that it shows is good for show, resume and approve", async () => {
    const place = createPlace();
    place.write("gated.json", GATED);
    place.write("count.ts", "// Counts the notes.\nreturn (await mcp.box.count({})).count;");
    await place.cli("run", "count.ts");
    await runCliHere(["run", "-", "--config", join(place.folder, "servers.json")], {
      folder: place.folder,
      input: `\n// Says two.\nreturn 2;`,
    });
    await place.cli("run", "gated.json");
    const rows = (await place.cli("runs")).stdout.trim().split("\n").slice(1);
    const [gated, typed, counted] = rows.map((row) => row.slice(0, 8));
    expect(rows[0]).toMatch(/^[0-9a-f]{8} {2}needs approval .* gated\.json$/);
    expect(rows[1]).toMatch(/ code +Says two\.$/);
    expect(rows[2]).toMatch(/ code +count\.ts$/);
    expect((await place.cli("show", counted!)).stdout).toMatch(new RegExp(`^\\S+${counted} {2}succeeded`));
    expect(await place.json("show", typed!)).toMatchObject({ run_id: expect.stringContaining(typed!) });
    expect(await place.cli("approve", gated!, "--yes")).toMatchObject({ status: 0 });
    expect((await place.cli("resume", gated!)).stdout).toContain("hello again");
    const whole = (await place.json("show", gated!)) as { run_id: string };
    const many = await place.cli("show", whole.run_id.slice(0, 4));
    expect(many).toMatchObject({ status: 2, stderr: expect.stringContaining(whole.run_id) });
    expect((await place.cli("show", "ffffffff")).status).toBe(7);
    expect((await place.cli("show", "xyz")).stderr).toContain("at least 4 characters");
  });

  it("show prints one result as JSON, and the whole trace", async () => {
    const place = createPlace();
    place.write(
      "notes.ts",
      `await mcp.box.add({ text: "a" });\nawait mcp.box.add({ text: "b" });\nreturn 3;`,
    );
    await place.cli("run", "notes.ts");
    expect(JSON.parse((await place.cli("show", "last", "--step", "box__add#2")).stdout)).toEqual({
      text: "b",
    });
    expect((await place.cli("show", "last", "--step", "outputs")).stdout).toBe("3\n");
    expect(await place.cli("show", "last", "--step", "box__ad")).toEqual({
      status: 7,
      stdout: "",
      stderr: expect.stringContaining("Did you mean box__add"),
    });
    expect(await place.json("show", "last")).toMatchObject({
      status: "succeeded",
      steps: [{ name: "box__add" }, { name: "box__add#2" }],
    });
  });
});

describe("approve", () => {
  async function pausedPlace(): Promise<Place> {
    const place = createPlace();
    place.write("flow.json", GATED);
    const paused = await place.cli("run", "flow.json");
    expect(paused).toMatchObject({ status: 8, stdout: "" });
    expect(paused.stderr).toMatch(/\npaused \S+\n {2}done +first\n {2}waits +middle: Really \\u\{202e\}\?\n/);
    expect(commandIn(paused.stderr, "decide with")[0]).toBe("approve");
    return place;
  }

  it("shows exactly what is asked, and needs an answer where nobody can be asked", async () => {
    const place = await pausedPlace();
    const refused = await place.cli("approve", "last");
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toContain("waits for an approval:\n  Really \\u{202e}?\n");
    expect(refused.stderr).toContain("give --yes or --deny");
    expect(await place.cli("resume", "last")).toMatchObject({ status: 8 });
    expect(place.effects()).toEqual(["add hello"]);
  });

  it("a yes is recorded, and the run goes on with the command that it says", async () => {
    const place = await pausedPlace();
    const approved = await place.cli("approve", "last", "--yes");
    expect(approved).toMatchObject({ status: 0, stdout: "" });
    expect(await place.cli(...commandIn(approved.stderr, "Continue with"))).toMatchObject({ status: 0 });
    expect(place.effects()).toEqual(["add hello", "add hello again"]);
  });

  it("--resume goes on at once, and stdout is the result of the run alone", async () => {
    const place = await pausedPlace();
    expect(await place.json("approve", "last", "--yes", "--resume")).toMatchObject({
      success: true,
      outputs: { last: "hello again" },
    });
  });

  it("a no ends the run, and nothing of it is done", async () => {
    const place = await pausedPlace();
    expect(await place.json("approve", "last", "--deny")).toEqual({
      run_id: expect.stringMatching(RUN_ID),
      node: "middle",
      question: expect.stringMatching(/^[0-9a-f]{32}$/),
      approved: false,
    });
    expect(await place.json("runs")).toMatchObject({
      runs: [{ status: "failed", error: { reason: "denied" } }],
    });
    expect(await place.cli("approve", "last", "--yes")).toMatchObject({ status: 7 });
    expect(place.effects()).toEqual(["add hello"]);
  });
});
