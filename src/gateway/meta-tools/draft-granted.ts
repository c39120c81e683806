/**
 * Whether a client of a profile may keep a draft. The keeper looks at the names in it as that client; this looks at
 * the names that are not in it: a `workflow` node whose name a template gives, or that names a draft, could become
 * anything later.
 */
import { parseReference } from "../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CapabilityKind } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import type { Library } from "../../library/library.ts";
import type { Runs } from "../../runs/runs.ts";

interface GrantedDeps {
  readonly runs: Pick<Runs, "prepareWorkflow">;
  /** As the client sees it. */
  readonly library: Library;
}

export async function checkDraftGranted(
  deps: GrantedDeps,
  { kind, source }: { readonly kind: CapabilityKind; readonly source: string },
  context: CallContext,
): Promise<ToolResult<unknown>> {
  if (context.view === undefined || kind === "code") return succeed(undefined);
  const prepared = await deps.runs.prepareWorkflow(source, undefined, context);
  if (!prepared.success) return prepared;
  for (const { id, type, params } of prepared.data.workflow.nodes) {
    const checked = type === "workflow" ? await checkNamed(deps.library, id, params["name"]) : prepared;
    if (!checked.success) return checked;
  }
  return succeed(undefined);
}

/** Only the name of something kept says for good what will run: a template or a draft can become anything. */
async function checkNamed(library: Library, node: string, name: unknown): Promise<ToolResult<void>> {
  const reference = typeof name === "string" ? parseReference(name) : undefined;
  const found = reference?.success === true ? await library.find(reference.data) : undefined;
  if (found !== undefined) return succeed(undefined);
  return fail("TOOL_INVALID_INPUT", `The node ${node} runs what this profile does not show.`, {
    reason: "not_granted",
    field: "draft_name",
    hint: "In a profile, a workflow node of something that is to be kept names something of the library, written out.",
  });
}
