import { countOf, formatDuration } from "../../../parts/format.ts";
import type { Segment, SegmentKind } from "./bar.ts";
import type { GroupRow, StepRow } from "./row-types.ts";

const KIND_WORDS: Readonly<Record<SegmentKind, string>> = {
  waiting: "waits",
  working: "under way",
  done: "succeeded",
  failed: "failed",
  uncertain: "its outcome is unknown",
  skipped: "skipped",
};

/** A bar in words, for those who do not see it. */
export function describeBar(row: StepRow | GroupRow, segments: readonly Segment[]): string {
  const first = segments[0]!;
  const parts = [
    row.row === "group" ? countOf(row.count, "call") : "",
    first.pattern === "journal" ? "answered from the journal" : `began at ${formatDuration(first.startMs)}`,
    ...(first.pattern === "journal" ? [] : segments.map(partWords)),
    first.pattern === "retry" ? "another attempt" : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function partWords({ kind, ms }: Segment): string {
  return ms === undefined ? KIND_WORDS[kind] : `${KIND_WORDS[kind]} after ${formatDuration(ms)}`;
}
