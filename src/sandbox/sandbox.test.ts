import { describe, expect, test } from "vitest";
import type { Json } from "../core/json.ts";
import { eventually } from "../../test/fixtures/temporary.ts";
import {
  ANSWER_BYTES_MAX,
  ARGUMENTS_BYTES_MAX,
  CONSOLE_BYTES_MAX,
  CONSOLE_LINES_MAX,
  RESULT_BYTES_MAX,
} from "./limits.ts";
import {
  CLOCK_AT,
  createTestSandbox,
  failed,
  launchLiar,
  returned,
  valueOf,
  whenAborted,
} from "./sandbox.testkit.ts";

const { run } = createTestSandbox();

const NOTHING_ELSE = {
  logs: [],
  logsDropped: { lines: 0, bytes: 0 },
  unhandled: [],
  unhandledCount: 0,
  callsDropped: 0,
};

describe("what a run is given and returns", () => {
  test("returns what the code returns, and says what it used", async () => {
    const outcome = await run("return { sum: args.a + args.b };", { args: { a: 1, b: 2 } });
    expect(outcome).toEqual({
      kind: "returned",
      value: { sum: 3 },
      memoryBytes: expect.any(Number),
      ...NOTHING_ELSE,
    });
    expect(outcome.memoryBytes).toBeGreaterThan(1024 * 1024);
  });

  test("passes arguments as they are, whatever their names and letters", async () => {
    const args = JSON.parse(
      '{"__proto__":1,"constructor":{"a":[null,true,1.5]},"t":"\\ud800 \\u0000 \\n \\u2028 €😀"}',
    );
    expect(valueOf(await run("return args;", { args }))).toEqual(args);
  });

  test("is fresh each time: nothing of one run is there in the next", async () => {
    await run("globalThis.left = 1; args.left = 2; var there = 3;");
    expect(valueOf(await run("return [typeof left, typeof there, args.left];"))).toEqual([
      "undefined",
      "undefined",
      null,
    ]);
  });

  test("passes a text with a NUL and line separators in the code itself", async () => {
    expect(valueOf(await run(`return "a\0b\u2028c";`))).toBe("a\0b\u2028c");
  });
});

describe("what crosses becomes JSON", () => {
  test.each<[string, string, Json]>([
    ["undefined in an object", "{ a: undefined, b: 1 }", { b: 1 }],
    ["a function and a symbol in an object", "{ a() {}, b: Symbol('s'), [Symbol('k')]: 1, c: 1 }", { c: 1 }],
    ["undefined, a function and a symbol in a list", "[undefined, () => 1, Symbol('s')]", [null, null, null]],
    ["undefined as the whole value", "undefined", null],
    ["a function as the whole value", "() => 1", null],
    ["a symbol as the whole value", "Symbol('s')", null],
    ["NaN and the infinities", "[NaN, Infinity, -Infinity]", [null, null, null]],
    [
      "a BigInt that is exact as a number",
      "[5n, 2n ** 53n - 1n, 1n - 2n ** 53n]",
      [5, 2 ** 53 - 1, 1 - 2 ** 53],
    ],
    ["a BigInt that is not", "[2n ** 53n, 2n ** 70n]", ["9007199254740992", "1180591620717411303424"]],
    [
      "a negative BigInt that is not",
      "[-(2n ** 53n), -(2n ** 70n)]",
      ["-9007199254740992", "-1180591620717411303424"],
    ],
    ["a Date", "new Date(0)", "1970-01-01T00:00:00.000Z"],
    ["an invalid Date", "[new Date(NaN)]", [null]],
    ["a RegExp", "/a+b/gi", "/a+b/gi"],
    [
      "a Map with texts as keys",
      "new Map([['a', 1], ['__proto__', 2]])",
      JSON.parse('{"a":1,"__proto__":2}'),
    ],
    [
      "a Map with other keys",
      "new Map([['a', 1], [2, 3n]])",
      [
        ["a", 1],
        [2, 3],
      ],
    ],
    ["a Set", "new Set([1, 'a', new Set([2])])", [1, "a", [2]]],
    ["a typed array over part of its buffer", "new Uint8Array([1, 2, 3]).subarray(1)", [2, 3]],
    ["a typed array of BigInts", "new BigInt64Array([1n, -2n])", [1, -2]],
    ["a view over part of its buffer", "new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2)", [2, 3]],
    ["an ArrayBuffer", "new Uint8Array([1, 2]).buffer", [1, 2]],
    [
      "an Error with its own fields",
      "Object.assign(new TypeError('m'), { code: 7 })",
      { name: "TypeError", message: "m", code: 7 },
    ],
    ["lone surrogates", "'a\\ud800b\\udc00'", "a\ud800b\udc00"],
    ["what has a toJSON", "{ toJSON: () => ({ made: 1n }) }", { made: 1 }],
    ["text with line breaks", "'a\\r\\n\\u2028b'", "a\r\n\u2028b"],
    [
      "the same object twice, which is no cycle",
      "(() => { const a = { x: 1 }; return [a, a]; })()",
      [{ x: 1 }, { x: 1 }],
    ],
  ])("T016 %s", async (_, expression, value) => {
    const sent: Json[] = [];
    const outcome = await run(
      `const value = ${expression}; await mcp.math.sum({ value: [value] }); return value;`,
      {
        call: (_index, args) => {
          sent.push(args["value"] ?? null);
          return Promise.resolve(returned(null));
        },
      },
    );
    expect(valueOf(outcome)).toEqual(value);
    expect(sent).toEqual([[value]]);
  });

  test("T016 -0 becomes 0", async () => {
    expect(Object.is(valueOf(await run("return -0;")), 0)).toBe(true);
  });

  test("T016 a cycle is marked in results and the console", async () => {
    const outcome = await run(`
      const a = { name: "a", list: [], map: new Map() };
      a.self = a; a.list.push(a, { a }); a.map.set("a", a);
      console.log(a);
      return a;`);
    const shown = {
      name: "a",
      list: ["[Circular]", { a: "[Circular]" }],
      map: { a: "[Circular]" },
      self: "[Circular]",
    };
    expect(valueOf(outcome)).toEqual(shown);
    expect(JSON.parse(outcome.logs[0]!.message)).toEqual(shown);
  });

  test("T016 a cycle in arguments is a TypeError, and no call is made", async () => {
    const calls: Json[] = [];
    const outcome = await run(
      "const a = {}; a.a = a; try { await mcp.math.sum(a); } catch (error) { return error.name; }",
      {
        call: (_index, args) => {
          calls.push(args);
          return Promise.resolve(returned(null));
        },
      },
    );
    expect(valueOf(outcome)).toBe("TypeError");
    expect(calls).toEqual([]);
  });
});

