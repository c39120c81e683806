import { expect, it } from "vitest";
import { keysBetween, toggled } from "./row-selection.ts";

const KEYS = ["a", "b", "c", "d"];

it("takes every row between two, in both directions", () => {
  expect(keysBetween(KEYS, "b", "d")).toEqual(["b", "c", "d"]);
  expect(keysBetween(KEYS, "d", "b")).toEqual(["b", "c", "d"]);
});

it("takes one row where the other is gone", () => {
  expect(keysBetween(KEYS, undefined, "c")).toEqual(["c"]);
  expect(keysBetween(KEYS, "gone", "c")).toEqual(["c"]);
});

it("chooses a row, and lets it go again", () => {
  expect([...toggled(new Set(["a"]), "b")]).toEqual(["a", "b"]);
  expect([...toggled(new Set(["a", "b"]), "b")]).toEqual(["a"]);
});
