import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { launch } from "../../process/launch.ts";
import { createContext, createFolder, createNode, CLOSED } from "../nodes.testkit.ts";
import { createShell, type StartProcess } from "./shell.ts";

const times = { graceMs: 100, drainMs: 100 };

function createOpen(start?: StartProcess, roots: readonly string[] = []) {
  const policy = { ...CLOSED, allowShell: true, fileRoots: roots };
  const environment = {
    PATH: process.env["PATH"],
    HOME: "/home/me",
    GATEWAY_TOKEN: "canary",
    LD_PRELOAD: "x",
  };
  const shell = createShell({
    policy: () => policy,
    environment,
    times,
    ...(start === undefined ? {} : { start }),
  });
  return (params: JsonObject, more = {}) => shell.call(params, createContext(more));
}

test("is off unless the config allows it, and names the setting", async () => {
  const result = await createNode("shell", {}).call({ command: "echo x" }, createContext());
  expect(result).toMatchObject({ success: false, error: { code: "SECURITY_ERROR" } });
  expect(JSON.stringify(result)).toContain("workflows.allowShell");
});

describe.each([
  ["plainly", undefined],
  ["under the watcher of the gateway", launch],
])("a command that is started %s", (_, start) => {
  const run = createOpen(start);

  test("returns its exit code and both outputs", async () => {
    expect(await run({ command: "echo out; echo err >&2" })).toEqual({
      success: true,
      data: { exit_code: 0, stdout: "out\n", stderr: "err\n" },
    });
  });

  test("T036: takes args verbatim, as $1 and on", async () => {
    const args = ["$(id)", "`id`", "a b", "'\"; exit 3", "--", "*", "line\nbreak", ""];
    const result = await run({ command: `for a in "$@"; do printf '<%s>' "$a"; done`, args });
    expect(result).toMatchObject({ success: true, data: { stdout: args.map((arg) => `<${arg}>`).join("") } });
  });

  test("has its own variables and few of the gateway's", async () => {
    const result = await run({ command: "env", env: { MINE: "1", HOME: "/elsewhere" } });
    const { stdout } = (result.success ? result.data : {}) as { stdout: string };
    const names = stdout
      .trim()
      .split("\n")
      .map((line) => line.replace(/=.*/, ""));
    // What a shell sets itself.
    const others = names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name));
    expect(new Set(others)).toEqual(new Set(["HOME", "MINE", "PATH"]));
    expect(stdout).toContain("HOME=/elsewhere\n");
    expect(stdout).not.toContain("canary");
  });

  test("reads stdin, or finds it at its end", async () => {
    expect(await run({ command: "cat", stdin: "ä\n" })).toMatchObject({
      success: true,
      data: { stdout: "ä\n" },
    });
    expect(await run({ command: "cat" })).toMatchObject({ success: true, data: { stdout: "" } });
    const unread = await run({ command: "exec 0<&-; echo done", stdin: "x".repeat(1_000_000) });
    expect(unread).toMatchObject({ success: true, data: { stdout: "done\n" } });
  });

  test("fails with what it wrote when its exit code is not 0", async () => {
    const command = "echo 'no such thing' >&2; exit 3";
    const result = await run({ command });
    expect(result).toMatchObject({
      success: false,
      error: { code: "TOOL_EXECUTION_FAILED", reason: "exit_3" },
    });
    expect(!result.success && result.error.message).toContain("no such thing");
    const taken = await run({ command, fail_on_exit: false });
    expect(taken).toMatchObject({ success: true, data: { exit_code: 3 } });
  });

  test("that a signal ends counts as 128 and its number", async () => {
    const killed = await run({ command: "kill -9 $$", fail_on_exit: false });
    expect(killed).toMatchObject({ success: true, data: { exit_code: 137 } });
  });

  test.each([
    [5, "xxxxx", undefined],
    [4, "xxxx", true],
  ])("keeps %i bytes of its output", async (max, stdout, truncated) => {
    const result = await run({ command: "printf xxxxx", max_bytes: max });
    expect(result).toMatchObject({ success: true, data: { stdout } });
    expect(result.success && (result.data as JsonObject)["truncated"]).toBe(truncated);
  });

  test("is ended when it floods", async () => {
    const result = await run({ command: "yes", timeout_ms: 60_000 });
    expect(result).toMatchObject({ success: false, error: { retryable: false, mayHaveHappened: true } });
  });

  test("does not wait for what it left in the background, and ends it", async () => {
    const pipe = createPipe();
    const command = `exec 9>"$1"; (trap '' TERM; while :; do sleep 1; done) & echo started`;
    const result = await run({ command, args: [pipe.path] });
    expect(result).toMatchObject({ success: true, data: { stdout: "started\n" } });
    await pipe.closed;
  });

  test.each([
    ["a time limit", 2000, false, "TOOL_TIMEOUT"],
    ["a cancellation", 60_000, true, "CANCELLED"],
  ])("that ignores SIGTERM, like its child, is ended by %s", async (_name, timeoutMs, cancels, code) => {
    const pipe = createPipe();
    const controller = new AbortController();
    const command = `trap '' TERM; exec 9>"$1"; echo ready >&9; (while :; do sleep 1; done) & wait`;
    const params = { command, args: [pipe.path], timeout_ms: timeoutMs };
    const call = run(params, { signal: controller.signal });
    await pipe.opened;
    if (cancels) controller.abort();
    expect(await call).toMatchObject({
      success: false,
      error: { code, retryable: false, mayHaveHappened: true },
    });
    await pipe.closed;
  });

  test("may end in its own way after SIGTERM", async () => {
    const pipe = createPipe();
    const controller = new AbortController();
    const command = `exec 9>"$1"; trap 'echo tidied >&9; exit' TERM; echo ready >&9; while :; do sleep 0.01; done`;
    const call = run({ command, args: [pipe.path] }, { signal: controller.signal });
    await pipe.opened;
    controller.abort();
    expect(await call).toMatchObject({ success: false, error: { code: "CANCELLED" } });
    await pipe.closed;
    expect(pipe.text()).toBe("ready\ntidied\n");
  });

  test("is not started after the deadline", async () => {
    const result = await run({ command: "echo x" }, { deadlineAt: performance.now() - 1 });
    expect(result).toMatchObject({ success: false, error: { code: "TOOL_TIMEOUT" } });
    expect(!result.success && result.error.mayHaveHappened).toBe(undefined);
  });
});

