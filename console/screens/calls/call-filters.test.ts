import { expect, it } from "vitest";
import { filterOf, patternOf } from "./call-filters.ts";

it("looks for a word anywhere in the name of a tool, and takes a pattern as it is", () => {
  expect(patternOf("issue")).toBe("*issue*");
  expect(patternOf("github__*")).toBe("github__*");
});

it("asks for nothing that is not in the address, nor for an outcome that is not one", () => {
  expect(filterOf({ call: "c1" })).toEqual({});
  expect(filterOf({ outcome: "wrong", since: "1h" })).toEqual({ since: "1h" });
  expect(filterOf({ outcome: "refused", who: "local" })).toEqual({ outcome: "refused", who: "local" });
});
