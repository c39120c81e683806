import { describe, expect, test } from "vitest";
import { CONSOLE_BYTES_MAX, CONSOLE_LINES_MAX } from "./runner/limits.ts";
import { CLOCK_AT, createTestSandbox, returned, valueOf } from "./sandbox.testkit.ts";

const { run } = createTestSandbox();

const NOTHING_ELSE = {
  logs: [],
  consoleDropped: { lines: 0, bytes: 0 },
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
    expect(outcome.consoleDropped).toEqual({ lines: 0, bytes });
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
    expect(outcome.consoleDropped).toEqual({ lines: 0, bytes: 0 });
  });

  test("lines beyond the limit are counted", async () => {
    const outcome = await run(`for (let i = 0; i < ${CONSOLE_LINES_MAX} + 5; i++) console.log("ab");`);
    expect(outcome.logs).toHaveLength(CONSOLE_LINES_MAX);
    expect(outcome.consoleDropped).toEqual({ lines: 5, bytes: 10 });
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
