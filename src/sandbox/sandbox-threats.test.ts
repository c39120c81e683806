/** The attacks of group A on the sandbox itself, by their numbers. After each, an ordinary run must work. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../test/fixtures/temporary.ts";
import { expectNoStall, watchLoopLag } from "../../test/rig/loop-lag.ts";
import { findNetworkFence } from "./runner-process.ts";
import { CLOCK_AT, createTestSandbox, isRunning, returned, valueOf, whenAborted } from "./sandbox.testkit.ts";
import type { CallReply, GuestOutcome } from "./sandbox.ts";

const IS_LINUX = process.platform === "linux";
const WALL_TOLERANCE_MS = 250;

const { run, sandbox, servedBy } = createTestSandbox();
let residentAtStart = 0;

beforeAll(async () => {
  await run("return 1;");
  await eventually("a spare", () => sandbox.pids().length >= 2);
  residentAtStart = process.memoryUsage().rss;
});

afterEach(async () => {
  expect(valueOf(await run("return [1 + 1, await mcp.math.sum({})];"))).toEqual([2, 15]);
});

/** What the code saw, which must not be anything of the host. */
async function seen(code: string): Promise<unknown> {
  const outcome = await run(code);
  return outcome.kind === "threw" ? `${outcome.thrown.name}: ${outcome.thrown.message}` : valueOf(outcome);
}

async function timed(code: string, timeoutMs: number): Promise<{ outcome: GuestOutcome; tookMs: number }> {
  const startedAt = performance.now();
  const outcome = await run(code, { timeoutMs });
  return { outcome, tookMs: performance.now() - startedAt };
}

describe("T001 no way leads from the guest to an object of the host", () => {
  const NOT_DEFINED = "ReferenceError: process is not defined";

  test.each([
    ["an array", `return [].constructor.constructor("return process")();`],
    ["a promise", `return Promise.resolve().constructor.constructor("return process")();`],
    ["an async function", `return await (async () => {}).constructor("return process")();`],
    ["a generator", `return (function* () {}).constructor("return process")().next().value;`],
    [
      "an async generator",
      `return (await (async function* () {}).constructor("return process")().next()).value;`,
    ],
    ["the answer of a tool", `return mcp.math.sum({}).constructor.constructor("return process")();`],
    ["a granted function", `return mcp.math.sum.constructor("return process")();`],
    ["the console", `return console.log.constructor("return process")();`],
    [
      "an error of the boundary",
      `try { mcp.no; } catch (error) { return error.constructor.constructor("return process")(); }`,
    ],
    ["an eval that is not direct", `return (0, eval)("process");`],
  ])("T001 not the constructor of %s", async (_, code) => {
    expect(await seen(code)).toBe(NOT_DEFINED);
  });

  test.each(["node:fs", "fs", "./runner.ts", "data:text/javascript,export default 1", "quickjs-wasi"])(
    "T001 not import(%j)",
    async (name) => {
      expect(await seen(`return await import(${JSON.stringify(name)});`)).toMatch(
        /^ReferenceError: could not load module/,
      );
    },
  );

  test("T001 not Error.prepareStackTrace: it sees the guest's own side, and never the function that leaves the VM", async () => {
    const names = await seen(`
      const names = new Set();
      Error.prepareStackTrace = (_, sites) => {
        for (const site of sites) {
          const fn = site.getFunction?.();
          names.add(site.getFunctionName?.() ?? "");
          if (fn?.name === "host" || typeof fn?.process !== "undefined") names.add("ESCAPED");
        }
        return "stack";
      };
      console.log(1); await mcp.math.sum({}); try { mcp.no; } catch {} try { mcp.math.sum(5).catch(() => {}); } catch {}
      return [...names];`);
    expect(names).not.toContain("ESCAPED");
    expect(names).not.toContain("host");
  });

  test("T001 nor this, arguments.callee.caller or a proxy that is handed over", async () => {
    expect(
      await seen("return (function () { return [typeof this, typeof globalThis.process]; })();"),
    ).toEqual(["object", "undefined"]);
    const trap =
      "new Proxy({}, { ownKeys() { return Object.keys(this); }, get(...all) { return typeof all[2]?.process; } })";
    expect(
      JSON.stringify(await seen(`console.log(${trap}); return await mcp.math.sum(${trap});`)),
    ).not.toContain("object");
  });
});