describe("the console", () => {
  test("knows six ways to print and shows every kind of value", async () => {
    const outcome = await run(`
      console.log("a b", 1, 2n, null, undefined, -0, { x: [1n] }, function f() {}, () => 1, Symbol("s"));
      console.info(new TypeError("t")); console.warn(new Map([["a", 1]])); console.error(""); console.debug(); console.trace("t");`);
    expect(outcome.logs).toEqual([
      {
        level: "info",
        message: 'a b 1 2n null undefined 0 {"x":[1]} [Function f] [Function anonymous] Symbol(s)',
      },
      { level: "info", message: "TypeError: t" },
      { level: "warn", message: '{"a":1}' },
      { level: "error", message: "" },
      { level: "debug", message: "" },
      { level: "debug", message: "t" },
    ]);
  });

  test("tells each line while the run goes on", async () => {
    const told: string[] = [];
    await run(`console.log("before"); await mcp.math.sum({}); console.log("after");`, {
      onLog: ({ message }) => told.push(message),
      call: () => {
        told.push("the call");
        return Promise.resolve(returned(null));
      },
    });
    expect(told).toEqual(["before", "the call", "after"]);
  });

  test.each([
    ["at the limit is whole", CONSOLE_BYTES_MAX, {}, 0],
    [
      "just over the limit is cut and marked",
      CONSOLE_BYTES_MAX + 1,
      { truncatedFrom: CONSOLE_BYTES_MAX + 1 },
      1,
    ],
  ])("a line %s", async (_, length, mark, bytes) => {
    const outcome = await run(`console.log("x".repeat(${length}));`);
    expect(outcome.logs).toEqual([{ level: "info", message: "x".repeat(CONSOLE_BYTES_MAX), ...mark }]);
    expect(outcome.logsDropped).toEqual({ lines: 0, bytes });
  });

  test.each(["\\0", "\\ud800", '\\"', "€"])("a long line of %s is cut like any other", async (letter) => {
    const outcome = await run(`console.log("${letter}".repeat(${CONSOLE_BYTES_MAX} + 1)); return 1;`);
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.logs).toHaveLength(1);
    expect(outcome.logs[0]?.truncatedFrom).toBe(CONSOLE_BYTES_MAX + 1);
  });

  test("many lines just under the limit are all kept", async () => {
    const outcome = await run(`for (let i = 0; i < 900; i++) console.log("x".repeat(291));`);
    expect(outcome.logs).toHaveLength(900);
    expect(outcome.logsDropped).toEqual({ lines: 0, bytes: 0 });
  });

  test("lines beyond the limit are counted", async () => {
    const outcome = await run(`for (let i = 0; i < ${CONSOLE_LINES_MAX} + 5; i++) console.log("ab");`);
    expect(outcome.logs).toHaveLength(CONSOLE_LINES_MAX);
    expect(outcome.logsDropped).toEqual({ lines: 5, bytes: 10 });
  });
});

