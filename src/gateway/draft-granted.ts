/**
 * Whether a client of a profile may keep a draft. What was kept may use what it was written against, whoever calls it; so a draft
 * that is kept must use nothing but what its keeper sees, down to the code in the nodes of a workflow.
 */
import { parseReference } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CapabilityKind } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import type { Library } from "../library/library.ts";
import type { Runs } from "../runs/runs.ts";

interface GrantedParts {
  readonly runs: Pick<Runs, "prepare" | "prepareWorkflow">;
  /** As the client sees it. */
  readonly library: Library;
}

export async function checkDraftGranted(
  parts: GrantedParts,
  { kind, source }: { readonly kind: CapabilityKind; readonly source: string },
  context: CallContext,
): Promise<ToolResult<unknown>> {
  if (context.view === undefined) return succeed(undefined);
  // As a draft, so that the view counts for every name in it.
  if (kind === "code") return parts.runs.prepare(source, undefined, context);
  const prepared = await parts.runs.prepareWorkflow(source, undefined, context);
  if (!prepared.success) return prepared;
  for (const { id, type, params } of prepared.data.workflow.nodes) {
    const checked =
      type === "code"
        ? await parts.runs.prepare(params["code"] as string, undefined, context)
        : type === "workflow"
          ? await checkNamed(parts.library, id, params["name"])
          : succeed(undefined);
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
