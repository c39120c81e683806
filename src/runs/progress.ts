import type { CallContext } from "../core/tool.ts";
import type { RunEvent } from "./run.ts";

/** One step for each call that has ended; of code, the total is not known. */
export function reportProgress(event: RunEvent, { onProgress }: CallContext): void {
  if (event.kind !== "call_ended") return;
  onProgress?.({
    progress: event.number,
    ...(event.total !== undefined && { total: event.total }),
    message: `${event.tool} ${event.isSkipped === true ? "was skipped" : event.success ? "returned" : "failed"}`,
  });
}
