import { expect, it } from "vitest";
import { compareText } from "./compare-text.ts";

it("orders by code units, the same in every locale", () => {
  expect(["b", "ä", "B", "a", ""].sort(compareText)).toEqual(["", "B", "a", "b", "ä"]);
  expect(compareText("a", "a")).toBe(0);
});
