import { expect, it } from "vitest";
import { quote } from "./quote.ts";

it("quotes a name on one line", () => {
  expect(quote('a "b"\nc')).toBe(String.raw`"a \"b\"\nc"`);
});

it("cuts what is longer than a name, or than the caller says", () => {
  expect(quote("x".repeat(100))).toBe(`"${"x".repeat(79)}…"`);
  expect(quote("abcdef", 4)).toBe('"abc…"');
});
