import { describe, expect, test } from "vitest";
import type { Json } from "../core/json.ts";
import { createTestSandbox, returned, valueOf } from "./sandbox.testkit.ts";

const { run } = createTestSandbox();

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
