import { expect, it } from "vitest";
import { segmentsOfGroup, segmentsOfStep, shownStatus } from "./bar.ts";
import { aGroup, aStep } from "./row.testkit.ts";

const live = { offsetMs: 0, endMs: undefined };
const over = { offsetMs: 0, endMs: 500 };

it("draws a call from its start to its end", () => {
  expect(segmentsOfStep(aStep(1), over)).toEqual([{ kind: "done", pattern: "plain", startMs: 10, ms: 8 }]);
});

it("draws the time before the work as waiting", () => {
  const [waited, worked] = segmentsOfStep(aStep(1, { elapsed_ms: 100, waited_ms: 70 }), over);
  expect(waited).toEqual({ kind: "waiting", pattern: "plain", startMs: 10, ms: 70 });
  expect(worked).toEqual({ kind: "done", pattern: "plain", startMs: 80, ms: 30 });
});

it("draws a step that only waits as waiting", () => {
  const step = aStep(1, { tool: "approve", elapsed_ms: 70, waited_ms: 70 });
  expect(segmentsOfStep(step, over)).toEqual([{ kind: "waiting", pattern: "plain", startMs: 10, ms: 70 }]);
  const open = aStep(1, { tool: "approve", status: "waiting", elapsed_ms: null, waited_ms: 9_000 });
  expect(segmentsOfStep(open, live)).toEqual([
    { kind: "waiting", pattern: "plain", startMs: 10, ms: undefined },
  ]);
  expect(segmentsOfStep(open, over)).toEqual([{ kind: "waiting", pattern: "plain", startMs: 10, ms: 490 }]);
});

it("lets what is under way grow", () => {
  const sent = aStep(1, { status: "sent", elapsed_ms: null });
  expect(segmentsOfStep(sent, live)).toEqual([
    { kind: "working", pattern: "plain", startMs: 10, ms: undefined },
  ]);
  const underWay = aStep(1, { status: "under_way", elapsed_ms: 12 });
  expect(segmentsOfStep(underWay, live)[0]).toMatchObject({ kind: "working", ms: undefined });
  const group = aGroup(1, 30, { status: "under_way" });
  expect(segmentsOfGroup(group, live)[0]).toMatchObject({ kind: "working", ms: undefined });
});

it("takes a call without an answer for uncertain once its run is over, until the end of that run", () => {
  const sent = aStep(1, { status: "sent", elapsed_ms: null });
  expect(segmentsOfStep(sent, over)).toEqual([{ kind: "uncertain", pattern: "plain", startMs: 10, ms: 490 }]);
  expect(shownStatus("sent", true)).toBe("uncertain");
  expect(shownStatus("sent", false)).toBe("under_way");
});

it("stripes what was tried again", () => {
  expect(segmentsOfStep(aStep(1, { attempt: 2, status: "failed" }), over)[0]).toMatchObject({
    kind: "failed",
    pattern: "retry",
  });
});

it("draws what the journal answered as a mark at the beginning, though the call was made before it", () => {
  const step = aStep(1, { from_journal: "r_0", started_ms: -90_000, elapsed_ms: 700 });
  expect(segmentsOfStep(step, over)).toEqual([{ kind: "done", pattern: "journal", startMs: 0, ms: 0 }]);
  const group = aGroup(1, 30, { from_journal: true, started_ms: -5 });
  expect(segmentsOfGroup(group, over)[0]).toMatchObject({ pattern: "journal", startMs: 0, ms: 0 });
});

it("draws all of a run below that an earlier attempt made in its mark", () => {
  const past = { offsetMs: 20, endMs: 0, isPast: true };
  expect(segmentsOfStep(aStep(7), past)).toEqual([{ kind: "done", pattern: "journal", startMs: 20, ms: 0 }]);
});

it("puts a run below where it lies in the run that is shown", () => {
  expect(segmentsOfStep(aStep(1), { offsetMs: 300, endMs: 90 })[0]).toMatchObject({ startMs: 310 });
});
