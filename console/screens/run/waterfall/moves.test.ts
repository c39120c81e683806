import { expect, it } from "vitest";
import { chosenOfRow, idOfChosen, readChosen, writeChosen } from "./chosen.ts";
import { moveLeft, moveRight, nextTrouble, parentOf } from "./moves.ts";
import { aGroup, aPage, aStep } from "./row.testkit.ts";
import { sliceKey } from "./row-types.ts";
import { rowsOf } from "./rows.ts";

const pages = new Map([
  [
    "r/0",
    aPage([
      aStep(1, { status: "failed" }),
      aGroup(2, 3),
      aStep(4, { run: "below" }),
      aStep(5, { status: "sent" }),
    ]),
  ],
  ["r/1/flat", aPage([aStep(2), aStep(3)])],
]);
const opened = new Map([["r/2+", true]]);
const { rows } = rowsOf({
  run: "r",
  endMs: 100,
  pageOf: (slice) => pages.get(sliceKey(slice)),
  pagesMax: 9,
  opened,
  depth: 1,
});

it("goes from failure to failure, and on from the other end", () => {
  expect(nextTrouble(rows, 0, 1)).toBe(5);
  expect(nextTrouble(rows, 5, 1)).toBe(0);
  expect(nextTrouble(rows, 3, -1)).toBe(0);
  expect(nextTrouble(rows, -1, 1)).toBe(0);
  expect(nextTrouble([], 0, 1)).toBeUndefined();
});

it("opens, closes, goes inside and out with the arrows of a tree", () => {
  expect(moveRight(rows, 1)).toEqual({ kind: "go", at: 2 });
  expect(moveLeft(rows, 1)).toEqual({ kind: "close" });
  expect(moveLeft(rows, 3)).toEqual({ kind: "go", at: 1 });
  expect(moveRight(rows, 4)).toEqual({ kind: "open" });
  expect(moveRight(rows, 0)).toBeUndefined();
  expect(moveLeft(rows, 0)).toBeUndefined();
  expect(parentOf(rows, 2)).toBe(1);
});

it("names what is chosen in the URL, and finds it again", () => {
  for (const row of rows) {
    const chosen = chosenOfRow(row)!;
    const { step, run } = writeChosen("r", chosen);
    expect(readChosen("r", step, run)).toEqual(chosen);
    expect(idOfChosen(chosen)).toBe(row.id);
  }
  expect(readChosen("r", "2 ", undefined)).toEqual({ run: "r", step: 2, isGroup: true });
  expect(readChosen("r", "x", undefined)).toBeUndefined();
  expect(writeChosen("r", { run: "below", step: 1, isGroup: false })).toEqual({ step: "1", run: "below" });
});
