/** What goes through the pipes of a server's process: arguments, environment, messages, stderr. */
import { realpathSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { JsonRpcMessage } from "../src/upstream/transport/transport.ts";
import { firstResult, startCommand, startScripted } from "./fixtures/process-group.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { expectNoStall } from "./rig/loop-lag.ts";

const request = (id: number, params: unknown): JsonRpcMessage => ({
  jsonrpc: "2.0",
  id,
  method: "echo",
  params,
});

const SHELL_CHARS = "$`\"'\\(){}[]<>|&;*?~#!=%^ \n\t\r-".split("");

describe("T036 the command line", () => {
  it("arrives verbatim, whatever a shell would make of it", async () => {
    const args = [
      "$(id)",
      "`id`",
      "a b",
      '"',
      "'",
      "\\",
      "a\nb",
      "",
      "*",
      "~",
      "$HOME",
      ";exit",
      "-e",
      "--",
      "#",
      "&",
      "ä😀",
    ];
    expect(await firstResult(startScripted(["argv", ...args]))).toEqual(args);
  });

  it("arrives verbatim for random arguments", async () => {
    const arg = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: fc.constantFrom(...SHELL_CHARS) }),
    );
    const args = fc.array(
      arg.filter((text) => !text.includes("\0") && text.isWellFormed()),
      { minLength: 200, maxLength: 400 },
    );
    const property = fc.asyncProperty(args, async (list) => {
      const started = startScripted(["argv", ...list]);
      expect(await firstResult(started)).toEqual(list);
      await started.server.exit;
    });
    await fc.assert(property, { numRuns: 10, endOnFailure: true });
  });

  it("runs the program itself: its pid is the server's, and no lifeline is open in it", async () => {
    const script = `const fs = require("node:fs");
      const isOpen = (fd) => { try { fs.fstatSync(fd); return true; } catch { return false; } };
      console.log(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { pid: process.pid, lifeline: isOpen(3) && fs.fstatSync(3).isSocket() } }))`;
    const started = startCommand({
      command: "sh",
      args: ["-c", 'exec "$0" -e "$1"', process.execPath, script],
      env: {},
    });
    expect(await firstResult(started)).toEqual({ pid: started.server.pid, lifeline: false });
  });
});

describe("the environment", () => {
  it("has the server's own variables and the folder, and none of the gateway's secrets", async () => {
    vi.stubEnv("REPERTOIRE_CANARY", "canary-5b1f");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "canary-5b1f");
    vi.stubEnv("NODE_OPTIONS", "--title=canary-5b1f");
    const cwd = temporaryFolder();
    const started = startScripted(["env"], { env: { OWN: "a\n$b" }, cwd });
    vi.unstubAllEnvs();
    const result = (await firstResult(started)) as { env: Record<string, string>; cwd: string };
    expect(result.env).toMatchObject({ OWN: "a\n$b", PATH: process.env["PATH"] });
    expect(JSON.stringify(result)).not.toContain("canary-5b1f");
    expect(result.cwd).toBe(realpathSync(cwd));
  });
});

describe("messages", () => {
  it("T080 go there and back whole and in order, small and large", async () => {
    const started = startScripted(["echo"]);
    const texts = Array.from({ length: 200 }, (_, index) => "ä€😀\n\u2028".repeat(index ** 2 % 5_000));
    await Promise.all(texts.map((text, id) => started.server.send(request(id, { text }))));
    await eventually("all answers", () => started.messages.length === texts.length);
    expect(started.messages).toEqual(texts.map((text, id) => ({ jsonrpc: "2.0", id, result: { text } })));
  });

  it("T081 come through noise, which is counted", async () => {
    const started = startScripted(["noisy"], { lineBytesMax: 4_000 });
    const codes: unknown[] = [];
    started.server.onerror = (error) => void codes.push("code" in error && error.code);
    await eventually("the last message", () => started.messages.length === 2);
    expect(started.messages.map((message) => message["result"])).toEqual(["after BOM", "end"]);
    expect(started.server.counts()).toEqual({ noise: 5, oversize: 1 });
    expect(codes).toEqual(["PROCESS_LINE_TOO_LONG"]);
  });

  it("go on after a receiver has thrown", async () => {
    const started = startScripted(["echo"]);
    const errors: Error[] = [];
    started.server.onerror = (error) => void errors.push(error);
    const keep = started.server.onmessage!;
    started.server.onmessage = (message) => {
      keep(message);
      throw new Error("receiver");
    };
    for (const id of [1, 2]) await started.server.send(request(id, {}));
    await eventually("both answers", () => started.messages.length === 2);
    expect(errors.map((error) => (error.cause as Error).message)).toEqual(["receiver", "receiver"]);
  });

  it("are refused when the server has closed its stdin", async () => {
    const script = `exec 0<&-; echo '{"jsonrpc":"2.0","id":1,"result":1}'; exec sleep 600`;
    const started = startCommand({ command: "sh", args: ["-c", script], env: {} });
    await firstResult(started);
    const failures: unknown[] = [];
    await eventually("a refused send", () => {
      started.server.send(request(1, {})).catch((error: unknown) => failures.push(error));
      return failures.length > 0;
    });
    expect(failures[0]).toMatchObject({ code: "PROCESS_CLOSED" });
  });
});

describe("a server that does not read", () => {
  it(
    "T083 gets 50 MB: what waits is bounded, and the rest is refused in time",
    { timeout: 60_000 },
    async () => {
      const started = startScripted(["no-reader"], { sendTimeoutMs: 500, graceMs: 100 });
      await firstResult(started);
      const params = { text: "x".repeat(1_000_000) };
      const before = process.memoryUsage().rss;
      const sends = await Promise.allSettled(
        Array.from({ length: 50 }, (_, id) => started.server.send(request(id, params))),
      );
      const refused = sends.filter((send) => send.status === "rejected");
      expect(sends.length - refused.length).toBeLessThanOrEqual(10);
      expect(refused.every((send) => send.reason.code === "PROCESS_BLOCKED")).toBe(true);
      expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024);
      await started.server.close();
    },
  );

  it("can be closed while sends wait", async () => {
    const started = startScripted(["no-reader"], { queueBytesMax: 100_000, graceMs: 50 });
    await firstResult(started);
    const params = { text: "x".repeat(1_000_000) };
    const sends = Promise.allSettled([1, 2, 3].map((id) => started.server.send(request(id, params))));
    await started.server.close();
    expect((await sends).at(-1)).toMatchObject({ status: "rejected", reason: { code: "PROCESS_CLOSED" } });
  });
});

describe("stderr", () => {
  it(
    "T082 is drained: 100 MB neither block the server nor stay in memory nor stall the loop",
    { timeout: 60_000 },
    async () => {
      const before = process.memoryUsage().rss;
      expectNoStall();
      const started = startScripted(["stderr-flood", "100"]);
      await eventually("the end of the flood", () => started.messages.length === 1, 50_000);
      await eventually("the last line", () => started.server.stderrTail(1)[0] === "last line");
      expect(started.server.stderrTail()[0]).toBe("e".repeat(79));
      expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
    },
  );
});
