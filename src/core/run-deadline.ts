/** A call that ends because the run that makes it has no time left: that is no fault of what was called. */
import type { CallContext } from "./tool.ts";

/** `leftMs` is what there was of it when the call was sent. */
export function describeRunDeadline({ deadlineMs }: CallContext, leftMs: number): string {
  return `the time limit of the run, ${deadlineMs === undefined ? `of which ${leftMs} ms were left` : `${deadlineMs} ms`},`;
}

export const RUN_DEADLINE_HINT =
  "Do less in one run, or raise its limit: timeout_ms of execute, --timeout on the command line.";