describe("T003 newer syntax is absent or harmless", () => {
  test.each([
    [
      "yield* over a hostile iterator",
      `async function* g() { yield* { [Symbol.asyncIterator]() { return { next: () => ({ done: true, value: 1 }), return: () => ({ then(f) { f(typeof process); } }) }; } }; }
       const all = []; for await (const x of g()) all.push(x); return all.length;`,
      0,
    ],
    [
      "return() with a thenable",
      `async function* g() { yield 1; } const i = g(); await i.next(); return (await i.return({ then(f) { f(typeof process); } })).value;`,
      "undefined",
    ],
    [
      "await using",
      `const seen = []; { await using x = { async [Symbol.asyncDispose]() { seen.push(typeof process); } }; } return seen;`,
      ["undefined"],
    ],
    ["a thenable as result", `return { then(f) { f(typeof process); } };`, "undefined"],
    ["WebAssembly and its suspension", "return typeof WebAssembly;", "undefined"],
  ])("T003 %s", async (_, code, value) => {
    expect(await seen(code)).toEqual(value);
  });
});

/** All that a guest has. What is added here is added on purpose. */
const GLOBALS =
  `AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date
  DisposableStack Error EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Iterator JSON
  Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError
  TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet args console decodeURI decodeURIComponent
  encodeURI encodeURIComponent eval globalThis isFinite isNaN mcp parseFloat parseInt undefined`.split(/\s+/);

describe("T004 the guest's globals", () => {
  test("T004 are exactly these", async () => {
    expect(await seen("return Reflect.ownKeys(globalThis).map(String).sort();")).toEqual(
      [...GLOBALS, "Symbol(Symbol.toStringTag)"].sort(),
    );
  });

  test("T004 have nothing of a host", async () => {
    const names =
      `process require module exports __filename __dirname fetch Deno Bun navigator inspector global Buffer setTimeout
      setInterval setImmediate queueMicrotask structuredClone XMLHttpRequest WebSocket EventSource Worker postMessage MessageChannel
      URL TextEncoder crypto performance WebAssembly SharedArrayBuffer Atomics WeakRef FinalizationRegistry importScripts window self
      document host std os bjson print scriptArgs load`.split(/\s+/);
    expect(
      await seen(
        `return ${JSON.stringify(names)}.filter((name) => typeof globalThis[name] !== "undefined");`,
      ),
    ).toEqual([]);
    expect(await seen("return typeof process === 'undefined' ? 0 : process.binding;")).toBe(0);
  });
});

test("T006 what a guest does to its intrinsics is gone with it, in the same process", async () => {
  const pollute = `
    Object.prototype.polluted = 1; Object.prototype.then = (f) => f("polluted"); Array.prototype.map = () => "polluted";
    Array.prototype[Symbol.iterator] = function* () { yield "polluted"; };
    Function.prototype.call = () => "polluted"; String.prototype.slice = () => "polluted"; JSON.stringify = () => "polluted";
    Promise.prototype.then = () => "polluted"; Reflect.apply = () => "polluted"; Math.random = () => 4; Date.now = () => 4;
    globalThis.mcp = globalThis.console = globalThis.args = null; globalThis.Map = globalThis.Error = null;`;
  const look = `
    const list = [1, 2].map((x) => x * 2);
    return [({}).polluted === undefined, ({}).then === undefined, list, [...list], "abc".slice(1), JSON.stringify({}),
      await Promise.resolve(1), Date.now(), typeof mcp.math.sum, typeof Map, Math.random() < 1, await mcp.math.sum({})];`;
  for (let attempt = 0; ; attempt++) {
    await run(pollute);
    const outcome = await run(look);
    expect(valueOf(outcome)).toEqual([
      true,
      true,
      [2, 4],
      [2, 4],
      "bc",
      "{}",
      1,
      CLOCK_AT,
      "function",
      "function",
      true,
      15,
    ]);
    if (servedBy.at(-1) === servedBy.at(-2)) break;
    expect(attempt, "two runs in a row never had the same process").toBeLessThan(10);
  }
});

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
    expectNoStall(50);
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
    expectNoStall(50);
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

