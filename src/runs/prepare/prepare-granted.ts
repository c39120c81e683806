import { parseToolName } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext } from "../../core/tool.ts";
import { viewOf } from "../../core/tool-view.ts";

/**
 * Whether the caller may run what stands at the end of the path. Every way to something kept comes through here: its name, a
 * `workflow` node, and a run of it that is resumed, whoever began that. So the view of whoever runs it now counts.
 */
export function checkGranted(path: readonly string[], context: CallContext): ToolResult<void> {
  const view = viewOf(context);
  const own = path.at(-1);
  if (view === undefined || own === undefined || parseToolName(own).kind !== "capability") {
    return succeed(undefined);
  }
  if (view.allows(own)) return succeed(undefined);
  return fail("TOOL_NOT_FOUND", `Nothing in the library is called ${JSON.stringify(own)}.`, {
    reason: "not_granted",
    hint: "list_library shows what there is.",
  });
}
