import { parseToolName } from "./names.ts";
import type { CallContext, ToolView } from "./tool.ts";

/** Whether a call is made by something that was kept; a draft is not. */
export function isInsideCapability({ path = [] }: Pick<CallContext, "path">): boolean {
  return path.some((name) => parseToolName(name).kind === "capability");
}

/**
 * The view that a call is held to. What was kept and is visible may use what it was written against, also what its caller
 * cannot see, so inside of it there is none.
 */
export function viewOf(context: Pick<CallContext, "view" | "path">): ToolView | undefined {
  return context.view === undefined || isInsideCapability(context) ? undefined : context.view;
}