/** A named pipe: `closed` settles when the last process that holds its writing end is gone. */
function createPipe() {
  const path = join(createFolder(), "pipe");
  execFileSync("/usr/bin/mkfifo", [path]);
  const reader = spawn("cat", [path], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void reader.kill("SIGKILL"));
  let text = "";
  reader.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  return { path, opened: once(reader.stdout, "data"), closed: once(reader, "close"), text: () => text };
}

test("under the watcher, a command ends with a gateway that is killed", async () => {
  const pipe = createPipe();
  const program = `
    import { createShell } from ${JSON.stringify(join(import.meta.dirname, "shell.ts"))};
    import { launch } from ${JSON.stringify(join(import.meta.dirname, "../../process/launch.ts"))};
    const policy = () => ({ allowShell: true, allowPrivateHttp: false, fileRoots: [] });
    const command = 'exec 9>"$1"; echo ready >&9; while :; do sleep 1; done';
    const context = { traceId: "t", signal: new AbortController().signal };
    await createShell({ policy, start: launch }).call({ command, args: [process.argv[1]] }, context);`;
  const gateway = spawn(process.execPath, ["--input-type=module", "-e", program, pipe.path], {
    stdio: "inherit",
  });
  await pipe.opened;
  gateway.kill("SIGKILL");
  await pipe.closed;
  expect(pipe.text()).toBe("ready\n");
});

describe("the folder of a command", () => {
  const pwd = async (roots: readonly string[], params: JsonObject = {}) =>
    createOpen(undefined, roots)({ command: "pwd -P", ...params });

  test("is the first root, one inside a root, or the system's for temporary files", async () => {
    const root = createFolder();
    mkdirSync(join(root, "sub"));
    expect(await pwd([root])).toMatchObject({ data: { stdout: `${root}\n` } });
    expect(await pwd([root], { cwd: "sub" })).toMatchObject({ data: { stdout: `${root}/sub\n` } });
    expect(await pwd([])).toMatchObject({ data: { stdout: `${realpathSync(tmpdir())}\n` } });
  });

  test.each(["..", "/", "missing", "a\0b"])("is not %j", async (cwd) => {
    expect(await pwd([createFolder()], { cwd })).toMatchObject({ success: false });
  });

  test("is not a root that does not exist, and not a file", async () => {
    const root = createFolder();
    writeFileSync(join(root, "file"), "");
    expect(await pwd([join(root, "missing")])).toMatchObject({ success: false });
    expect(await pwd([root], { cwd: "file" })).toMatchObject({ success: false });
  });
});

test.each<JsonObject>([
  { command: "echo a\0b" },
  { command: "x", args: ["\0"] },
  { command: "x", env: { A: "\0" } },
  { command: "x", env: { "A=B": "c" } },
  { command: "x", env: { "": "c" } },
  { command: "x", env: { "a-b": "c" } },
])("%j is refused", async (params) => {
  const result = await createOpen()(params);
  expect(result).toMatchObject({ success: false, error: { code: "TOOL_INVALID_INPUT" } });
});

test("arguments that the system finds too long are a failure with the way round it", async () => {
  const result = await createOpen()({ command: ":", args: ["x".repeat(4_000_000)] });
  expect(result).toMatchObject({ success: false, error: { code: "TOOL_EXECUTION_FAILED" } });
  expect(!result.success && result.error.hint).toContain("stdin");
});

test("takes the command as it is written, and is never repeatable", () => {
  const shell = createNode("shell", {});
  expect(shell.rawParams).toEqual(["command"]);
  expect(shell.isRepeatable({ command: "true" })).toBe(false);
});
