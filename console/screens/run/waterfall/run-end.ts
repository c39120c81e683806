/** When a run ended, as far as its bars and its axis are concerned. */
import type { Answer } from "../../../api/client.ts";
import type { LoadedPage, StepsPage } from "./row-types.ts";

type Head = Pick<Answer<"getRun">, "status" | "elapsed_ms" | "error">;

/** Of a run that stopped in the middle, room for what waits or is uncertain at its end. */
const OPEN_END = 1.08;

/**
 * Undefined while it goes on. A run that waits, or whose process is gone, has no end on record; its time since then says
 * nothing, so it ends with its last step.
 */
export function endOfRun(head: Head, pages: readonly StepsPage[]): number | undefined {
  const { status, elapsed_ms: elapsedMs, error } = head;
  if (status === "running") return undefined;
  if (elapsedMs !== null && status !== "paused" && error?.reason !== "interrupted") return elapsedMs;
  const ends = pages.flatMap(({ rows }) => rows.map(endOfRow));
  return Math.max(1, ends.reduce((latest, end) => Math.max(latest, end), 0) * OPEN_END);
}

/** What the journal answered took its time in another run. */
function endOfRow(row: StepsPage["rows"][number]): number {
  const isFromJournal = row.row === "step" ? row.from_journal !== undefined : row.from_journal;
  return isFromJournal ? 0 : row.started_ms + (row.elapsed_ms ?? 0);
}

/** What the gateway's clock said of the run, and when this page heard it. */
export interface RunClock {
  readonly elapsedMs: number;
  readonly heardAt: number;
}

/** The latest word on how long the run has taken. */
export function clockOf(run: string, pages: Iterable<LoadedPage>): RunClock {
  let clock: RunClock = { elapsedMs: 0, heardAt: 0 };
  for (const { page, at } of pages) {
    if (page?.run_id === run && at > clock.heardAt) clock = { elapsedMs: page.elapsed_ms, heardAt: at };
  }
  return clock;
}

export function elapsedAt({ elapsedMs, heardAt }: RunClock, now: number): number {
  // Nothing was heard yet: the time since 1970 is none of the run's.
  return heardAt === 0 ? elapsedMs : elapsedMs + Math.max(0, now - heardAt);
}
