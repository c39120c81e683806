import { describe, expect, it } from "vitest";
import { readReference, referenceOf, versionsToCompare } from "./item-reference.ts";

describe("a reference to an item", () => {
  it.each([
    ["mail:digest", "mail:digest", undefined],
    ["mail:digest@2", "mail:digest", 2],
    ["odd@name", "odd@name", undefined],
    ["odd@name@12", "odd@name", 12],
  ])("%s is %s, version %s", (text, name, version) => {
    expect(readReference(text)).toEqual({ name, version });
  });

  it("is written with its version", () => {
    expect(referenceOf("mail:digest", 3)).toBe("mail:digest@3");
  });
});

describe("the versions to compare", () => {
  it("are none where there is only one", () => {
    expect(versionsToCompare([1], {})).toBeUndefined();
  });

  it("are the newest and the one before it, in whatever order they come", () => {
    expect(versionsToCompare([1, 3, 2], {})).toEqual({ before: 2, after: 3 });
  });

  it("are those that were asked for, where they exist", () => {
    expect(versionsToCompare([3, 2, 1], { before: "1", after: "2" })).toEqual({ before: 1, after: 2 });
    expect(versionsToCompare([3, 2, 1], { before: "9", after: "x" })).toEqual({ before: 2, after: 3 });
  });
});
