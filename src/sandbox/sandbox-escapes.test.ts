/** Attacks on the border of the sandbox, by their numbers: what the guest must not reach, know or change for others. */
import { describe, expect, test } from "vitest";
import { CLOCK_AT, createAttackedSandbox, returned, valueOf } from "./sandbox.testkit.ts";

const { run, seen, servedBy, grownMb } = createAttackedSandbox();

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

  test.each(["node:fs", "fs", "./runner/runner.ts", "data:text/javascript,export default 1", "quickjs-wasi"])(
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

test("all of these attacks have cost this process no memory to speak of", () => {
  expect(grownMb()).toBeLessThan(128);
});
