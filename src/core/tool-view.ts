import { parseToolName } from "./names.ts";
import type { CallContext, ToolView } from "./tool.ts";

/**
 * Whether a call is made by a capability. A draft that a saved workflow starts is not one: anyone may have changed it since
 * the workflow was saved.
 */
export function isInsideCapability({ path = [] }: Pick<CallContext, "path">): boolean {
  const innermost = path.at(-1);
  return innermost !== undefined && parseToolName(innermost).kind === "capability";
}

/**
 * The view that limits a call. A visible capability may use the tools that it was written against, also those that its caller
 * cannot see, so inside of it there is no view.
 */
export function viewOf(context: Pick<CallContext, "view" | "path">): ToolView | undefined {
  return context.view === undefined || isInsideCapability(context) ? undefined : context.view;
}
