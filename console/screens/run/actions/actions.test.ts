import { expect, it } from "vitest";
import { aGroup, aPage, aStep } from "../waterfall/row.testkit.ts";
import { parseInputs } from "./inputs-text.ts";
import { journalCount } from "./journal-count.ts";

it("takes only a JSON object for inputs", () => {
  expect(parseInputs('{"a": 1}')).toEqual({ ok: true, inputs: { a: 1 } });
  expect(parseInputs(" ")).toEqual({ ok: true, inputs: {} });
  expect(parseInputs("[1]").ok).toBe(false);
  expect(parseInputs("{").ok).toBe(false);
});

it("counts the steps that changed code can find in the journal", () => {
  const { page } = aPage([
    aStep(1),
    aStep(2, { status: "failed" }),
    aGroup(3, 40),
    aStep(41, { tool: "other__do" }),
  ]);
  expect(journalCount(page, undefined)).toEqual({ kept: 40, all: 40, isMore: false });
  expect(journalCount(page, ["counter__add"])).toEqual({ kept: 39, all: 40, isMore: false });
  expect(journalCount(undefined, [])).toEqual({ kept: 0, all: 0, isMore: false });
});
