import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RepertoireError } from "./errors.ts";
import {
  canonicalJson,
  countParsedKeys,
  findJsonProblem,
  hashJson,
  hashText,
  JSON_LIMITS,
  parseJson,
} from "./json.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("countParsedKeys", () => {
  it("counts the keys of what findJsonProblem accepts, and of nothing else", () => {
    const limits = { ...JSON_LIMITS, depthMax: 4, keyCountMax: 6 };
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const value: unknown = JSON.parse(text);
        const isFine = findJsonProblem(value, limits) === undefined;
        expect(countParsedKeys(value, limits) !== undefined).toBe(isFine);
      }),
    );
    expect(countParsedKeys({ a: [{ b: 1 }, { c: {} }], d: null })).toBe(4);
  });

  it("has none for a number that is too large for JSON", () => {
    expect(countParsedKeys(JSON.parse(`{"a":[1e999]}`))).toBeUndefined();
    expect(countParsedKeys(JSON.parse(`[1e999]`), { ...JSON_LIMITS, keyCountMax: Infinity })).toBeUndefined();
  });
});

describe("parseJson", () => {
  it.each([JSON_LIMITS.depthMax - 1, JSON_LIMITS.depthMax])("accepts depth %i", (depth) => {
    expect(parseJson(nested(depth)).ok).toBe(true);
  });

  it("T052: refuses depth 65 and depth 1,000,000 before it parses, and names the limit", () => {
    for (const depth of [JSON_LIMITS.depthMax + 1, 1_000_000]) {
      expect(parseJson(nested(depth))).toEqual({
        ok: false,
        message: "JSON nests deeper than 64 levels",
        position: 64,
      });
    }
  });

  it("does not count brackets inside strings", () => {
    expect(parseJson(JSON.stringify({ text: `${"[".repeat(500)}\\"{` })).ok).toBe(true);
  });

  it("bounds keys and bytes, just under, at and just over", () => {
    const withKeys = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0])));
    expect(parseJson(withKeys(JSON_LIMITS.keyCountMax)).ok).toBe(true);
    expect(parseJson(withKeys(JSON_LIMITS.keyCountMax + 1))).toMatchObject({
      message: "JSON has more than 10000 keys",
    });
    const limits = { ...JSON_LIMITS, bytesMax: 10 };
    expect(parseJson(`"12345678"`, limits).ok).toBe(true);
    expect(parseJson(`"123456789"`, limits)).toEqual({
      ok: false,
      message: "JSON is 11 bytes; the limit is 10",
    });
  });

  it("says where malformed text breaks", () => {
    expect(parseJson(`{"a": 1,}`)).toEqual({
      ok: false,
      message: "Not valid JSON: property name expected",
      position: 8,
    });
    expect(parseJson(`[1 /* no */]`)).toMatchObject({ ok: false, position: 3 });
    expect(parseJson("")).toMatchObject({ ok: false });
    expect(parseJson(`{"password": "hunter2}`)).not.toMatchObject({
      message: expect.stringContaining("hunter2"),
    });
  });

  it("returns what JSON.parse returns, without touching a prototype", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
    parseJson(`{"__proto__": {"polluted": true}}`);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});

describe("findJsonProblem", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;

  it.each([
    ["a function", () => 1],
    ["undefined", { a: undefined }],
    ["a bigint", [1n]],
    ["NaN", { a: Number.NaN }],
    ["a Map", new Map()],
    ["a Date", new Date()],
    ["a symbol", Symbol("x")],
    ["a cycle", cyclic],
  ])("refuses %s", (_, value) => {
    expect(findJsonProblem(value)).toEqual(expect.any(String));
  });

  it("accepts objects without a prototype", () => {
    expect(findJsonProblem(Object.assign(Object.create(null), { a: [1, "x", null, true] }))).toBeUndefined();
  });
});

describe("canonicalJson", () => {
  it("sorts keys by code unit at every level and drops white space", () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: "é", Z: null })).toBe(
      `{"Z":null,"a":"é","b":[{"c":2,"d":1}]}`,
    );
  });

  it("is the same for the same value in any order of keys, and reads back as that value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reverseKeys(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(hashJson(value)).toBe(hashText(text));
      }),
    );
  });

  it("T048: keeps lone surrogates and large numbers as JSON.stringify writes them", () => {
    expect(canonicalJson("\ud800")).toBe(String.raw`"\ud800"`);
    expect(canonicalJson(Number.MAX_SAFE_INTEGER)).toBe("9007199254740991");
  });

  it("throws JSON_LIMIT on what is not bounded plain data", () => {
    expect(() => canonicalJson({ a: 1n })).toThrow(RepertoireError);
    expect(() => canonicalJson("x".repeat(20), { ...JSON_LIMITS, bytesMax: 10 })).toThrow("the limit is 10");
    expect(() => canonicalJson(JSON.parse(nested(100_000)))).toThrow("deeper than 64");
  });
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => [key, reverseKeys(child)]);
  const copy: Record<string, unknown> = {};
  for (const [key, child] of entries.toReversed())
    Object.defineProperty(copy, key, { value: child, enumerable: true, configurable: true, writable: true });
  return copy;
}
