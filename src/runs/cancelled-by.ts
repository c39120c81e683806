import type { ToolError } from "../core/errors.ts";
import { fail } from "../core/result.ts";
import { THIS_RUN } from "./workflow/pause.ts";

/** How a run ends that somebody cancelled. */
export function cancelledBy(by: string): ToolError {
  return fail("CANCELLED", `${by} cancelled the run.`, {
    reason: "cancelled",
    hint: `execute {"resume": "${THIS_RUN}"} continues it; no call that succeeded is made again.`,
  }).error;
}
