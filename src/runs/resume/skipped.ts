/**
 * A call that was skipped by decision: its outcome is not known, and somebody said to go on without it. On record it
 * has ended with null, so that the run goes on, and a note in place of an error says who decided. It is not told as a
 * success.
 */
import type { JsonObject } from "../../core/json.ts";
import type { Step } from "../../core/store.ts";

const SKIPPED = "skipped";

/** A call that a run, or one below it, went on without. */
export interface SkippedCall {
  /** The tool, or the id of the node. */
  readonly tool: string;
  readonly by: string;
}

export function skipNote(by: string): JsonObject {
  return { reason: SKIPPED, by };
}

/** Who decided to go on without the step; undefined for any other. */
export function skippedBy({ status, error }: Pick<Step, "status" | "error">): string | undefined {
  if (status !== "succeeded" || error?.["reason"] !== SKIPPED) return undefined;
  return typeof error["by"] === "string" ? error["by"] : "somebody";
}

export function skippedWarning({ tool, by }: SkippedCall): string {
  return `${tool} was skipped by decision of ${by}: whether it took effect is not known, and its result is null.`;
}

/** Of the calls of a run, those that were skipped. */
export function skippedCalls(
  calls: readonly { readonly tool: string; readonly node?: string; readonly skippedBy?: string }[],
): SkippedCall[] {
  return calls.flatMap(({ tool, node, skippedBy: by }) =>
    by === undefined ? [] : [{ tool: node ?? tool, by }],
  );
}
