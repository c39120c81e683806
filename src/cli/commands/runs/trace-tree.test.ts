import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { durationOf, type StepView, type TraceView } from "./run-view.ts";
import { treeLines } from "./show.ts";

function step(name: string, more: Partial<StepView> = {}): StepView {
  const times = { started_ms: 5, elapsed_ms: 12 };
  return { key: `${name}@0`, name, tool: "box__add", status: "succeeded", ...times, args: {}, ...more };
}

function trace(more: Partial<TraceView>): TraceView {
  const start = { started_at: "2026-01-01T00:00:00.000Z", elapsed_ms: 1_500, inputs: {}, intent: null };
  return { run_id: "r1", kind: "workflow", status: "succeeded", ...start, ...more };
}

const linesOf = (tree: TraceView) => treeLines(tree).map(stripVTControlCharacters);

it("each step has its times, what it was given and why it failed", () => {
  const error = { code: "TOOL_EXECUTION_FAILED", message: "no\nforged" };
  const lines = linesOf(
    trace({
      steps: [
        step("a", { args: { text: "x".repeat(100) } }),
        step("b", { from_journal: "r0" }),
        step("c", { status: "failed", error }),
        step("d", { status: "sent", elapsed_ms: null }),
        step("e", { status: "waiting", elapsed_ms: null }),
      ],
    }),
  );
  expect(lines).toEqual([
    `├─ ✓ a  box__add {"text":"${"x".repeat(51)}…  12 ms at +5 ms`,
    "├─ ✓ b  box__add  from the journal of r0",
    "├─ ✗ c  box__add  12 ms at +5 ms",
    String.raw`│    TOOL_EXECUTION_FAILED: no\u{a}forged`,
    "├─ ? d  box__add  sent, but no answer was recorded",
    "└─ … e  box__add  waits",
  ]);
});

it("a run hangs below the step that started it, in code by the key, in a workflow by the name", () => {
  const inCode = step("box__add", { key: "k1" });
  const grandchild = trace({ run_id: "r3", kind: "capability", step: "k1", steps: [] });
  const child = trace({ run_id: "r2", kind: "code", step: "b", steps: [inCode], runs: [grandchild] });
  const lost = trace({ run_id: "r4", kind: "code", status: "interrupted", step: "gone" });
  expect(linesOf(trace({ steps: [step("a"), step("b")], runs: [child, lost], runs_left_out: 3 }))).toEqual([
    "├─ ✓ a  box__add  12 ms at +5 ms",
    "├─ ✓ b  box__add  12 ms at +5 ms",
    "│  └─ code r2  succeeded  1.5 s",
    "│     └─ ✓ box__add  12 ms at +5 ms",
    "│        └─ capability r3  succeeded  1.5 s",
    "├─ code r4  interrupted  1.5 s",
    "└─ 3 more runs are not shown",
  ]);
});

it("a time is written in the units that a person reads it in", () => {
  expect([null, 0, 999.4, 1_000, 61_500, 3_720_000].map(durationOf)).toEqual([
    "-",
    "0 ms",
    "999 ms",
    "1.0 s",
    "1 min 1 s",
    "1 h 2 min",
  ]);
});
