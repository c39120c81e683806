/** What a task came to, as the call that began it would have been answered. */
import type { JsonObject } from "../../core/json.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { Run } from "../../core/store.ts";
import type { ToolAnswer } from "../../core/tool.ts";
import { capabilityAnswer } from "../../library/library-source.ts";
import type { Registry } from "../../registry/registry.ts";
import type { RunReport } from "../../runs/run.ts";
import { errorAnswer, toAnswer } from "../answer.ts";
import { executeAnswer } from "../meta-tools/execute-answer.ts";
import type { FindReach } from "../meta-tools/run-view.ts";

export interface TaskResultDeps {
  readonly registry: Pick<Registry, "route">;
  readonly findReach?: FindReach;
}

/**
 * The row does not say whether something kept was called as a tool or by `execute {name}`; it is told as the tool's own
 * answer. Everything else was begun by `execute`.
 */
export async function resultOfTask(
  deps: TaskResultDeps,
  { id, kind }: Pick<Run, "id" | "kind">,
  report: RunReport,
): Promise<JsonObject> {
  const isTool = kind === "capability" || kind === "call";
  const answer = isTool
    ? await toolAnswer(deps, id, report)
    : toAnswer(succeed(executeAnswer(report, null) as JsonObject));
  const told = answer.success ? answer.data : errorAnswer(withRun(answer.error, report), true);
  return { resultType: "complete", ...told };
}

async function toolAnswer(
  { registry, findReach }: TaskResultDeps,
  runId: string,
  report: RunReport,
): Promise<ToolResult<ToolAnswer>> {
  if (report.isCall === true) return report.result as unknown as ToolResult<ToolAnswer>;
  const tool = (await findReach?.(runId))?.capability;
  const definition = tool === undefined ? undefined : registry.route(tool)?.definition;
  return capabilityAnswer(report, definition?.outputSchema !== undefined);
}

function withRun<T extends object>(error: T, { runId }: RunReport): T {
  return runId === null ? error : { ...error, runId };
}
