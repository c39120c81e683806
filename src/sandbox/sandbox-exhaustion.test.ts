/** Attacks on time, memory and depth, by their numbers. */
import { describe, expect, onTestFinished, test } from "vitest";
import { expectNoStall, STALL_MS_MAX, watchLoopLag } from "../../test/rig/loop-lag.ts";
import { createAttackedSandbox, returned, valueOf, WALL_TOLERANCE_MS } from "./sandbox.testkit.ts";
import type { CallReply } from "./sandbox.ts";

const { run, seen, timed, grownMb } = createAttackedSandbox();

describe("T008 what does not stop is stopped on time, and this process does not notice", () => {
  test.each([
    ["an endless loop", "while (true) {}"],
    ["native code that only SIGKILL ends", "return new Array(1e9) + '';"],
    ["a catastrophe of a pattern", `return /(a+)+$/.test("a".repeat(50) + "b");`],
    ["a loop that catches everything", "for (;;) { try { for (;;) {} } catch {} finally { continue; } }"],
    ["an endless sort", "[1, 2].sort(() => { for (;;); });"],
    ["an endless getter in a thrown value", "throw { get message() { for (;;); } };"],
    ["a wait for a tool that does not answer", "await mcp.slow.wait({});"],
  ])("T008 %s", async (_, code) => {
    expectNoStall();
    const { outcome, tookMs } = await timed(code, 400);
    expect(outcome.kind).toBe("timeout");
    expect(Math.abs(tookMs - 400)).toBeLessThanOrEqual(WALL_TOLERANCE_MS);
  });
});

describe("T011 depth ends in a RangeError of the guest's", () => {
  const RANGE_ERROR = "RangeError: Maximum call stack size exceeded";

  test.each([
    ["recursion", "function f() { return f() + 1; } return f();"],
    ["JSON.parse", `return JSON.parse("[".repeat(200_000));`],
    ["a recursive getter", "const o = { get a() { return this.a; } }; return o.a;"],
    ["a recursive proxy", "const p = new Proxy({}, { get: (_, k) => p[k] }); return p.a;"],
    ["a recursive toString", "const a = { toString: () => `${a}` }; return `${a}`;"],
  ])("T011 %s", async (_, code) => {
    expect(await seen(code)).toBe(RANGE_ERROR);
  });

  test("T011 which the guest can catch, and go on", async () => {
    expect(
      await seen("function f() { return f() + 1; } try { f(); } catch (error) { return error.name; }"),
    ).toBe("RangeError");
  });

  test.each([1000, 200_000])("T011 a result of %i levels is refused and breaks nothing", async (depth) => {
    const outcome = await run(`let a = []; for (let i = 0; i < ${depth}; i++) a = [a]; return a;`, {
      timeoutMs: 500,
    });
    expect(["threw", "timeout"]).toContain(outcome.kind);
  });

  test.each([
    "eval('('.repeat(1e5) + 1 + ')'.repeat(1e5))",
    "eval('['.repeat(1e5) + ']'.repeat(1e5))",
    "new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5))",
  ])("T011 %s ends in an error of the guest's, or of its engine", async (expression) => {
    const outcome = await run(`return ${expression};`);
    expect(["threw", "crashed"]).toContain(outcome.kind);
  });
});

describe("T012 a storm of jobs ends on time", () => {
  test.each([
    ["while the code waits", "function g() { Promise.resolve().then(g); } g(); await new Promise(() => {});"],
    ["of async functions", "const g = async () => { for (;;) await null; }; await g();"],
  ])("T012 %s", async (_, code) => {
    expectNoStall();
    const { outcome, tookMs } = await timed(code, 400);
    expect(outcome.kind).toBe("timeout");
    expect(Math.abs(tookMs - 400)).toBeLessThanOrEqual(WALL_TOLERANCE_MS);
  });

  test("T012 after the return", async () => {
    const { outcome, tookMs } = await timed(
      "function g() { Promise.resolve().then(g); } g(); return 1;",
      400,
    );
    expect(["returned", "timeout"]).toContain(outcome.kind);
    expect(tookMs).toBeLessThanOrEqual(400 + WALL_TOLERANCE_MS);
  });

  test("T012 a million promises that never settle", async () => {
    const { outcome, tookMs } = await timed(
      "const all = []; for (let i = 0; i < 1e6; i++) all.push(new Promise(() => {})); await all[0];",
      500,
    );
    expect(["timeout", "memory", "stuck"]).toContain(outcome.kind);
    expect(tookMs).toBeLessThanOrEqual(500 + WALL_TOLERANCE_MS);
  });
});

