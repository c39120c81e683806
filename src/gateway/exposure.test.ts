import { expect, it } from "vitest";
import { toolOf } from "../../test/fixtures/tool-source.ts";
import { AUTO_TOKENS_MAX, chooseExposure, estimateTokens } from "./exposure.ts";

/** One tool whose definition has exactly so many characters as JSON. */
function toolOfLength(length: number) {
  const base = JSON.stringify(toolOf("t", "")).length;
  return toolOf("t", "x".repeat(length - base));
}

it("counts a token for every four characters of the definitions", () => {
  expect(estimateTokens([])).toBe(0);
  expect(estimateTokens([toolOfLength(400), toolOfLength(401)])).toBe(201);
});

it("shows all tools in auto while that is cheaper than searching, just under, at and just over", () => {
  const limit = AUTO_TOKENS_MAX * 4;
  for (const [length, expected] of [
    [limit - 4, "full"],
    [limit, "full"],
    [limit + 1, "lean"],
  ] as const) {
    expect(chooseExposure("auto", () => [toolOfLength(length)])).toBe(expected);
  }
});

it("does what it is told otherwise, without looking", () => {
  const never = () => {
    throw new Error("looked");
  };
  expect(chooseExposure("lean", never)).toBe("lean");
  expect(chooseExposure("full", never)).toBe("full");
});
