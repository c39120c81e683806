/** Saves what a run executed: it is left as a draft, as a run of code leaves it, and saved as a client would save it. */
import { toolErrorIn } from "../../core/errors.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { AnswerOf, Asked } from "../contract/contract.ts";
import type { OperatorDeps, Viewer } from "../operator.ts";
import { findWholeRun } from "./run-access.ts";

export async function saveRun(
  deps: OperatorDeps,
  viewer: Viewer,
  runId: string,
  { name, ...rest }: Asked<"saveRun">["body"],
): Promise<ToolResult<AnswerOf<"saveRun">>> {
  const found = await findWholeRun(deps, viewer, runId);
  if (!found.success) return found;
  const { source, kind, intent, status } = found.data;
  if (source === null || kind === "capability" || kind === "call") return nothingToSave(runId);
  if (status !== "succeeded") return hasNotWorked(runId, status);
  const draft = await deps.app.drafts.save(source, intent ?? undefined, kind);
  const args = { draft_name: draft, final_name: name, ...rest };
  const answer = await viewer.gateway.callTool("save_to_library", args, viewer.context);
  const error = toolErrorIn(answer);
  if (error !== undefined) return { success: false, error };
  return succeed(answer.structuredContent as unknown as AnswerOf<"saveRun">);
}

function nothingToSave(runId: string): ToolResult<never> {
  return fail(
    "TOOL_INVALID_INPUT",
    `The run ${runId} executed something that is saved already, or a single call.`,
    {
      field: "run",
      reason: "nothing_to_save",
    },
  );
}

function hasNotWorked(runId: string, status: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `The run ${runId} is ${status}: only what has worked is saved.`, {
    field: "run",
    reason: "not_succeeded",
    hint: "Resume it first, corrected where it has to be.",
  });
}
