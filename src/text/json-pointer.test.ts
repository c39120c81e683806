import { expect, it } from "vitest";
import { isLocalPointer, pointerParts, readPointer } from "./json-pointer.ts";

const DOCUMENT = { $defs: { "a/b": { x: 1 }, "c~d": 2, "e f": 3 }, list: ["zero", { y: null }] };

it.each([
  ["#", DOCUMENT],
  ["#/$defs/a~1b/x", 1],
  ["#/$defs/c~0d", 2],
  ["#/$defs/e%20f", 3],
  ["#/list/0", "zero"],
  ["#/list/1/y", null],
  ["#/list/2", undefined],
  ["#/toString", undefined],
  ["#/$defs/__proto__", undefined],
  ["#/list/1/y/z", undefined],
  ["#/%", undefined],
  ["#anchor", undefined],
  ["other.json#/list", undefined],
])("reads %s", (reference, value) => {
  expect(readPointer(DOCUMENT, reference)).toEqual(value);
});

it("knows what points into the document itself", () => {
  expect(["#", "#/a", "#a", "", "x#/a"].map(isLocalPointer)).toEqual([true, true, false, false, false]);
});

it("splits a pointer into its keys", () => {
  expect(pointerParts("/a~1b/~0c/0")).toEqual(["a/b", "~c", "0"]);
  expect([pointerParts(""), pointerParts("#/x")]).toEqual([[], ["x"]]);
});
