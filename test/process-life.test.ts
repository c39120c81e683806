/** How a server's process begins and ends, with real processes. */
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstResult, groupIsGone, startCommand, startScripted } from "./fixtures/process-group.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping", params: {} } as const;

describe("T071 a process that ends at once", () => {
  it.each([0, 1, 127])("reports exit code %i", async (code) => {
    const started = startScripted(["exit", String(code)]);
    const expected = code === 127 ? { kind: "not_started" } : { kind: "exited", code };
    expect(await started.server.exit).toMatchObject(expected);
    await started.closed;
    expect(started.closeCount()).toBe(1);
    await groupIsGone(started.server.pid!);
  });

  it("reports the signal that ended it", async () => {
    expect(await startScripted(["signal", "SIGTERM"]).server.exit).toEqual({
      kind: "signalled",
      signal: "SIGTERM",
    });
  });

  it("does not take 127 for a failed start after the server has spoken", async () => {
    const args = ["-c", `echo '{"jsonrpc":"2.0","id":1,"result":1}'; exit 127`];
    expect(await startCommand({ command: "sh", args, env: {} }).server.exit).toEqual({
      kind: "exited",
      code: 127,
    });
  });

  it("has the last lines of stderr when it reports the end", async () => {
    const args = ["-c", "for i in $(seq 1 50); do echo line $i >&2; done; exit 1"];
    const { server } = startCommand({ command: "sh", args, env: {} });
    expect(await server.exit).toEqual({ kind: "exited", code: 1 });
    expect(server.stderrTail()).toEqual(Array.from({ length: 20 }, (_, index) => `line ${31 + index}`));
    expect(server.stderrTail(1)).toEqual(["line 50"]);
  });
});

describe("T071 a process that cannot start", () => {
  async function reasonOf(options: Parameters<typeof startCommand>[0]): Promise<string> {
    const started = startCommand(options);
    const exit = await started.server.exit;
    await started.closed;
    expect(started.closeCount()).toBe(1);
    await expect(started.server.start()).rejects.toMatchObject({ code: "PROCESS_NOT_STARTED" });
    await expect(started.server.send(ping)).rejects.toMatchObject({ code: "PROCESS_NOT_STARTED" });
    await started.server.close();
    expect(started.closeCount()).toBe(1);
    expect(started.server.pid).toBeUndefined();
    return exit.kind === "not_started" ? exit.reason : exit.kind;
  }

  it("says that the command is not found", async () => {
    expect(await reasonOf({ command: "no-such-command-here", args: [], env: {} })).toContain("ENOENT");
  });

  it("says that the file is not executable", async () => {
    const file = join(temporaryFolder(), "plain");
    writeFileSync(file, "#!/bin/sh\n", { mode: 0o644 });
    expect(await reasonOf({ command: file, args: [], env: {} })).toContain("EACCES");
  });

  it("says that the working folder is not there", async () => {
    expect(await reasonOf({ command: "sh", args: [], env: {}, cwd: "/no/such/folder" })).toContain(
      "/no/such/folder",
    );
  });

  it("refuses a NUL in an argument and a variable that a shell would drop", async () => {
    expect(await reasonOf({ command: "sh", args: ["a\0b"], env: {} })).toContain("null bytes");
    expect(await reasonOf({ command: "sh", args: [], env: { "a.b": "1" } })).toContain('"a.b"');
  });

  it("refuses arguments that are too long for the system", async () => {
    expect(await reasonOf({ command: "sh", args: ["x".repeat(8_000_000)], env: {} })).toContain("E2BIG");
  });

  it("notices late that the interpreter of a script is missing", async () => {
    const file = join(temporaryFolder(), "script");
    writeFileSync(file, "#!/no/such/interpreter\n");
    chmodSync(file, 0o755);
    const exit = await startCommand({ command: file, args: [], env: {} }).server.exit;
    expect(exit).toMatchObject({ kind: "not_started" });
  });
});

describe("the end of a running process", () => {
  it("T075 tells of a SIGKILL", async () => {
    const started = startScripted(["echo"]);
    await started.server.send(ping);
    await firstResult(started);
    process.kill(started.server.pid!, "SIGKILL");
    await started.closed;
    expect(await started.server.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
    await expect(started.server.send(ping)).rejects.toMatchObject({ code: "PROCESS_CLOSED" });
    await expect(started.server.start()).rejects.toMatchObject({ code: "PROCESS_CLOSED" });
    await groupIsGone(started.server.pid!);
  });

  it("delivers everything that was in the pipe when it ended", async () => {
    const started = startScripted(["burst", "1000"]);
    await started.closed;
    expect(started.messages.map((message) => message["id"])).toEqual(
      Array.from({ length: 1000 }, (_, id) => id),
    );
  });

  it("answers as long as it lives: the n-th answer is the last", async () => {
    const started = startScripted(["echo-times", "3"]);
    for (let id = 0; id < 3; id += 1) await started.server.send({ ...ping, id });
    expect(await started.server.exit).toEqual({ kind: "exited", code: 0 });
    expect(started.messages.length).toBe(3);
  });

  it("kills what it leaves behind, and does not wait for a child that holds its pipes", async () => {
    const started = startScripted(["abandon"]);
    expect(await started.server.exit).toEqual({ kind: "exited", code: 3 });
    expect(started.messages.length).toBeGreaterThan(0);
    await groupIsGone(started.server.pid!);
  });

  it("closes although a process that left the group holds the pipe", async () => {
    const escape = `import { spawn } from "node:child_process";
      const child = spawn("sleep", ["600"], { detached: true, stdio: "inherit" });
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: 1, result: child.pid }) + "\\n", () => process.exit(0));`;
    const args = ["--input-type=module", "-e", escape];
    const started = startCommand({ command: process.execPath, args, env: {} });
    const escaped = Number(await firstResult(started));
    try {
      expect(await started.server.exit).toEqual({ kind: "exited", code: 0 });
    } finally {
      process.kill(escaped, "SIGKILL");
    }
  });
});

describe("close", () => {
  it("ends a server by the end of its stdin", async () => {
    const started = startScripted(["echo"]);
    await started.server.send(ping);
    await firstResult(started);
    await Promise.all([started.server.close(), started.server.close()]);
    expect(await started.server.exit).toEqual({ kind: "exited", code: 0 });
    await started.server.close();
    expect(started.closeCount()).toBe(1);
    await groupIsGone(started.server.pid!);
  });

  it("sends SIGTERM to one that does not care", async () => {
    const started = startScripted(["no-reader"], { graceMs: 50 });
    await firstResult(started);
    await started.server.close();
    expect(await started.server.exit).toEqual({ kind: "signalled", signal: "SIGTERM" });
  });

  it("T077 reaches the grandchildren", async () => {
    const started = startScripted(["wrapper"], { graceMs: 200 });
    await eventually("both processes", () => started.messages.length === 2);
    await started.server.close();
    await groupIsGone(started.server.pid!);
  });

  it("T078 stops 20 that ignore everything, side by side", async () => {
    const script = `trap '' TERM HUP INT; echo '{"jsonrpc":"2.0","id":1,"result":1}'; while :; do sleep 600; done`;
    const all = Array.from({ length: 20 }, () =>
      startCommand({ command: "sh", args: ["-c", script], env: {} }),
    );
    await Promise.all(all.map(firstResult));
    await Promise.all(all.map(({ server }) => server.close()));
    expect(all.map((started) => started.closeCount())).toEqual(all.map(() => 1));
    for (const { server } of all) {
      expect(await server.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
      await groupIsGone(server.pid!);
    }
  });
});
