import type { Answer } from "../../api/client.ts";

/** A run as the list has it. */
export type RunRow = Answer<"listRuns">["runs"][number];

/** What stopped and was not resumed yet can be resumed. */
export function canResume({ status, resumed_by: resumedBy }: Pick<RunRow, "status" | "resumed_by">): boolean {
  return resumedBy === undefined && !["queued", "running", "succeeded"].includes(status);
}

/** One that was resumed goes on as another run. */
export function canCancel({ status, resumed_by: resumedBy }: Pick<RunRow, "status" | "resumed_by">): boolean {
  return status === "running" || status === "queued" || (status === "paused" && resumedBy === undefined);
}

/** What a run is called: what it was for, else what ran. */
export function titleOf({ intent, name, run_id: runId }: Pick<RunRow, "intent" | "name" | "run_id">): string {
  return [intent, name].find((text) => text !== null && text !== undefined && text !== "") ?? runId;
}

/** The end of an id: the beginning is the time, which many have in common. */
export function shortId(runId: string): string {
  return runId.slice(-8);
}