describe("clock and randomness", () => {
  test("the clock stands where it is set, in UTC", async () => {
    expect(
      valueOf(
        await run("return [Date.now(), new Date().toISOString(), new Date().getTimezoneOffset(), Date()];"),
      ),
    ).toEqual([CLOCK_AT, "2026-01-02T03:04:05.000Z", 0, "Fri Jan 02 2026 03:04:05 GMT+0000"]);
  });

  test("randomness is the same for the same seed, and differs for another", async () => {
    const code = "return Array.from({ length: 50 }, () => Math.random());";
    const [first, again, other] = await Promise.all([run(code), run(code), run(code, { seed: "seed2" })]);
    expect(valueOf(first)).toEqual(valueOf(again));
    expect(valueOf(first)).not.toEqual(valueOf(other));
    const numbers = valueOf(first) as number[];
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBe(50);
  });

  test("the stream of a seed is pinned: a kept run must see the same values tomorrow", async () => {
    expect(valueOf(await run("return [Math.random(), Math.random()];"))).toEqual([
      0.00489217764697969, 0.6924950380343944,
    ]);
  });
});

describe("calls", () => {
  test("pass their arguments and return the answer", async () => {
    const outcome = await run(
      "return [await mcp.math.sum({ a: [1] }), await mcp.slow.wait(), typeof (await mcp.math.sum({}))];",
      {
        call: (index, args) =>
          Promise.resolve(returned(args["a"] === undefined && index === 0 ? undefined : { index, args })),
      },
    );
    expect(valueOf(outcome)).toEqual([{ index: 0, args: { a: [1] } }, { index: 1, args: {} }, "undefined"]);
  });

  test("throw what the tool failed with, at the place of the call", async () => {
    const error = {
      code: "TOOL_EXECUTION_FAILED",
      tool: "math__sum",
      message: "no",
      hint: "try",
      retryable: true,
      details: { a: 1 },
    };
    const outcome = await run(
      `try { await mcp.math.sum({}); } catch (error) {
         return { own: { ...error }, name: error.name, message: error.message, isError: error instanceof Error, stack: error.stack.includes("code.ts") };
       }`,
      { call: () => Promise.resolve(failed(error)) },
    );
    const { message, ...own } = error;
    expect(valueOf(outcome)).toEqual({ own, name: "ToolError", message, isError: true, stack: true });
  });

  test("that fail and are not caught end the run with their code and hint", async () => {
    const outcome = await run("await mcp.math.sum({});", {
      call: () =>
        Promise.resolve(
          failed({ code: "TOOL_EXECUTION_FAILED", tool: "math__sum", message: "no", hint: "try" }),
        ),
    });
    expect(outcome).toMatchObject({
      kind: "threw",
      thrown: {
        name: "ToolError",
        code: "TOOL_EXECUTION_FAILED",
        tool: "math__sum",
        message: "no",
        hint: "try",
      },
    });
  });

  test.each(["5", "'text'", "null", "[]", "() => 1"])("refuse %s as arguments", async (input) => {
    const outcome = await run(`await mcp.math.sum(${input});`);
    expect(outcome).toMatchObject({
      kind: "threw",
      thrown: {
        name: "TypeError",
        message: "mcp.math.sum takes one object of arguments, such as mcp.math.sum({ key: value }).",
      },
    });
  });

  test("answers come back in the order in which they are given", async () => {
    const first = Promise.withResolvers<void>();
    const outcome = await run(
      "const order = []; await Promise.all([0, 1].map(async (i) => { await mcp.math.sum({ i }); order.push(i); })); return order;",
      {
        call: async (_index, args) => {
          if (args["i"] === 0) await first.promise;
          else first.resolve();
          return returned(null);
        },
      },
    );
    expect(valueOf(outcome)).toEqual([1, 0]);
  });

  test.each([
    ["at the limit are passed", 0, 0, "passed"],
    ["just over the limit are a TypeError that says it", 1, 0, `have ${ARGUMENTS_BYTES_MAX + 1} `],
    [
      "that are over the limit as bytes alone are a TypeError too",
      0,
      ARGUMENTS_BYTES_MAX / 2,
      `limit is ${ARGUMENTS_BYTES_MAX}`,
    ],
  ])("arguments %s", async (_, excess, wideCount, words) => {
    const length = ARGUMENTS_BYTES_MAX - '{"t":""}'.length + excess - wideCount;
    const outcome = await run(
      `try { return await mcp.math.sum({ t: "x".repeat(${length}) + "€".repeat(${wideCount}) }); } catch (error) { return error.name + " " + error.message; }`,
      { call: () => Promise.resolve(returned("passed")) },
    );
    expect(valueOf(outcome)).toContain(words);
  });

  test("an answer just over the limit is a failure that says it", async () => {
    const outcome = await run(
      "try { await mcp.math.sum({}); } catch ({ message, reason }) { return [message, reason]; }",
      {
        call: () => Promise.resolve(returned("x".repeat(ANSWER_BYTES_MAX - 1))),
      },
    );
    expect(valueOf(outcome)).toEqual([
      `The answer has ${ANSWER_BYTES_MAX + 1} characters; code can read ${ANSWER_BYTES_MAX}. Ask the tool for less.`,
      "answer_limit",
    ]);
  });

  test("one more than the run may make fails in the guest, and the run goes on", async () => {
    let count = 0;
    const outcome = await run(
      `const done = []; for (let i = 0; i < 4; i++) try { done.push(await mcp.math.sum({})); } catch (error) { done.push(error.reason + " " + error.code); } return done;`,
      { callsMax: 3, call: () => Promise.resolve(returned(++count)) },
    );
    expect(valueOf(outcome)).toEqual([1, 2, 3, "call_limit RATE_LIMITED"]);
    expect(count).toBe(3);
  });
});

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
    const startedAt = performance.now();
    expect(await run("await new Promise(() => {});")).toMatchObject({ kind: "stuck" });
    expect(performance.now() - startedAt).toBeLessThan(5000);
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
    const startedAt = performance.now();
    const outcome = await run(`console.log("here"); while (true) {}`, {
      signal: stop.signal,
      onLog: () => stop.abort(),
    });
    expect(outcome.kind).toBe("cancelled");
    expect(performance.now() - startedAt).toBeLessThan(5000);
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
    const startedAt = performance.now();
    const outcome = await run(`mcp.slow.wait({}); console.log("returns"); return 1;`, {
      signal: stop.signal,
      onLog: () => setTimeout(() => stop.abort(), 100),
    });
    expect(["returned", "cancelled"]).toContain(outcome.kind);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });
});