describe("T013 rejections that nothing handles are told with the run", () => {
  test("T013 of detached code, before and after the return", async () => {
    const outcome = await run(`
      Promise.reject(new TypeError("at once"));
      (async () => { await null; await null; throw new RangeError("later"); })();
      return 1;`);
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.unhandled.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      "TypeError: at once",
      "RangeError: later",
    ]);
  });

  test("T013 but not of those that are handled later", async () => {
    const outcome = await run(
      `const p = Promise.reject(new Error("x")); await null; await p.catch(() => {}); return 1;`,
    );
    expect(outcome.unhandled).toEqual([]);
  });

  test("T013 of many, the first ten", async () => {
    const outcome = await run("for (let i = 0; i < 5000; i++) Promise.reject(i); return 1;");
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.unhandled).toHaveLength(10);
  });

  test.each([
    ["a function whose text throws", "Object.assign(() => 1, { toString() { throw 1; } })"],
    [
      "a proxy that throws at everything",
      "new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } })",
    ],
    ["null", "null"],
  ])("T013 of %s", async (_, reason) => {
    const outcome = await run(`Promise.reject(${reason}); return 1;`);
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.unhandled).toHaveLength(1);
  });

  test("T013 of a value that takes for ever to read, within the time of the run", async () => {
    const { outcome, tookMs } = await timed(
      "Promise.reject({ get message() { for (;;); } }); return 1;",
      400,
    );
    expect(["returned", "timeout"]).toContain(outcome.kind);
    expect(tookMs).toBeLessThanOrEqual(400 + WALL_TOLERANCE_MS);
  });
});

