import { compileFunction } from "node:vm";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { compileExpression, EXPRESSION_LENGTH_MAX } from "./expression.ts";

function evaluate(text: string, args: JsonObject = {}): boolean | undefined {
  const compiled = compileExpression(text);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled.condition(args);
}

function messageOf(text: string): string {
  const compiled = compileExpression(text);
  return compiled.ok ? "" : compiled.message;
}

const ARGS: JsonObject = {
  amount: 250,
  repo: "a/b",
  force: true,
  empty: "",
  nothing: null,
  tags: ["x", "y"],
  options: { deep: { level: 3 } },
};

test.each([
  ["args.amount > 100", true],
  ["args.amount > 100 && args.repo === 'a/b'", true],
  ["args.repo !== 'a/b' || args.amount % 2 == 1", false],
  ["args.tags[1] === 'y'", true],
  ["args.tags[args.tags.length - 1] === 'y'", true],
  ["args['options'].deep['level'] === 3", true],
  ["args.options?.deep?.level >= 3", true],
  ["args.missing?.deep.level === undefined", true],
  ["args.missing.deep.level === undefined", true],
  ["args.nothing.deep === undefined", true],
  ["(args.missing ?? 5) === 5", true],
  ["args.empty ? false : true", true],
  ["!args.force", false],
  ["typeof args.amount === 'number'", true],
  ["typeof args.missing === 'undefined'", true],
  ["'deep' in args.options", true],
  ["'deep' in args.missing", false],
  ["1 in args.tags", true],
  ["2 in args.tags", false],
  ["['a', -1, null][1] === -1", true],
  ["-args.amount < 0 && +'3' === 3", true],
  ["args.repo + '!' === 'a/b!'", true],
  ["args.repo.length === 3 && args.repo[0] === 'a'", true],
  ["NaN === NaN || -1 / 0 === -Infinity", true],
  ["args.nothing == undefined && args.nothing !== undefined", true],
])("%s is %s", (text, expected) => {
  expect(evaluate(text, ARGS)).toBe(expected);
});

describe("what cannot be decided", () => {
  test.each([
    ["a list that is compared with a number", "args.x > 100", { x: [1000] }],
    ["an object in a sum", "args.x + 1 > 0", { x: {} }],
    ["a list that equals a text only as a text", "args.x == 'a'", { x: ["a"] }],
    ["a key that is an object", "args[args.x] === 1", { x: {} }],
    ["a text in a list", "'admin' in args.x", { x: ["admin"] }],
    ["a text in a text", "'rm' in args.x", { x: "rm -rf" }],
    ["a text that becomes too long", "args.x + args.x !== ''", { x: "x".repeat(600_000) }],
    ["the other side of what is not decided", "!(args.x > 100)", { x: {} }],
  ])("%s is neither true nor false", (_name, text, args) => {
    expect(evaluate(text, args as JsonObject)).toBeUndefined();
  });

  it("does not matter where the expression does not come to it", () => {
    expect(evaluate("args.y === 1 && args.x > 100", { x: [] })).toBe(false);
    expect(evaluate("args.y !== 1 || args.x > 100", { x: [] })).toBe(true);
  });
});

describe("prototypes", () => {
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"])(
    "args.%s is undefined",
    (name) => {
      expect(evaluate(`args.${name} === undefined && args['${name}'] === undefined`)).toBe(true);
      expect(evaluate(`'${name}' in args`)).toBe(false);
      expect(
        evaluate(`args.list.${name} === undefined && args.text.${name} === undefined`, {
          list: [],
          text: "",
        }),
      ).toBe(true);
    },
  );

  it("of an argument of such a name only its own value is seen", () => {
    const args = JSON.parse('{"__proto__": {"admin": true}, "constructor": "mine"}') as JsonObject;
    expect(evaluate("args.admin === undefined && args.constructor === 'mine'", args)).toBe(true);
    expect(evaluate("args.x.constructor.constructor === undefined", { x: {} })).toBe(true);
  });

  it("asks no object for its text or number", () => {
    const args = JSON.parse('{"x": {"toString": 1, "valueOf": 2}}') as JsonObject;
    expect(evaluate("args.x == 'a'", args)).toBeUndefined();
    expect(evaluate("args.x === 'a'", args)).toBe(false);
  });
});

