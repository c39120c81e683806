import fc from "fast-check";
import { expect, it } from "vitest";
import { hasDuplicateKeys } from "./message.ts";

const check = (text: string) => hasDuplicateKeys(Buffer.from(text), JSON.parse(text));

it.each([
  '{"a":1,"a":2}',
  '{"a":{"b":1,"c":[{"d":1,"d":1}]}}',
  String.raw`{"a":1,"\u0061":2}`,
  '{"__proto__":1,"__proto__":2}',
  '[{"":1,"":1}]',
])("T047: %s has a key twice", (text) => {
  expect(check(text)).toBe(true);
});

it.each([
  '{"a":1,"b":{"a":1}}',
  '{"a:b":"c:d","e":":"}',
  String.raw`{"a\"":"\\","b":"\":\""}`,
  '{"__proto__":1,"constructor":2}',
  '":"',
  "[]",
])("%s has none", (text) => {
  expect(check(text)).toBe(false);
});

it("no JSON that was written from a value has one", () => {
  fc.assert(fc.property(fc.json(), (text) => !check(JSON.stringify(JSON.parse(text)))));
});
