/** The nodes of a workflow's run, and how far each is. */
import { isNodeKey, labelOf, outlineWorkflow, type App } from "../../app/app.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Run, StepSummary } from "../../core/store.ts";
import type { AnswerOf } from "../contract/contract.ts";
import { sourceOf } from "./run-source.ts";
import { statusOf, type StepRow } from "./step-row.ts";

type Graph = AnswerOf<"getGraph">;
type NodeStatus = StepRow["status"];

/** A workflow has at most so many calls that a picture of it counts. */
const STEP_COUNT_MAX = 20_000;

export async function getGraph(app: App, run: Run): Promise<ToolResult<Graph>> {
  const source = await sourceOf(app, run);
  const outline = source?.kind === "workflow" ? outlineWorkflow(source.text) : undefined;
  if (outline === undefined)
    return fail("TOOL_INVALID_INPUT", `The run ${run.id} is no run of a workflow.`, {
      field: "run",
      reason: "no_workflow",
    });
  const steps = await app.store.runs.stepPage(run.id, { after: 0, limit: STEP_COUNT_MAX });
  const byNode = Map.groupBy(
    steps.filter(({ key }) => isNodeKey(key)),
    ({ key }) => nodeOf(key),
  );
  const isRunning = app.traces.statusOf(run) === "running";
  return succeed({
    nodes: outline.nodes.map(({ id, type }) => ({ id, type, ...stateOf(byNode.get(id) ?? [], isRunning) })),
    edges: outline.edges.map((edge) => ({ ...edge })),
  });
}

/** `fetch` of `fetch`, of its question `fetch?`, of an item `fetch[3]` and of another attempt `fetch[3]~2`. */
function nodeOf(key: string): string {
  return itemOf(key).replace(/\[\d+\]$/, "");
}

function itemOf(key: string): string {
  return labelOf(key).replace(/~\d+$/, "").replace(/\?$/, "");
}

/** What is most urgent of the steps of a node is what it is. */
const URGENCY: readonly NodeStatus[] = ["waiting", "under_way", "sent", "failed", "skipped", "succeeded"];

function stateOf(
  steps: readonly StepSummary[],
  isRunning: boolean,
): Omit<Graph["nodes"][number], "id" | "type"> {
  const [first] = steps;
  if (first === undefined) return { status: "pending", elapsed_ms: null };
  // Of several attempts at an item the last counts, and a question that was answered is over.
  const newest = new Map(steps.map((step) => [itemOf(step.key), step]));
  const statuses = new Set([...newest.values()].map((step) => statusOf(step, { isRunning })));
  const endAt = Math.max(...steps.map(({ finishedAt, startedAt }) => finishedAt ?? startedAt));
  const isOver = steps.every(({ finishedAt }) => finishedAt !== null);
  return {
    status: URGENCY.find((status) => statuses.has(status))!,
    elapsed_ms: isOver ? endAt - Math.min(...steps.map(({ startedAt }) => startedAt)) : null,
    step: first.number,
    ...(newest.size > 1 && { item_count: newest.size }),
  };
}