describe("T015 ten thousand calls at once", () => {
  test("T015 are made 16 at a time and 200 in all; the rest fail with their reason", async () => {
    expectNoStall();
    let [mostUnderWay, madeCount] = [0, 0];
    const underWay: (() => void)[] = [];
    const answerAll = () => {
      for (const answer of underWay.splice(0)) answer();
    };
    const outcome = await run(
      `const all = await Promise.allSettled(Array.from({ length: 10_000 }, (_, i) => mcp.math.sum({ i })));
       const bad = all.filter(({ status }) => status === "rejected").map(({ reason }) => reason);
       return { good: all.length - bad.length, reasons: [...new Set(bad.map(({ name, code, reason, message }) => [name, code, reason, message].join("; ")))] };`,
      {
        // Answers come only when as many wait as ever may, and once more at the end.
        call: () => {
          const { promise, resolve } = Promise.withResolvers<CallReply>();
          underWay.push(() => resolve(returned(1)));
          mostUnderWay = Math.max(mostUnderWay, underWay.length);
          if (++madeCount === 200 || underWay.length >= 16) setImmediate(answerAll);
          return promise;
        },
      },
    );
    expect(valueOf(outcome)).toEqual({
      good: 200,
      reasons: [
        "ToolError; RATE_LIMITED; call_limit; call_limit: a run may make 200 tool calls, and this one has.",
      ],
    });
    expect([mostUnderWay, madeCount, outcome.callsDropped]).toEqual([16, 200, 0]);
  });

  test("T015 do not pile up their answers here while the guest does not read", async () => {
    const answer = "x".repeat(4_000_000);
    const before = process.memoryUsage().rss;
    let most = 0;
    const outcome = await run("for (let i = 0; i < 200; i++) mcp.math.sum({}); for (;;);", {
      timeoutMs: 1000,
      call: () => {
        most = Math.max(most, process.memoryUsage().rss);
        return Promise.resolve(returned(answer));
      },
    });
    expect(outcome.kind).toBe("timeout");
    expect((Math.max(most, process.memoryUsage().rss) - before) / 2 ** 20).toBeLessThan(250);
  });
});

describe("T016 what is too large", () => {
  test.each([
    ["a result of 100 MB", `return "x".repeat(100e6);`, "memory"],
    ["a result of 20 MB", `return "x".repeat(20e6);`, "result_limit"],
    ["a line of 100 MB", `console.log("x".repeat(100e6));`, "memory"],
    [
      "a text that grows in a native function (S18)",
      `return "é".repeat(8e6).normalize("NFD").length;`,
      "memory",
    ],
  ])("T016 %s: %s", async (_, code, kind) => {
    expect((await run(code)).kind).toBe(kind);
  });

  test("T016 a console of 100 MB is cut, counted and marked", async () => {
    expectNoStall();
    const outcome = await run(
      `const line = "x".repeat(1e6); for (let i = 0; i < 100; i++) console.log(line); return 1;`,
      { timeoutMs: 20_000 },
    );
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.logs).toEqual([{ level: "info", message: "x".repeat(262_144), truncatedFrom: 1e6 }]);
    expect(outcome.consoleDropped).toEqual({ lines: 99, bytes: 100e6 - 262_144 });
  });
});

describe("T017 a result that fights back", () => {
  test.each([
    ["toJSON throws", "{ toJSON() { throw new TypeError('mine'); } }", "TypeError: mine"],
    ["a getter throws", "{ get a() { throw new TypeError('mine'); } }", "TypeError: mine"],
    ["a proxy throws", "new Proxy({}, { ownKeys() { throw new TypeError('mine'); } })", "TypeError: mine"],
  ])("T017 %s: the run threw it", async (_, expression, told) => {
    expect(await seen(`return ${expression};`)).toBe(told);
  });

  test.each([
    ["toJSON loops", "{ toJSON() { for (;;); } }"],
    ["a getter loops", "{ get a() { for (;;); } }"],
    ["toJSON returns what has a toJSON", "(function make() { return { toJSON: () => ({ a: make() }) }; })()"],
    ["an iterator never ends", "Object.assign(new Set(), { *[Symbol.iterator]() { for (;;) yield; } })"],
  ])("T017 %s: it ends on time", async (_, expression) => {
    const { outcome, tookMs } = await timed(`return ${expression};`, 400);
    expect(["timeout", "memory"]).toContain(outcome.kind);
    expect(tookMs).toBeLessThanOrEqual(400 + WALL_TOLERANCE_MS);
  });
});

describe("processes", () => {
  test("T008 thirty hostile runs at once do not hold up this process, nor the runs that wait for them", async () => {
    const lag = watchLoopLag();
    onTestFinished(() => lag.stop());
    const attacks = [
      "while (true) {}",
      "return new Array(1e9) + '';",
      "const a = []; for (;;) a.push(new Uint8Array(1e6));",
      `for (;;) console.log("x".repeat(1e4));`,
      "function g() { Promise.resolve().then(g); } g(); await 1; await new Promise(() => {});",
    ];
    const hostile = Array.from({ length: 30 }, (_, i) =>
      run(attacks[i % attacks.length]!, { timeoutMs: 300, owner: `hostile ${i % 3}` }),
    );
    const ordinary = run("return await mcp.math.sum({});", { owner: "ordinary" });
    expect(valueOf(await ordinary)).toBe(15);
    const kinds = new Set((await Promise.all(hostile)).map(({ kind }) => kind));
    expect([...kinds].filter((kind) => !["timeout", "memory", "busy"].includes(kind))).toEqual([]);
    expect(lag.worstMs()).toBeLessThanOrEqual(STALL_MS_MAX);
  });

  test("all of these attacks have cost this process no memory to speak of", () => {
    expect(grownMb()).toBeLessThan(128);
  });
});
