/**
 * The drafts as a token with limits sees them: those whose text it has run itself, and for it there are no others. The
 * folder is everybody's, and a draft is named after what somebody's run was for.
 */
import { fail, type ToolResult } from "../../core/result.ts";
import { ownerSeenBy, type Principal } from "../../core/principal.ts";
import type { Draft, Drafts } from "../../library/drafts.ts";

/** Whether a run of exactly this source, by this principal, has succeeded. */
export type HasRun = (source: string, principal: string) => Promise<boolean>;

export function viewDrafts(
  drafts: Drafts,
  principal: Principal | undefined,
  hasRun: HasRun | undefined,
): Drafts {
  const owner = ownerSeenBy(principal);
  if (owner === undefined) return drafts;
  return {
    ...drafts,
    names: () => Promise.resolve([]),
    async find(name, field = "name") {
      const found = await drafts.find(name, field);
      const isOwn = found.success && (await hasRun?.(found.data.text, owner)) === true;
      return isOwn ? found : notShown(name, field);
    },
  };
}

function notShown(name: string, field: string): ToolResult<Draft> {
  return fail("TOOL_NOT_FOUND", `There is no draft called ${JSON.stringify(name)}.`, {
    field,
    nearest: [],
    hint: "A token with limits has the drafts of its own runs, as execute named them.",
  });
}
