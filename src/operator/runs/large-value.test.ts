import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../core/json.ts";
import { createRedactor } from "../../text/redaction.ts";
import { measureJson } from "./json-size.ts";
import { createLargeValues, readPart } from "./large-value.ts";

const CANARY = "c4nary-".repeat(4);
const redactor = createRedactor([CANARY]);
const read = (value: Json, part: Partial<Parameters<typeof readPart>[1]> = {}) =>
  readPart(value, { path: "", offset: 0, limit: 65_536, ...part }, redactor);

describe("a part of a value", () => {
  it("has the entries of an object or a list from an offset on, and short ones as they are", () => {
    const list = Array.from({ length: 2_000 }, (_, n) => ({ n, text: n === 501 ? "x".repeat(999) : "" }));
    const first = read({ list }, { path: "/list" })!;
    expect(first).toMatchObject({ kind: "array", entry_count: 2_000, next: 500 });
    expect(first.entries).toHaveLength(500);
    const second = read({ list }, { path: "/list", offset: 500, limit: 2 })!;
    expect(second).toMatchObject({
      next: 502,
      entries: [
        { key: 500, value: { n: 500 } },
        { key: 501, kind: "object" },
      ],
    });
    expect(second.entries![1]).not.toHaveProperty("value");
    expect(read({ list }, { path: "/list/1999" })).toMatchObject({ kind: "object", entry_count: 2 });
    expect(read({ list }, { path: "/list/2000" })).toBeUndefined();
    expect(read({ "a/b": { "~": null } }, { path: "/a~1b/~0" })).toMatchObject({
      kind: "null",
      text: "null",
    });
  });

  it("has a text by characters, and other plain values whole", () => {
    expect(read("abcdef", { offset: 2, limit: 3 })).toMatchObject({ kind: "string", text: "cde", next: 5 });
    expect(read("abcdef", { offset: 5 })).toMatchObject({ text: "f" });
    expect(read(12.5)).toMatchObject({ kind: "number", text: "12.5" });
    expect(read(false)).toMatchObject({ kind: "boolean", text: "false" });
  });

  it("T136: has no secret in it: not by value, not by name, not beside its name, not across pieces", () => {
    const value: JsonObject = {
      password: "s3cr3t",
      deep: { access_token: { inner: "s3cr3t" } },
      header: { name: "Authorization", value: "s3cr3t" },
      said: `it is ${CANARY}`,
      [CANARY]: 1,
    };
    const paths = [
      "",
      "/password",
      "/deep",
      "/deep/access_token",
      "/deep/access_token/inner",
      "/header",
      "/header/value",
      "/said",
    ];
    for (const path of paths) {
      const shown = JSON.stringify(read(value, { path }));
      expect(shown).not.toContain("s3cr3t");
      expect(shown).not.toContain(CANARY);
    }
    const long = "y".repeat(256 * 1024 - 10) + CANARY + "y".repeat(300_000);
    for (const offset of [0, 256 * 1024 - 20, 256 * 1024])
      expect(read(long, { offset, limit: 65_536 })!.text).not.toMatch(/c4nary/);
  });
});

describe("large values", () => {
  it("are read once, and of several the last two are kept", async () => {
    const values = createLargeValues();
    const reads: string[] = [];
    const get = (key: string) =>
      values.get(key, async () => {
        reads.push(key);
        return key;
      });
    for (const key of ["a", "a", "b", "a", "c", "a", "b"]) expect(await get(key)).toBe(key);
    expect(reads).toEqual(["a", "b", "c", "b"]);
    expect(await values.get("none", async () => undefined)).toBeUndefined();
  });

  it("are measured without their JSON being made", () => {
    for (const value of [null, 1, "ü", [], {}, [1, "a", { b: [] }], { a: { b: "c" }, d: [1, 2] }] as Json[])
      expect(measureJson(value)).toBe(Buffer.byteLength(JSON.stringify(value)));
  });
});