describe("a runner that lies", () => {
  const DONE = '"unhandled":[],"unhandledCount":0,"consoleDropped":{"lines":0,"bytes":0},"memoryBytes":1';
  const frames = (...lines: string[]) => JSON.stringify(`${lines.join("\n")}\n`);

  test.each([
    ["ends with no object", frames("D null")],
    ["ends with nothing said", frames("D {}")],
    ["ends with what is no JSON", frames("D {")],
    ["ends in a way that there is not", frames(`D {"kind":"escaped",${DONE}}`)],
    ["tells rejections that are no list", frames('D {"kind":"returned","unhandled":5,"memoryBytes":1}')],
    ["returns what is no JSON", frames("V {", `D {"kind":"returned",${DONE}}`)],
    ["calls what was not granted", frames("C 1 7 {}")],
    ["counts its calls wrong", frames("C 9 0 {}")],
    ["prints at a level that there is not", frames('L loud 1 "a"')],
    ["writes a line without end", '"x".repeat(3e6)'],
  ])("that %s spoils its own run alone", async (_, answer) => {
    const liar = createTestSandbox({ launch: launchLiar(answer) });
    const outcome = await liar.run("return 1;", { timeoutMs: 1000 });
    expect(["crashed", "threw"]).toContain(outcome.kind);
    await liar.sandbox.close();
  });

  test("that says it is done and then says more is not given to the next run", async () => {
    const answer = frames(`D {"kind":"returned",${DONE}}`, 'L info 1 "a"');
    const liar = createTestSandbox({ launch: launchLiar(answer) });
    await liar.run("return 1;");
    const [pid] = liar.servedBy;
    await eventually("the end of the liar", () => !liar.sandbox.pids().includes(pid!), 2000);
    await liar.sandbox.close();
  });
});

test("a call that is refused for its size is not in the way of the next", async () => {
  const outcome = await run(
    "const big = await mcp.math.sum({ text: '€'.repeat(500000) }).catch((e) => e.name); return [big, await mcp.math.sum()]",
  );
  expect(outcome).toMatchObject({ kind: "returned", value: ["TypeError", 15] });
});
