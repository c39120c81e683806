import { parseToolName } from "./names.ts";
import type { CallContext, ToolView } from "./tool.ts";

/**
 * Whether a call is made by something that was kept. A draft that a kept workflow starts is not: anyone may have changed it since
 * the workflow was kept.
 */
export function isInsideCapability({ path = [] }: Pick<CallContext, "path">): boolean {
  const innermost = path.at(-1);
  return innermost !== undefined && parseToolName(innermost).kind === "capability";
}

/**
 * The view that a call is held to. What was kept and is visible may use what it was written against, also what its caller
 * cannot see, so inside of it there is none.
 */
export function viewOf(context: Pick<CallContext, "view" | "path">): ToolView | undefined {
  return context.view === undefined || isInsideCapability(context) ? undefined : context.view;
}
