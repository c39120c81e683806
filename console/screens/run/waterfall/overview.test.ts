import { expect, it } from "vitest";
import { overviewOf } from "./overview.ts";
import { aGroup, aPage, aStep } from "./row.testkit.ts";
import { rowsOf } from "./rows.ts";

function rowsWith(...given: Parameters<typeof aPage>[0]) {
  return rowsOf({
    run: "r",
    endMs: 100,
    pageOf: () => aPage(given),
    pagesMax: 9,
    opened: new Map(),
    depth: 1,
  }).rows;
}
const whole = { fromMs: 0, toMs: 100 };

it("is as high as there are calls at once", () => {
  const rows = rowsWith(
    aStep(1, { started_ms: 0, elapsed_ms: 45 }),
    aStep(2, { started_ms: 30, elapsed_ms: 45 }),
    aGroup(3, 40, { started_ms: 30, elapsed_ms: 10 }),
  );
  const { busy } = overviewOf(rows, whole, 10, 100);
  expect(busy.map((value) => value * 3)).toEqual(
    [1, 1, 1, 3, 1.5, 1, 1, 0.5, 0, 0].map((each) => expect.closeTo(each, 6) as number),
  );
});

it("marks where something failed, is uncertain or waited", () => {
  const rows = rowsWith(
    aStep(1, { started_ms: 0, elapsed_ms: 15, status: "failed" }),
    aStep(2, { started_ms: 50, elapsed_ms: null, status: "sent" }),
    aStep(3, { started_ms: 60, elapsed_ms: 19, waited_ms: 10 }),
  );
  const { troubled, waiting } = overviewOf(rows, whole, 10, 100);
  expect([...troubled]).toEqual([1, 9]);
  expect([...waiting]).toEqual([6, 7]);
});

it("is level where one call follows another, whatever lies between the parts", () => {
  const rows = rowsWith(
    ...Array.from({ length: 33 }, (_, at) => aStep(at + 1, { started_ms: at * 3, elapsed_ms: 3 })),
  );
  const { busy } = overviewOf(rows, whole, 10, 100);
  for (const height of busy.slice(0, 9)) expect(height).toBeCloseTo(1);
});

it("goes as far as a live run has come, and leaves out what the journal answered", () => {
  const pages = aPage([
    aStep(1, { from_journal: "r_0", started_ms: 0 }),
    aStep(2, { started_ms: 10, elapsed_ms: null, status: "under_way" }),
  ]);
  const { rows } = rowsOf({
    run: "r",
    endMs: undefined,
    pageOf: () => pages,
    pagesMax: 9,
    opened: new Map(),
    depth: 1,
  });
  expect(overviewOf(rows, whole, 10, 40).busy).toEqual([0, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
});
