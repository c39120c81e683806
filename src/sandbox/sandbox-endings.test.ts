import { describe, expect, test } from "vitest";
import { RESULT_BYTES_MAX } from "./runner/limits.ts";
import { createTestSandbox, valueOf, whenAborted } from "./sandbox.testkit.ts";

const { run } = createTestSandbox();

describe("how a run ends", () => {
  test.each([
    ["an Error", "throw new RangeError('far');", { name: "RangeError", message: "far" }],
    ["a text", "throw 'text';", { message: 'The code threw "text"' }],
    ["nothing", "throw undefined;", { message: "The code threw undefined" }],
    ["null", "throw null;", { message: "The code threw null" }],
    ["a plain object", "throw { a: 1 };", { message: '{"a":1}' }],
    [
      "an object whose fields throw",
      "throw { get name() { throw 1; }, get message() { throw 2; } };",
      { message: "A value that cannot be shown was thrown." },
    ],
    ["a function whose text throws", "throw Object.assign(() => 1, { toString() { throw 1; } });", {}],
    [
      "a proxy that throws at everything",
      "throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } });",
      {},
    ],
    ["code that does not parse", "return (;", { name: "SyntaxError" }],
  ])("with %s that is thrown: threw", async (_, code, thrown) => {
    const outcome = await run(code);
    expect(outcome).toMatchObject({ kind: "threw", thrown });
    expect(outcome.unhandled).toEqual([]);
  });

  test("what is thrown is cut to a bounded length", async () => {
    const outcome = await run(
      "throw Object.assign(new Error('m'.repeat(1e5)), { name: 'n'.repeat(1e5), stack: 's'.repeat(1e5) });",
    );
    expect(outcome).toMatchObject({
      thrown: { name: "n".repeat(80), message: "m".repeat(4096), stack: "s".repeat(8192) },
    });
  });

  test("with a wait for something that nothing will bring about: stuck, and at once", async () => {
    expect(await run("await new Promise(() => {});")).toMatchObject({ kind: "stuck" });
  });

  test.each([
    ["just under", -1, "returned"],
    ["at", 0, "returned"],
    ["just over", 1, "result_limit"],
  ])("with a result %s the limit: %s", async (_, excess, kind) => {
    const outcome = await run(`return "x".repeat(${RESULT_BYTES_MAX - 2 + excess});`);
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === "result_limit") expect(outcome.bytes).toBe(RESULT_BYTES_MAX + 1);
  });

  test("the result is measured in bytes", async () => {
    const outcome = await run(`return "€".repeat(${RESULT_BYTES_MAX / 2});`);
    expect(outcome).toMatchObject({ kind: "result_limit", bytes: (RESULT_BYTES_MAX / 2) * 3 + 2 });
  });

  test.each([
    ["64 levels", "let a = 0; for (let i = 0; i < 64; i++) a = [a]; return a;", "returned"],
    [
      "65 levels",
      "let a = 0; for (let i = 0; i < 65; i++) a = [a]; return a;",
      "JSON nests deeper than 64 levels",
    ],
  ])("with a result of %s: %s", async (_, code, words) => {
    const outcome = await run(code);
    if (words === "returned") expect(outcome.kind).toBe("returned");
    else
      expect(outcome).toMatchObject({ kind: "threw", thrown: { message: expect.stringContaining(words) } });
  });

  test("with memory below the limit it returns; beyond: memory", async () => {
    expect((await run("return new Uint8Array(48 * 1024 * 1024).length;")).kind).toBe("returned");
    expect((await run("return new Uint8Array(65 * 1024 * 1024).length;")).kind).toBe("memory");
    expect((await run("const list = []; for (;;) list.push(new Uint8Array(1e6));")).kind).toBe("memory");
  });

  test("code may catch that memory is short, and return", async () => {
    const code = "try { new Uint8Array(65 * 1024 * 1024); } catch (error) { return error.message; }";
    expect(valueOf(await run(code))).toBe("out of memory");
  });

  test("a result that is too large to be told is not taken for a wait", async () => {
    for (const count of [8e6, 10e6]) {
      const outcome = await run(`return "€".repeat(${count});`);
      expect(["memory", "result_limit"]).toContain(outcome.kind);
    }
  });

  test("with a signal: cancelled, and calls under way are cancelled too", async () => {
    const stop = new AbortController();
    const signals: AbortSignal[] = [];
    const outcome = await run("await mcp.slow.wait({});", {
      signal: stop.signal,
      call: (_index, _args, signal) => {
        signals.push(signal);
        stop.abort();
        return whenAborted(signal);
      },
    });
    expect(outcome.kind).toBe("cancelled");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("with a signal in a busy loop: cancelled long before its time", async () => {
    const stop = new AbortController();
    const outcome = await run(`console.log("here"); while (true) {}`, {
      signal: stop.signal,
      onLog: () => stop.abort(),
    });
    expect(outcome.kind).toBe("cancelled");
  });

  test("with a signal that came before: cancelled, and nothing has run", async () => {
    let isHeard = false;
    const outcome = await run(`console.log("here");`, {
      signal: AbortSignal.abort(),
      onLog: () => (isHeard = true),
    });
    expect([outcome.kind, isHeard]).toEqual(["cancelled", false]);
  });

  test("a signal that comes when the code has returned cancels what is still under way", async () => {
    const stop = new AbortController();
    const outcome = await run(`mcp.slow.wait({}); console.log("returns"); return 1;`, {
      signal: stop.signal,
      onLog: () => setTimeout(() => stop.abort(), 100),
    });
    expect(["returned", "cancelled"]).toContain(outcome.kind);
  });
});
