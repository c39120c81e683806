import { expect, it } from "vitest";
import { aGroup, aPage, aStep } from "./row.testkit.ts";
import { sliceKey, type LoadedPage, type WaterRow } from "./row-types.ts";
import { isSettled, rowsOf, type RowsAsked } from "./rows.ts";

function asked(pages: Readonly<Record<string, LoadedPage>>, changed: Partial<RowsAsked> = {}): RowsAsked {
  return {
    run: "r",
    endMs: 1_000,
    pageOf: (slice) => pages[sliceKey(slice)],
    pagesMax: 40,
    opened: new Map(),
    depth: 1,
    ...changed,
  };
}

const ids = (rows: readonly WaterRow[]) => rows.map(({ id }) => id);

it("asks for the first page of a run of which nothing is known", () => {
  const { rows, slices } = rowsOf(asked({}));
  expect(slices).toEqual([{ run: "r", after: 0, flat: false }]);
  expect(rows.map(({ kind }) => kind)).toEqual(["loading"]);
});

it("puts page after page, and asks for the next one", () => {
  const { rows, slices } = rowsOf(asked({ "r/0": aPage([aStep(1), aStep(2)], 2), "r/2": aPage([aStep(3)]) }));
  expect(ids(rows)).toEqual(["r/1", "r/2", "r/3"]);
  expect(slices.map(sliceKey)).toEqual(["r/0", "r/2"]);
});

it("follows a page whose end has moved", () => {
  const pages = { "r/0": aPage([aGroup(1, 40)], 40), "r/2": aPage([aStep(3)]), "r/40": aPage([aStep(41)]) };
  expect(ids(rowsOf(asked(pages)).rows)).toEqual(["r/1+", "r/41"]);
});

it("stops at a limit of pages, and says that there is more", () => {
  const pages = { "r/0": aPage([aStep(1)], 1), "r/1": aPage([aStep(2)], 2) };
  const { rows, slices } = rowsOf(asked(pages, { pagesMax: 2 }));
  expect(rows.map(({ kind }) => kind)).toEqual(["step", "step", "more"]);
  expect(slices).toHaveLength(2);
});

it("shows a page that did not come as such", () => {
  const { rows } = rowsOf(asked({ "r/0": { page: undefined, hasFailed: true, at: 0 } }));
  expect(rows.map(({ kind }) => kind)).toEqual(["failed"]);
});

it("opens a group in place, with its own steps and no others", () => {
  const pages = {
    "r/0": aPage([aStep(1), aGroup(2, 4), aStep(5)]),
    "r/1/flat": aPage([aStep(2), aStep(3), aStep(4), aStep(5)], 5),
  };
  const closed = rowsOf(asked(pages));
  expect(ids(closed.rows)).toEqual(["r/1", "r/2+", "r/5"]);
  const { rows } = rowsOf(asked(pages, { opened: new Map([["r/2+", true]]) }));
  expect(ids(rows)).toEqual(["r/1", "r/2+", "r/2", "r/3", "r/4", "r/5"]);
  expect(rows.map(({ level }) => level)).toEqual([1, 1, 2, 2, 2, 1]);
});

it("opens a large group page by page", () => {
  const pages = { "r/0": aPage([aGroup(1, 900)]), "r/0/flat": aPage([aStep(1)], 500) };
  const { slices } = rowsOf(asked(pages, { depth: 2 }));
  expect(slices.map(sliceKey)).toEqual(["r/0", "r/0/flat", "r/500/flat"]);
});

it("opens the group that hides the step that is looked for, unless it was closed by hand", () => {
  const pages = { "r/0": aPage([aGroup(1, 30), aGroup(31, 60)]) };
  const reveal = { run: "r", step: 40 };
  expect(rowsOf(asked(pages, { reveal })).rows.map(({ isOpen }) => isOpen)).toEqual([false, true, undefined]);
  const opened = new Map([["r/31+", false]]);
  expect(rowsOf(asked(pages, { reveal, opened })).rows.map(({ isOpen }) => isOpen)).toEqual([false, false]);
});

it("opens a run below where the step that started it lies", () => {
  const pages = {
    "r/0": aPage([aStep(1, { run: "r_below", elapsed_ms: 50 }), aStep(2)]),
    "r_below/0": aPage([aStep(1, { status: "sent", elapsed_ms: null })], undefined, "r_below"),
  };
  const { rows } = rowsOf(asked(pages, { depth: 2 }));
  expect(ids(rows)).toEqual(["r/1", "r_below/1", "r/2"]);
  expect(rows[1]!.place).toEqual({ offsetMs: 10, endMs: 50 });
});

it("goes no deeper than the depth that was chosen", () => {
  const pages = {
    "r/0": aPage([aStep(1, { run: "a" })]),
    "a/0": aPage([aStep(1, { run: "b" })]),
    "b/0": aPage([aStep(1)]),
  };
  const count = (depth: number) => rowsOf(asked(pages, { depth })).rows.length;
  expect([1, 2, 3, 9].map(count)).toEqual([1, 2, 3, 3]);
});

it("knows the pages that cannot change any more", () => {
  expect(isSettled(aPage([aStep(1)], 1))).toBe(true);
  expect(isSettled(aPage([aStep(1)]))).toBe(false);
  expect(isSettled(aPage([aStep(1, { status: "sent" })], 1))).toBe(false);
});

it("makes rows of ten thousand steps in a moment", () => {
  const pages: Record<string, LoadedPage> = {};
  for (let page = 0; page < 20; page += 1) {
    const steps = Array.from({ length: 500 }, (_, at) => aStep(page * 500 + at + 1));
    pages[`r/${page * 500}`] = aPage(steps, page === 19 ? undefined : (page + 1) * 500);
  }
  const { rows } = rowsOf(asked(pages));
  expect(rows).toHaveLength(10_000);
});
