import { expect, it } from "vitest";
import { aGroup, aPage, aStep } from "../waterfall/row.testkit.ts";
import { rowsOf } from "../waterfall/rows.ts";
import { filterLines, logLines } from "./log-lines.ts";

function rowsWith(...given: Parameters<typeof aPage>[0]) {
  return rowsOf({
    run: "r",
    endMs: 900,
    pageOf: () => aPage(given),
    pagesMax: 9,
    opened: new Map(),
    depth: 1,
  }).rows;
}

it("tells when steps begin and end in the order of time", () => {
  const rows = rowsWith(
    aStep(1, { name: "a", started_ms: 0, elapsed_ms: 100 }),
    aStep(2, {
      name: "b",
      started_ms: 10,
      elapsed_ms: 20,
      status: "failed",
      error: { code: "X", message: "no" },
    }),
  );
  expect(logLines(rows, []).map(({ atMs, text }) => `${atMs} ${text}`)).toEqual([
    "0 a begins",
    "10 b begins",
    "30 b failed: no",
    "100 a succeeded",
  ]);
});

it("puts what was printed where its time says, and last where no time is known", () => {
  const rows = rowsWith(aStep(1, { name: "a", started_ms: 5, elapsed_ms: 5 }));
  const printed = [
    { level: "warn", message: "one" },
    { level: "info", message: "two", at_ms: 6 },
    { level: "odd", message: "three", truncated_from: 4_000 },
  ];
  expect(logLines(rows, printed).map(({ text, level }) => `${level} ${text}`)).toEqual([
    "step a begins",
    "info two",
    "step a succeeded",
    "warn one",
    "info three … (4,000 characters)",
  ]);
});

it("has one line for what the journal answered and for a call without an answer", () => {
  const rows = rowsWith(
    aStep(1, { name: "a", from_journal: "r_0", started_ms: -50 }),
    aGroup(2, 40, { from_journal: true, started_ms: 0 }),
    aStep(41, { name: "b", status: "sent", elapsed_ms: null }),
  );
  expect(logLines(rows, []).map(({ text }) => text)).toEqual([
    "a from the journal",
    "counter__add × 39 from the journal",
    "b begins",
  ]);
});

it("filters by level and by text", () => {
  const lines = logLines(
    [],
    [
      { level: "warn", message: "Disk" },
      { level: "error", message: "disk full" },
      { level: "info", message: "ok" },
    ],
  );
  expect(filterLines(lines, "warn,error", undefined)).toHaveLength(2);
  expect(filterLines(lines, undefined, "DISK")).toHaveLength(2);
  expect(filterLines(lines, "error", "disk").map(({ text }) => text)).toEqual(["disk full"]);
});
