import { expect, it } from "vitest";
import { aHead } from "./head.testkit.ts";
import {
  completedCount,
  resumeProblem,
  shortId,
  statusOf,
  tabsOf,
  titleOf,
  uncertainOf,
  waitsUntil,
} from "./run-view.ts";

it("calls a run by what it was for, else by what it is, else by its id", () => {
  expect(titleOf(aHead({ intent: "tidy up", name: "tidy" }))).toBe("tidy up");
  expect(titleOf(aHead({ intent: null, name: "tidy" }))).toBe("tidy");
  expect(titleOf(aHead({ intent: null }))).toBe("r_1");
  expect(shortId("r_0123456789abcdef")).toBe("…abcdef");
});

it("calls a run interrupted whose process ended before it, also when a later one has found it", () => {
  const error = { code: "TOOL_EXECUTION_FAILED", reason: "interrupted", message: "" };
  expect(statusOf(aHead({ status: "failed", error }))).toBe("interrupted");
  expect(statusOf(aHead({ status: "failed" }))).toBe("failed");
});

it("has only tabs with something in them", () => {
  expect(tabsOf(aHead())).toEqual(["waterfall", "log", "source"]);
  expect(tabsOf(aHead({ language: "json", resumed_from: "r_0" }))).toEqual([
    "waterfall",
    "log",
    "graph",
    "source",
    "difference",
  ]);
  expect(tabsOf(aHead({ language: "text", source: "counter__add" }))).toEqual(["waterfall", "log"]);
});

it("knows when a run can be resumed", () => {
  const checkpoint = { run_id: "r_1", resumable: true };
  expect(resumeProblem(aHead({ status: "interrupted", checkpoint }))).toBeUndefined();
  expect(resumeProblem(aHead({ status: "running", checkpoint }))).toContain("running");
  expect(resumeProblem(aHead({ status: "failed", checkpoint, resumed_by: "r_2" }))).toContain("Another");
  const question = { question: "q", name: "x", message: "", details: null };
  expect(resumeProblem(aHead({ status: "paused", checkpoint, questions: [question] }))).toContain("answer");
});

it("reads where a run stopped", () => {
  const checkpoint = {
    run_id: "r_1",
    resumable: true,
    completed_nodes: ["a", "b"],
    uncertain: [{ name: "c#2", tool: "c", args: { x: 1 } }],
    waiting_for: { name: "wait", until: "2030-01-01T00:00:00.000Z" },
  };
  const head = aHead({ status: "paused", checkpoint });
  expect(completedCount(head)).toBe(2);
  expect(uncertainOf(head)).toEqual([{ name: "c#2", tool: "c", args: { x: 1 } }]);
  expect(waitsUntil(head)).toBe("2030-01-01T00:00:00.000Z");
  expect(waitsUntil(aHead())).toBeUndefined();
});
