import { expect, it } from "vitest";
import { aGroup, aPage, aStep } from "../waterfall/row.testkit.ts";
import { rowsOf } from "../waterfall/rows.ts";
import { marksOf, rowsByLine } from "./line-steps.ts";

const page = aPage([
  aStep(1, { lines: [3] }),
  aStep(2, { lines: [3, 7], status: "failed" }),
  aGroup(3, 42, { lines: [9] }),
  aStep(43, { lines: [11], status: "sent" }),
  aStep(44),
]);
const { rows } = rowsOf({ run: "r", endMs: 9, pageOf: () => page, pagesMax: 9, opened: new Map(), depth: 1 });

it("finds the calls of a line, also those that are one row", () => {
  const byLine = rowsByLine(rows, "r");
  expect([...byLine.keys()]).toEqual([3, 7, 9, 11]);
  expect(byLine.get(3)).toHaveLength(2);
  expect(rowsByLine(rows, "another").size).toBe(0);
});

it("marks a line as bad as the worst of its calls", () => {
  expect(marksOf(rowsByLine(rows, "r"))).toEqual([
    { line: 3, tone: "fail", title: "2 calls, 1 failed" },
    { line: 7, tone: "fail", title: "1 call, 1 failed" },
    { line: 9, tone: "ok", title: "40 calls" },
    { line: 11, tone: "wait", title: "1 call, 1 uncertain" },
  ]);
});