describe("T014 a return before the calls have settled", () => {
  test("T014 awaits those under way, drops and counts those that wait, and starts none after the end", async () => {
    const answers: (() => void)[] = [];
    let madeCount = 0;
    let hasEnded = false;
    const ended = run("for (let i = 0; i < 20; i++) mcp.math.sum({ i }); return 1;", {
      call: () => {
        madeCount++;
        expect(hasEnded).toBe(false);
        return new Promise((resolve) => void answers.push(() => resolve(returned(1))));
      },
    }).finally(() => (hasEnded = true));
    await eventually("16 calls", () => answers.length === 16);
    // The guest has returned by the time that another run has come and gone.
    await run("return 1;");
    expect(hasEnded).toBe(false);
    for (const answer of answers) answer();
    const outcome = await ended;
    expect([valueOf(outcome), outcome.callsDropped, madeCount]).toEqual([1, 4, 16]);
    await run("return 1;");
    expect(madeCount).toBe(16);
  });

  test("T014 and detached code that would call once more does not", async () => {
    let madeCount = 0;
    const outcome = await run(
      "(async () => { await mcp.math.sum({}); await mcp.math.sum({}); })(); return 1;",
      {
        call: () => Promise.resolve(returned(++madeCount)),
      },
    );
    expect(valueOf(outcome)).toBe(1);
    expect(madeCount).toBe(1);
  });

  test("T014 leaves an answer that comes at that moment to nobody: runs that follow are not disturbed", async () => {
    const kinds: string[] = [];
    const before = new Set(sandbox.pids());
    for (let i = 0; i < 30; i++)
      kinds.push((await run("mcp.math.sum({}); return 1;")).kind, (await run("return 1;")).kind);
    expect(kinds.filter((kind) => kind !== "returned")).toEqual([]);
    expect(sandbox.pids().some((pid) => before.has(pid))).toBe(true);
  });

  test.each([
    ["returned", "mcp.slow.wait({}); return 1;"],
    ["timeout", "await mcp.slow.wait({});"],
    ["timeout", "mcp.slow.wait({}); for (;;);"],
  ])("T014 a call under way at the deadline is cancelled through its signal: %s", async (kind, code) => {
    const signals: AbortSignal[] = [];
    const startedAt = performance.now();
    const outcome = await run(code, {
      timeoutMs: 400,
      call: (_index, _args, signal) => {
        signals.push(signal);
        return whenAborted(signal);
      },
    });
    expect(outcome.kind).toBe(kind);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(Math.abs(performance.now() - startedAt - 400)).toBeLessThanOrEqual(WALL_TOLERANCE_MS);
  });

  test("T014 a call that does not listen to its signal does not hold the run for ever", async () => {
    const { outcome, tookMs } = await (async () => {
      const startedAt = performance.now();
      const ended = await run("await mcp.slow.wait({});", {
        timeoutMs: 300,
        call: () => new Promise(() => {}),
      });
      return { outcome: ended, tookMs: performance.now() - startedAt };
    })();
    expect(outcome.kind).toBe("timeout");
    expect(tookMs).toBeLessThan(3000);
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
    expect(outcome.logsDropped).toEqual({ lines: 99, bytes: 100e6 - 262_144 });
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

describe("T019 the guest cannot tell the time", () => {
  test("T019 it has no shared memory, no Atomics, no performance", async () => {
    const names = [
      "SharedArrayBuffer",
      "Atomics",
      "performance",
      "WeakRef",
      "FinalizationRegistry",
      "setTimeout",
    ];
    expect(
      await seen(
        `return ${JSON.stringify(names)}.map((name) => typeof globalThis[name] + (name in globalThis));`,
      ),
    ).toEqual(names.map(() => "undefinedfalse"));
  });

  test("T019 its clock stands still in a busy loop and moves only with the answer of a tool", async () => {
    const outcome = await run(
      `const seen = [Date.now()];
       for (let i = 0; i < 300_000; i++) Math.sqrt(i);
       seen.push(Date.now(), new Date().getTime());
       await mcp.math.sum({}); seen.push(Date.now());
       await null; for (let i = 0; i < 1000; i++); seen.push(Date.now());
       return seen;`,
      { call: () => Promise.resolve(returned(1, CLOCK_AT + 1234)) },
    );
    expect(valueOf(outcome)).toEqual([CLOCK_AT, CLOCK_AT, CLOCK_AT, CLOCK_AT + 1234, CLOCK_AT + 1234]);
  });

  test("T019 nor does its clock go back when arguments are refused", async () => {
    const outcome = await run(
      `await mcp.math.sum({}); const before = Date.now();
       let deep = {}; for (let i = 0; i < 70; i++) deep = { deep };
       const reason = await mcp.math.sum(deep).catch(({ code }) => code);
       return [reason, Date.now() - before];`,
      { call: () => Promise.resolve(returned(1, CLOCK_AT + 1234)) },
    );
    expect(valueOf(outcome)).toEqual(["TOOL_INVALID_INPUT", 0]);
  });
});

describe("T020 what was not granted is not there", () => {
  const functions = [
    { namespace: "math", name: "sum" },
    { namespace: "caf\u00e9", name: "serve" },
    { namespace: "empty", name: null },
  ];
  const told = (path: string) => `not_granted: ${path} is not among the tools that this code names.`;

  test.each([
    [
      "another server through a parameter",
      "((m, server, tool) => m[server][tool]({}))(mcp, 'other', 'tool')",
      "mcp.other",
    ],
    ["another tool through a parameter", "((m, tool) => m[tool]({}))(mcp.math, 'other')", "mcp.math.other"],
    ["its prototype", "mcp.__proto__", "mcp.__proto__"],
    ["the prototype of a server", "mcp.math.__proto__", "mcp.math.__proto__"],
    ["a member that every object has", "mcp.math.hasOwnProperty('sum')", "mcp.math.hasOwnProperty"],
    ["another case", "mcp.Math.sum({})", "mcp.Math"],
    ["another case of the tool", "mcp.math.Sum({})", "mcp.math.Sum"],
    ["another normal form", "mcp['caf\\u0065\\u0301'].serve({})", "mcp.cafe\u0301"],
    ["a tool of a server that is only visible", "mcp.empty.tool({})", "mcp.empty.tool"],
    ["the number of a function", "mcp.math[0]({})", "mcp.math.0"],
    ["a member of a function's", "Reflect.get(mcp, 'other')", "mcp.other"],
  ])("T020 %s", async (_, expression, path) => {
    let madeCount = 0;
    const outcome = await run(
      `try { return await ${expression}; } catch (error) { return [error.name, error.code, error.reason, error.message]; }`,
      {
        functions,
        call: () => Promise.resolve(returned(++madeCount)),
      },
    );
    expect(valueOf(outcome)).toEqual(["ToolError", "SECURITY_ERROR", "not_granted", told(path)]);
    expect(madeCount).toBe(0);
  });

  test("T020 and enumeration shows what was granted alone", async () => {
    const outcome = await run(
      `const inherited = []; for (const key in mcp) inherited.push(key);
       return [Reflect.ownKeys(mcp), Reflect.ownKeys(mcp.math), Object.keys(mcp.empty), inherited, JSON.stringify(mcp), Object.getPrototypeOf(mcp),
         Object.getPrototypeOf(mcp.math), "other" in mcp, "__proto__" in mcp, Object.getOwnPropertyDescriptor(mcp, "other") === undefined];`,
      { functions },
    );
    const spaces = ["math", "caf\u00e9", "empty"];
    const text = '{"math":{},"caf\u00e9":{},"empty":{}}';
    expect(valueOf(outcome)).toEqual([spaces, ["sum"], [], spaces, text, null, null, false, false, true]);
  });

  test("T020 and what was granted cannot be changed", async () => {
    const outcome = await run(
      `"use strict";
       const tries = [() => (mcp.other = {}), () => (mcp.math.sum = 1), () => (mcp.math.other = 1), () => delete mcp.math, () => (mcp.math.sum.index = 5),
         () => Object.defineProperty(mcp, "x", { value: 1 }), () => Object.setPrototypeOf(mcp, {}), () => (console.log = 1), () => (console.log.x = 1)];
       return [tries.map((attempt) => { try { attempt(); return "changed"; } catch (error) { return error.name; } }),
         [mcp, mcp.math, mcp.math.sum, console, console.log].map(Object.isFrozen)];`,
      { functions },
    );
    expect(valueOf(outcome)).toEqual([Array(9).fill("TypeError"), Array(5).fill(true)]);
  });
});

describe.skipIf(!IS_LINUX)("T023 a runner is given nothing", () => {
  const inspectors = (pid: number) =>
    readFileSync(`/proc/${pid}/net/tcp`, "utf8")
      .split("\n")
      .filter((line) => / 0A /.test(line) && /:240D /.test(line));

  test("T023 no environment, a folder for temporary files, and its three streams", () => {
    expect(sandbox.pids().length).toBeGreaterThan(0);
    for (const pid of sandbox.pids()) {
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toBe("");
      expect(readlinkSync(`/proc/${pid}/cwd`)).toBe(realpathSync(tmpdir()));
      const others = readdirSync(`/proc/${pid}/fd`).filter((fd) => Number(fd) > 2);
      const opened = others.map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      expect(opened.filter((name) => !/^(anon_inode:|pipe:|\/dev\/null$)/.test(name))).toEqual([]);
    }
  });

  test("T023 and no inspector: SIGUSR1 opens no port, and the runner lives", async () => {
    await run("return 1;");
    const pid = servedBy.at(-1)!;
    // A Node that would open its inspector catches this signal; whether the port is seen in time proves less.
    const [, caught] = /SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
    expect(BigInt(`0x${caught}`) & (1n << BigInt(constants.signals.SIGUSR1 - 1))).toBe(0n);
    process.kill(pid, "SIGUSR1");
    await run("return 1;");
    expect(isRunning(pid)).toBe(true);
    expect(inspectors(pid)).toEqual([]);
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain("--inspect");
  });

  test("T023 and the permission model: it may start nothing, write nothing, and read its own program alone", () => {
    for (const pid of sandbox.pids()) {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      expect(words).toContain("--permission");
      expect(words).toContain("--disable-sigusr1");
      expect(words).toContain("--disallow-code-generation-from-strings");
      expect(
        words.filter((word) => word.startsWith("--allow-") && !/^--allow-fs-read=\/.+/.test(word)),
      ).toEqual([]);
    }
  });
});

describe("T024 nothing leaves a runner", () => {
  test("T024 the guest has no means to reach a port of this machine", async () => {
    let connectionCount = 0;
    const server = createServer((socket) => {
      connectionCount++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const outcome = await run(`
      const url = "http://127.0.0.1:${port}/";
      const ways = [() => fetch(url), () => new WebSocket(url), () => new XMLHttpRequest().open("GET", url), () => new EventSource(url),
        () => navigator.sendBeacon(url), () => import(url), () => import("node:net"), () => import("node:dns"), () => importScripts(url),
        () => Function("return fetch")()(url), () => new Worker(url), () => require("net").connect(${port}), () => std.urlGet(url)];
      const seen = [];
      for (const way of ways) try { await way(); seen.push("WORKED"); } catch (error) { seen.push(error.name); }
      return [...new Set(seen)];`);
    expect(valueOf(outcome)).toEqual(["ReferenceError"]);
    expect(connectionCount).toBe(0);
  });

  test("T024 nor is there a network in its process, where the system can take it away", async ({ skip }) => {
    const fence = await findNetworkFence();
    if (fence.length === 0) return skip("this system has no unshare, or does not allow it");
    const own = readlinkSync("/proc/self/ns/net");
    const theirs = sandbox.pids().map((pid) => readlinkSync(`/proc/${pid}/ns/net`));
    expect(theirs).not.toContain(own);
    for (const pid of sandbox.pids()) {
      const devices = readFileSync(`/proc/${pid}/net/dev`, "utf8").split("\n").slice(2).filter(Boolean);
      expect(devices.every((line) => line.trim().startsWith("lo:"))).toBe(true);
    }
  });
});

describe("processes", () => {
  test("T008 a runner that is killed from outside during a run gives crashed", async () => {
    const outcome = await run(`console.log("here"); while (true) {}`, {
      onLog: () => process.kill(servedBy.at(-1)!, "SIGKILL"),
    });
    expect(outcome).toMatchObject({ kind: "crashed", reason: expect.stringContaining("SIGKILL") });
  });

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
    expect(lag.worstMs()).toBeLessThanOrEqual(200);
  });

  /** Runs a program of its own that has a sandbox. */
  function startGateway(body: string) {
    const source = (name: string) => JSON.stringify(join(import.meta.dirname, name));
    const program = `
      import { createSandbox } from ${source("sandbox.ts")};
      import { launch } from ${source("../upstream/process/launch.ts")};
      const sandbox = createSandbox({ launch, memoryMb: () => 64 });
      const run = (code, options) => sandbox.run({ script: "(async () => {" + code + "})", args: {}, functions: [], call: async () => ({}), seed: "",
        clockAt: 0, timeoutMs: 60_000, callsMax: 1, callsAtOnceMax: 1, signal: new AbortController().signal, level: 0, owner: "", ...options });
      ${body}`;
    const gateway = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void gateway.kill("SIGKILL"));
    return gateway;
  }

  test("close ends every runner and every run, and leaves no handle and no listener", async () => {
    const gateway = startGateway(`
      void [process.stdout, process.stderr];
      const left = () => [process.getActiveResourcesInfo().sort(), process.eventNames().length];
      const before = left();
      const stop = new AbortController();
      await Promise.all([run("return 1"), run("for (;;);", { timeoutMs: 300 }),
        run("console.log(1); for (;;);", { signal: stop.signal, onLog: () => stop.abort() })]);
      const pids = new Set();
      const underWay = await run("console.log(1); for (;;);", { onLog: () => { sandbox.pids().forEach((pid) => pids.add(pid)); void sandbox.close(); } });
      await sandbox.close();
      const alive = [...pids].filter((pid) => { try { return process.kill(pid, 0); } catch { return false; } });
      const late = await run("return 1");
      for (let i = 0; i < 1000 && String(left()) !== String(before); i++) await new Promise((resolve) => setImmediate(resolve));
      setImmediate(() => console.log(JSON.stringify({ before, after: left(), underWay: underWay.kind, pids: pids.size > 0, alive, late: late.kind, known: sandbox.pids() })));`);
    const [[chunk], [code]] = await Promise.all([once(gateway.stdout, "data"), once(gateway, "exit")]);
    const told = JSON.parse(String(chunk)) as Record<string, unknown>;
    expect(told["after"]).toEqual(told["before"]);
    expect(told).toMatchObject({ pids: true, alive: [], late: "busy", known: [] });
    expect(["crashed", "cancelled"]).toContain(told["underWay"]);
    expect(code).toBe(0);
  });

  test.skipIf(process.platform === "win32")("a gateway that is killed with -9 leaves no runner", async () => {
    const gateway = startGateway(
      `void run("console.log(1); while (true) {}", { onLog: () => console.log(JSON.stringify(sandbox.pids())) });`,
    );
    const [chunk] = (await once(gateway.stdout, "data")) as [Buffer];
    const pids = JSON.parse(chunk.toString()) as number[];
    expect(pids.length).toBeGreaterThan(0);
    expect(pids.every(isRunning)).toBe(true);
    gateway.kill("SIGKILL");
    await eventually("the end of its runners", () => !pids.some(isRunning));
  });

  test("all of these attacks have cost this process no memory to speak of", () => {
    expect((process.memoryUsage().rss - residentAtStart) / 2 ** 20).toBeLessThan(128);
  });
});
