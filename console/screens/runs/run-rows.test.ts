import { expect, it } from "vitest";
import { canCancel, canResume, titleOf } from "./run-rows.ts";

it("resumes what stopped, once", () => {
  expect(
    (["failed", "cancelled", "interrupted", "paused"] as const).every((status) => canResume({ status })),
  ).toBe(true);
  expect(canResume({ status: "succeeded" }) || canResume({ status: "running" })).toBe(false);
  expect(canResume({ status: "failed", resumed_by: "r2" })).toBe(false);
});

it("cancels only what has not ended", () => {
  expect([
    canCancel({ status: "running" }),
    canCancel({ status: "paused" }),
    canCancel({ status: "failed" }),
  ]).toEqual([true, true, false]);
});

it("calls a run by what it was for, else by what ran, else by its id", () => {
  expect(titleOf({ intent: "Sort mail", name: "mail:sort", run_id: "r" })).toBe("Sort mail");
  expect(titleOf({ intent: null, name: "mail:sort", run_id: "r" })).toBe("mail:sort");
  expect(titleOf({ intent: "", run_id: "r" })).toBe("r");
});
