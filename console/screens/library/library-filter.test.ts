import { describe, expect, it } from "vitest";
import { filterItems, percentOf, successShare, tagsOf, type LibraryItem } from "./library-filter.ts";

function item(name: string, given: Partial<LibraryItem> = {}): LibraryItem {
  return {
    name,
    tool: name.replace(":", "__"),
    kind: "code",
    description: "",
    version: 1,
    tags: [],
    usage_count: 0,
    success_count: 0,
    last_used_at: null,
    ...given,
  };
}

const ITEMS = [
  item("math:sum", { tags: ["math", "daily"] }),
  item("mail:digest", { kind: "workflow", tags: ["daily"], changed_tools: ["mail__list"] }),
  item("math:mean", { tags: ["math"] }),
];

const namesOf = (items: readonly LibraryItem[]) => items.map(({ name }) => name);

describe("the filter of the library", () => {
  it("shows everything without a filter", () => {
    expect(filterItems(ITEMS, {})).toHaveLength(3);
  });

  it("shows items of any of the kinds", () => {
    expect(namesOf(filterItems(ITEMS, { kind: "workflow" }))).toEqual(["mail:digest"]);
    expect(filterItems(ITEMS, { kind: "code,workflow" })).toHaveLength(3);
  });

  it("shows items with all of the tags", () => {
    expect(namesOf(filterItems(ITEMS, { tag: "math,daily" }))).toEqual(["math:sum"]);
  });

  it("shows items that use a changed tool", () => {
    expect(namesOf(filterItems(ITEMS, { drift: "yes" }))).toEqual(["mail:digest"]);
  });

  it("lists the most used tag first, and equal ones by name", () => {
    expect(tagsOf(ITEMS)).toEqual(["daily", "math"]);
  });
});

describe("the share of uses that went well", () => {
  it("is unknown before the first use", () => {
    expect(successShare({ usage_count: 0, success_count: 0 })).toBeUndefined();
    expect(successShare({ usage_count: 4, success_count: 3 })).toBe(0.75);
  });

  it.each([
    [1, "100 %"],
    [0.9999, "99 %"],
    [0.001, "1 %"],
    [0, "0 %"],
    [0.754, "75 %"],
  ])("%d is %s", (share, text) => {
    expect(percentOf(share)).toBe(text);
  });
});
