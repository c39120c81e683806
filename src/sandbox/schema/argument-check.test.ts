import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { createArgumentCheck, type ArgumentCheck } from "./argument-check.ts";

const open: ArgumentCheck[] = [];

/** A generous budget, so that only what has no end overruns. */
function startCheck(budgetMs = 2000): ArgumentCheck {
  const check = createArgumentCheck({ budgetMs });
  open.push(check);
  return check;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((check) => check.close()));
});

const issue: JsonObject = {
  type: "object",
  properties: { title: { type: "string" }, labels: { type: "array", default: [] } },
  required: ["title"],
};
/** A list in which every item is compared with every other. */
const unique: JsonObject = { type: "object", properties: { list: { type: "array", uniqueItems: true } } };
const longList = { list: Array.from({ length: 40_000 }, (_, index) => [index]) };
/** Each of 40 rungs names the next one twice. */
const rungs: [string, JsonObject][] = Array.from({ length: 40 }, (_, i) => {
  const next: JsonObject = i === 39 ? { type: "string" } : { $ref: `#/$defs/rung${i + 1}` };
  return [`rung${i}`, { anyOf: [next, next] }];
});
const ladder: JsonObject = { properties: { a: { $ref: "#/$defs/rung0" } }, $defs: Object.fromEntries(rungs) };

describe("createArgumentCheck", () => {
  test("says that arguments fit, and hands them back as they were given", async () => {
    const args = { title: "a" };
    const verdict = await startCheck().check(issue, args);
    expect(verdict).toEqual({ kind: "valid", args });
    expect(verdict.kind === "valid" && verdict.args).toBe(args);
  });

  test("tells all problems at once", async () => {
    expect(await startCheck().check(issue, { labels: "x" })).toEqual({
      kind: "invalid",
      problems: [
        { path: "title", message: "is missing" },
        { path: "labels", message: "must be an array" },
      ],
    });
  });

  test("T045 fills defaults into a copy", async () => {
    const args = Object.freeze({ title: "a" });
    expect(await startCheck().check(issue, args, { fillDefaults: true })).toEqual({
      kind: "valid",
      args: { title: "a", labels: [] },
    });
    expect(args).toEqual({ title: "a" });
  });

  test("T046 an own __proto__ reaches the thread and comes back", async () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"number"},"b":{"default":1}}}',
    ) as JsonObject;
    const check = startCheck();
    expect(await check.check(schema, JSON.parse('{"__proto__":"x"}') as JsonObject)).toMatchObject({
      problems: [{ path: "__proto__", message: "must be a number" }],
    });
    const verdict = await check.check(schema, JSON.parse('{"__proto__":1}') as JsonObject, {
      fillDefaults: true,
    });
    expect(verdict.kind === "valid" && JSON.stringify(verdict.args)).toBe('{"__proto__":1,"b":1}');
  });

  test("T048 minus zero, large numbers and lone surrogates come back as they went", async () => {
    const args = { title: "\ud800", n: -0, big: 2 ** 53 + 2 };
    const verdict = await startCheck().check(issue, args, { fillDefaults: true });
    expect(verdict).toEqual({ kind: "valid", args: { ...args, labels: [] } });
  });

  test("T044 a schema that asks for nothing takes every object, without the thread", async () => {
    const check = startCheck();
    await check.close();
    const nothing: JsonObject[] = [
      {},
      { type: "object" },
      { type: "object", properties: {}, required: [], additionalProperties: true },
    ];
    for (const schema of nothing) {
      expect(await check.check(schema, { a: 1 })).toEqual({ kind: "valid", args: { a: 1 } });
    }
  });

  test("keeps schemas apart and knows each again", async () => {
    const check = startCheck();
    const schemas = ["string", "number", "boolean"].map((type) => ({ properties: { a: { type } } }));
    const verdicts = await Promise.all(
      [...schemas, ...schemas].map((schema) => check.check(schema, { a: 1 })),
    );
    expect(verdicts.map(({ kind }) => kind)).toEqual([
      "invalid",
      "valid",
      "invalid",
      "invalid",
      "valid",
      "invalid",
    ]);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ["T040 a ladder of references", ladder, { a: 1 }],
    ["a comparison of all with all", unique, longList],
  ])("%s overruns, stays unchecked, and the next check works", async (_, schema, args) => {
    const check = startCheck(1000);
    // Whichever limit of the thread is met first.
    const reason = expect.stringMatching(
      /took more than 1000 ms of processor time|broke the thread that ran it/,
    ) as string;
    const overrun = { kind: "unchecked", reason };
    const verdicts = await Promise.all([check.check(issue, { title: "a" }), check.check(schema, args)]);
    expect(verdicts).toEqual([{ kind: "valid", args: { title: "a" } }, overrun]);
    expect(await check.check(schema, {})).toEqual(overrun);
    expect((await check.check(issue, {})).kind).toBe("invalid");
  });

  test("a hostile pattern is checked like any other", async () => {
    const schema = { properties: { a: { pattern: "^(a+)+$" } } };
    expect((await startCheck().check(schema, { a: `${"a".repeat(1000)}!` })).kind).toBe("invalid");
  });

  test("T042 a schema beyond the limits is unchecked, and the reason names the limit", async () => {
    const check = startCheck();
    let deep: JsonObject = {};
    for (let depth = 0; depth < 5000; depth++) deep = { properties: { a: deep } };
    const wide = {
      properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`p${i}`, true])),
    };
    const large = { properties: {}, enum: ["x".repeat(10_000_000)] };
    const reasons = await Promise.all([deep, wide, large].map(async (schema) => check.check(schema, {})));
    expect(reasons).toEqual([
      { kind: "unchecked", reason: "the schema cannot be used: JSON nests deeper than 64 levels" },
      { kind: "unchecked", reason: "the schema cannot be used: JSON has more than 10000 keys" },
      { kind: "unchecked", reason: expect.stringContaining("the limit is 262144") },
    ]);
  });

  test("arguments that are no plain bounded data are unchecked and stay on this side", async () => {
    const check = startCheck();
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const odd = [
      circle,
      { f: () => 1 },
      { n: Number.NaN },
      { list: Array.from({ length: 200_000 }, () => []) },
    ];
    for (const args of odd) {
      expect(await check.check(issue, args as JsonObject)).toMatchObject({ kind: "unchecked" });
    }
  });

  test("is unchecked after it was closed", async () => {
    const check = startCheck();
    await check.close();
    expect(await check.check(issue, {})).toEqual({ kind: "unchecked", reason: "the gateway is stopping" });
  });
});
