/** Where a run stands, as its journal says. */
import type { JsonObject } from "../core/json.ts";
import type { Run, Step } from "../core/store.ts";
import { questionIdOf } from "./decide.ts";
import { isUncertain, type EarlierRun } from "./earlier-run.ts";
import { namesOf } from "./labels.ts";
import type { Checkpoint, CheckpointStep } from "./run.ts";
import { skippedBy } from "./skipped.ts";

export function checkpointOf({ run, steps, uncertain, waiting }: EarlierRun): Checkpoint {
  const names = namesOf(steps);
  const failed = steps.find(({ seq }) => seq === run.error?.["step"]);
  return {
    runId: run.id,
    completed: steps
      .filter((step) => step.status === "succeeded" && skippedBy(step) === undefined)
      .map(({ key }) => names.get(key)!),
    failed: failed === undefined ? failedNode(run) : names.get(failed.key)!,
    steps: steps.map((step) => stepOf(step, steps, run, names.get(step.key)!)),
    isResumable: run.status !== "succeeded",
    uncertain,
    waiting,
  };
}

/** A node can fail before it is a step. */
function failedNode({ error, status }: Pick<Run, "error" | "status">): string | null {
  if (status === "paused") return null;
  return typeof error?.["node"] === "string" ? error["node"] : null;
}

function stepOf(
  step: Step,
  steps: readonly Step[],
  run: Pick<Run, "error" | "kind">,
  name: string,
): CheckpointStep {
  const by = skippedBy(step);
  const ended = by === undefined ? step.status : "skipped";
  const status = isUncertain(step, steps, run) ? "uncertain" : ended;
  return {
    name,
    tool: step.tool,
    status: status === "sent" ? "uncertain" : status,
    elapsedMs: step.finishedAt === null ? null : step.finishedAt - step.startedAt,
    ...(step.fromRunId !== null && { isReplayed: true }),
    ...(by !== undefined && { skippedBy: by }),
  };
}

/** As the answer of `execute` and the trace show it. */
export function checkpointJson(checkpoint: Checkpoint): JsonObject {
  const { runId, completed, failed, steps, isResumable, uncertain, waiting } = checkpoint;
  return {
    run_id: runId,
    completed_nodes: completed,
    failed_node: failed,
    resumable: isResumable,
    steps: steps.map(({ name, tool, status, elapsedMs, isReplayed, skippedBy: by }) => ({
      name,
      tool,
      status,
      elapsed_ms: elapsedMs,
      ...(isReplayed && { from_journal: true }),
      ...(by !== undefined && { skipped_by: by }),
    })),
    ...(uncertain.length > 0 && {
      uncertain: uncertain.map(({ runId: id, name, tool, args }) => ({ run_id: id, name, tool, args })),
    }),
    ...(waiting !== null && {
      waiting_for: {
        name: waiting.name,
        message: waiting.message,
        details: waiting.details,
        ...(waiting.until === null
          ? { question: questionIdOf(waiting) }
          : { until: new Date(waiting.until).toISOString() }),
      },
    }),
  };
}
