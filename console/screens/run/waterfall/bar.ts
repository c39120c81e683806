/** What the bar of a row looks like: its segments, one after another, in the time of the run that is shown. */
import type { GroupRow, StepRow } from "./row-types.ts";

export type SegmentKind = "waiting" | "working" | "done" | "failed" | "uncertain" | "skipped";
/** Over the colour: `retry` is striped, `journal` is hatched. */
type SegmentPattern = "plain" | "retry" | "journal";

export interface Segment {
  readonly kind: SegmentKind;
  readonly pattern: SegmentPattern;
  readonly startMs: number;
  /** Undefined until it ends: it grows. */
  readonly ms: number | undefined;
}

/** Where a run lies in the time of the one that is shown. */
export interface RunPlace {
  readonly offsetMs: number;
  /** When it ended, in its own time; undefined while it goes on. */
  readonly endMs: number | undefined;
  /** It ran in the time of an earlier attempt: all of it comes from the journal. */
  readonly isPast?: boolean;
}

export function segmentsOfStep(step: StepRow, place: RunPlace): readonly Segment[] {
  const kind = kindOf(step.status, place.endMs !== undefined);
  const pattern = place.isPast === true ? "journal" : patternOf(step);
  const startMs = place.offsetMs + instantOf(step, place);
  // The journal answered at once; when the call was made is the business of the run that made it.
  if (pattern === "journal") return [{ kind, pattern, startMs, ms: 0 }];
  const ms = lengthOfStep(step, kind, place);
  const waitedMs = Math.min(step.waited_ms ?? 0, ms ?? Infinity);
  if (kind === "waiting" || waitedMs <= 0) return [{ kind, pattern, startMs, ms }];
  const waited: Segment = { kind: "waiting", pattern: "plain", startMs, ms: waitedMs };
  if (ms !== undefined && ms <= waitedMs) return [waited];
  return [
    waited,
    { kind, pattern, startMs: startMs + waitedMs, ms: ms === undefined ? undefined : ms - waitedMs },
  ];
}

/** What goes on has a time that the page counts by itself; what did not end lasts as long as its run. */
function lengthOfStep(step: StepRow, kind: SegmentKind, { endMs }: RunPlace): number | undefined {
  if (kind === "working" || (kind === "waiting" && endMs === undefined)) return undefined;
  return step.elapsed_ms ?? (endMs === undefined ? undefined : Math.max(0, endMs - step.started_ms));
}

export function segmentsOfGroup(group: GroupRow, place: RunPlace): readonly Segment[] {
  const kind = kindOf(group.status, place.endMs !== undefined);
  const startMs = place.offsetMs + instantOf(group, place);
  if (group.from_journal || place.isPast === true) return [{ kind, pattern: "journal", startMs, ms: 0 }];
  return [{ kind, pattern: "plain", startMs, ms: kind === "working" ? undefined : group.elapsed_ms }];
}

/** What an earlier attempt did lies before the start of this one. */
function instantOf({ started_ms: startedMs }: Pick<StepRow, "started_ms">, { isPast }: RunPlace): number {
  return isPast === true ? 0 : Math.max(0, startedMs);
}

/** A call that was sent is under way; once its run is over, its outcome is unknown. */
export function kindOf(status: StepRow["status"], isOver: boolean): SegmentKind {
  switch (status) {
    case "succeeded":
      return "done";
    case "failed":
    case "skipped":
    case "waiting":
      return status;
    case "sent":
    case "under_way":
      return isOver ? "uncertain" : "working";
    default:
      return status satisfies never;
  }
}

function patternOf({ from_journal: journal, attempt }: StepRow): SegmentPattern {
  if (journal !== undefined) return "journal";
  return attempt !== undefined && attempt > 1 ? "retry" : "plain";
}

/** The state of a row as badges know it. */
export function shownStatus(status: StepRow["status"], isOver: boolean): string {
  if (status === "sent" || status === "under_way") return isOver ? "uncertain" : "under_way";
  return status;
}
