import { expect, it } from "vitest";
import { isInRange } from "./version-range.ts";

it.each<[range: string, isIn: boolean]>([
  [">=18.0.0", true],
  [">= 24", true],
  [">=25", false],
  ["^24", true],
  ["^24.9", true],
  ["^24.10.1", false],
  ["^0.9", false],
  ["~24.9.0", false],
  ["24.10.x", true],
  ["24", true],
  ["18 - 20", false],
  ["18 - 24", true],
  ["<24", false],
  ["<=24", true],
  [">24", false],
  [">24.9 <25", true],
  ["<20 || >=24.1", true],
  ["v24.10.0", true],
  ["=24.10.0", true],
  ["*", true],
  ["", true],
  ["node, any", true],
])("24.10.0 is in %j: %s", (range, isIn) => {
  expect(isInRange("24.10.0", range)).toBe(isIn);
});
