import { expect, it } from "vitest";
import { annotationTexts, effectOf, excerptText, ownNameOf } from "./tool-details.ts";

it("says annotations in words, and those it does not know as they are", () => {
  expect(annotationTexts({ readOnlyHint: true, title: "T", x: [1] })).toEqual([
    { name: "readOnlyHint", text: "It only reads" },
    { name: "title", text: "T" },
    { name: "x", text: "[1]" },
  ]);
  expect(annotationTexts(undefined)).toEqual([]);
});

it("turns the hidden characters of an excerpt into characters again", () => {
  expect(excerptText("a\\u{200b}b\\u{A}c\\u{zz}\\u{ffffff}")).toBe("a\u200bb\nc\\u{zz}\\u{ffffff}");
});

it("leaves the server out of a name", () => {
  expect(ownNameOf({ name: "files.read", server: "files" })).toBe("read");
  expect(ownNameOf({ name: "math:sum" })).toBe("math:sum");
});

it("knows the effect of a call from the rules, and of a meta-tool from what it says itself", () => {
  expect(effectOf({ kind: "meta_tool", decision: null, annotations: { readOnlyHint: true } })).toBe("read");
  expect(
    effectOf({ kind: "meta_tool", decision: null, annotations: { readOnlyHint: false } }),
  ).toBeUndefined();
  expect(effectOf({ kind: "tool", decision: null, annotations: { readOnlyHint: true } })).toBeUndefined();
});