describe("what is not allowed", () => {
  test.each([
    ["args.name.includes('x')", "A call"],
    ["process.exit(1)", "A call"],
    ["new Date() > 1", "A call"],
    ["import('fs')", "A call"],
    ["args.x = 1", "An assignment"],
    ["args.x++", "An assignment"],
    ["(() => 1)", "A function"],
    ["(function () {})", "A function"],
    ["`a${args.x}`", "A template in backquotes"],
    ["/x+/", "A regular expression"],
    ["10n > args.x", "A BigInt"],
    ["{}", "An object"],
    ["this", "this"],
    ["args.x, true", "A comma"],
    ["process", "A name other than args"],
    ["globalThis.x", "A name other than args"],
    ["args.x ** 2", "The operator **"],
    ["args.x | 1", "The operator |"],
    ["args instanceof args", "The operator instanceof"],
    ["delete args.x", "The operator delete"],
    ["void 0", "The operator void"],
    ["[args.x][0]", "A list of anything but"],
    ["[...'ab'][0]", "A list of anything but"],
    ["args.x in ['a', 'b']", '"in" with a list'],
  ])("%s", (text, what) => {
    expect(messageOf(text)).toMatch(
      new RegExp(`^${what.replaceAll(/[*|]/g, String.raw`\$&`)}.* \\(column \\d+\\); `),
    );
  });

  it("says what is allowed instead, and where the slip is", () => {
    expect(messageOf("args.a && args.b.startsWith('x')")).toBe(
      "A call is not allowed here (column 11); allowed are args.name, args.list[0], texts, numbers, true, false, null, " +
        "=== !== == != < <= > >=, && || ?? !, a ? b : c, + - * / %, in and typeof",
    );
  });

  test.each([
    "args.",
    "args.x ===",
    "a b",
    "args.x; args.y",
    "'open",
    "",
    "   ",
    "args.x } 1",
    "args.x ?? 1 || 2",
  ])("%j is no expression", (text) => {
    expect(messageOf(text)).toMatch(/^is not a JavaScript expression from its column \d+ on$/);
  });

  it("repeats nothing of the text, which may hold a secret", () => {
    for (const text of ["hunter2", "args.x === hunter2", "'hunter2' +", "hunter2()", "args.hunter2 = 1"]) {
      expect(messageOf(text)).not.toMatch(/hunter2/);
      expect(messageOf(text)).not.toBe("");
    }
  });
});

describe("limits", () => {
  it("has room for a long list of values", () => {
    const text = Array.from({ length: 150 }, (_, at) => `args.repo === "r${at}"`).join(" || ");
    expect(evaluate(text, { repo: "r149" })).toBe(true);
    expect(evaluate(text, { repo: "r150" })).toBe(false);
  });

  test.each([
    ["too long", "1".repeat(EXPRESSION_LENGTH_MAX + 1), /at most 4000 characters/],
    ["too deep", `${"!".repeat(300)}1`, /Nesting deeper than 250/],
    ["too many parts", `1${"+1".repeat(600)}`, /deeper than 250|More than 1000 parts/],
    ["too many brackets", `${"(".repeat(1_999)}1${")".repeat(1_999)}`, /^$|nests too deep|not a JavaScript/],
    ["too many open brackets", "[".repeat(EXPRESSION_LENGTH_MAX), /not a JavaScript|nests too deep/],
  ])("%s is refused or read, and never a crash", (_name, text, message) => {
    expect(messageOf(text)).toMatch(message);
  });

  it("looks at huge arguments only where the expression does", () => {
    const args = { items: Array.from({ length: 1_000_000 }, () => 0), text: "x".repeat(4_000_000) };
    expect(
      evaluate("args.items.length === 1000000 && args.text.length > 1 && args.items[999999] === 0", args),
    ).toBe(true);
  });
});

// ── the same as JavaScript ──────────────────────────────────────────────────────────────────────────────────────────

const primitiveValue = fc.oneof(
  fc.constantFrom("", "a", "1", "01", " 2 ", "1e3", "Infinity", "x".repeat(50)),
  fc.integer({ min: -3, max: 300 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

const { value: expressionText } = fc.letrec<{ value: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    primitiveValue.map((value) => (Object.is(value, -0) ? "(-0)" : `(${JSON.stringify(value)})`)),
    fc.constantFrom(
      "args.a",
      'args["b"]',
      "args?.c",
      "args.missing",
      "args.o.x",
      "args.list[0]",
      "args.list[9]",
    ),
    fc.constantFrom("args.list.length", "typeof args.o", "undefined", "NaN", "Infinity", "[1, 'a', null][1]"),
    fc.constantFrom(
      "('x' in args.o)",
      "('y' in args.o)",
      "(0 in args.list)",
      "(args.o === args.o)",
      "!args.list",
    ),
  ),
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    tie("leaf"),
    fc
      .tuple(
        tie("value"),
        fc.constantFrom(
          "===",
          "!==",
          "==",
          "!=",
          "<",
          "<=",
          ">",
          ">=",
          "+",
          "-",
          "*",
          "/",
          "%",
          "&&",
          "||",
          "??",
        ),
        tie("value"),
      )
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(fc.constantFrom("!", "-", "+", "typeof "), tie("value"))
      .map(([operator, text]) => `(${operator}${text})`),
    fc
      .tuple(tie("value"), tie("value"), tie("value"))
      .map(([condition, yes, no]) => `(${condition} ? ${yes} : ${no})`),
  ),
}));

const argsWithPrimitives = fc.record({
  a: primitiveValue,
  b: primitiveValue,
  c: primitiveValue,
  o: fc.record({ x: primitiveValue }),
  list: fc.array(primitiveValue, { maxLength: 3 }),
});

it("agrees with JavaScript wherever no object becomes a text or a number", () => {
  fc.assert(
    fc.property(expressionText, argsWithPrimitives, (text, args) => {
      fc.pre(text.length <= EXPRESSION_LENGTH_MAX);
      const own = compileFunction(`return Boolean(${text});`, ["args"]) as (args: unknown) => boolean;
      expect(evaluate(text, args)).toBe(own(args));
    }),
    { numRuns: 2_000 },
  );
});

it("never throws, whatever the arguments are", () => {
  fc.assert(
    fc.property(expressionText, fc.dictionary(fc.string(), fc.jsonValue()), (text, args) => {
      expect([true, false, undefined]).toContain(evaluate(text, args as JsonObject));
    }),
    { numRuns: 500 },
  );
});

it("reads any text at all, or says why not", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      expect(typeof compileExpression(text).ok).toBe("boolean");
    }),
    { numRuns: 2_000 },
  );
});
