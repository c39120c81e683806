import { createTwoFilesPatch } from "diff";
import { expect, it } from "vitest";
import { parseUnified } from "./unified-diff.ts";

it("numbers the lines of both sides", () => {
  const lines = parseUnified(createTwoFilesPatch("a", "b", "one\ntwo\nthree\n", "one\n2\nthree\n"));
  expect(lines.slice(1)).toEqual([
    { kind: "same", text: "one", before: 1, after: 1 },
    { kind: "removed", text: "two", before: 2 },
    { kind: "added", text: "2", after: 2 },
    { kind: "same", text: "three", before: 3, after: 3 },
  ]);
});

it("reads a difference without a head, and one that is empty", () => {
  expect(parseUnified("-a\n+b").map(({ kind }) => kind)).toEqual(["removed", "added"]);
  expect(parseUnified("")).toEqual([]);
});

it("does not take a line that begins like a head for one", () => {
  const lines = parseUnified("@@ -1,2 +1,1 @@\n--- a comment\n x\n");
  expect(lines[1]).toEqual({ kind: "removed", text: "-- a comment", before: 1 });
});
