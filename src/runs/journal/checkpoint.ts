/** Where a run stopped, read from its journal. */
import type { JsonObject } from "../../core/json.ts";
import type { Run } from "../../core/store.ts";
import { questionIdOf } from "../resume/decide.ts";
import type { EarlierRun } from "../resume/earlier-run.ts";
import { namesOf } from "../workflow/labels.ts";
import type { Checkpoint } from "../run.ts";
import { skippedBy } from "../resume/skipped.ts";

/** A run that another one has gone on from is done with: that one can be resumed. */
export function checkpointOf(
  { run, steps, uncertain, waiting }: EarlierRun,
  successor: string | undefined,
): Checkpoint {
  const names = namesOf(steps);
  const failed = steps.find(({ seq }) => seq === run.error?.["step"]);
  return {
    runId: run.id,
    completed: steps
      .filter((step) => step.status === "succeeded" && skippedBy(step) === undefined)
      .map(({ key }) => names.get(key)!),
    failed: failed === undefined ? failedNode(run) : names.get(failed.key)!,
    stepCount: steps.length,
    isResumable: run.status !== "succeeded" && successor === undefined,
    successor,
    uncertain,
    waiting,
  };
}

/** A node can fail before it is a step. */
function failedNode({ error, status }: Pick<Run, "error" | "status">): string | null {
  if (status === "paused") return null;
  return typeof error?.["node"] === "string" ? error["node"] : null;
}

/** As the answer of `execute` and the trace show it. */
export function checkpointJson(checkpoint: Checkpoint): JsonObject {
  const { runId, completed, failed, stepCount, isResumable, successor, uncertain, waiting } = checkpoint;
  return {
    run_id: runId,
    completed_nodes: completed,
    failed_node: failed,
    steps: stepCount,
    resumable: isResumable,
    ...(successor !== undefined && { resumed_by: successor }),
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
