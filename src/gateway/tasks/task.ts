/**
 * Tasks of MCP, as the extension `io.modelcontextprotocol/tasks` has them (SEP-2663): a run is a task, and its id that of
 * the task. Everything is read from the store, so any process answers, also after a restart.
 */
import { META_TOOL_NAMES } from "../../core/meta-tool-names.ts";
import { declares, TASKS_EXTENSION } from "../../core/extensions.ts";
import type { JsonObject } from "../../core/json.ts";
import { MISSING_CAPABILITY } from "../../core/rpc-codes.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolAnswer, ToolView } from "../../core/tool.ts";
import type { RunLook } from "../../runs/background/look.ts";

export const TASK_METHODS = ["tasks/get", "tasks/update", "tasks/cancel"] as const;
export type TaskMethod = (typeof TASK_METHODS)[number];

export function isTaskMethod(method: string): method is TaskMethod {
  return (TASK_METHODS as readonly string[]).includes(method);
}

/** Soon enough for a person who waits; a look at a run is a few reads. */
const POLL_INTERVAL_MS = 1_000;

/** Whether the client of this request knows tasks: it says so with each request. */
export function takesTasks({ modern }: Pick<CallContext, "modern">): boolean {
  return declares(modern?.capabilities, TASKS_EXTENSION);
}

/** Whether tasks are offered: by the whole gateway, and by a profile that shows something of ours. */
export function offersTasks(view: Pick<ToolView, "allows"> | undefined): boolean {
  return view === undefined || META_TOOL_NAMES.some((name) => view.allows(name));
}

/** What a client is told in place of the answer: that it comes later, and under which id. */
export function taskAnswer(taskId: string, look: Pick<RunLook, "run" | "startedAt">): ToolAnswer {
  // A result without content is none to the SDK; it is left out when the answer is sent.
  return { resultType: "task", ...taskFields(taskId, look), status: "working", content: [] };
}

/** What every word about a task has. It does not expire: runs are kept. */
export function taskFields(
  taskId: string,
  { run, startedAt }: Pick<RunLook, "run" | "startedAt">,
): JsonObject {
  return {
    taskId,
    createdAt: timeOf(startedAt),
    lastUpdatedAt: timeOf(run.finishedAt ?? run.startedAt),
    ttlMs: null,
    pollIntervalMs: POLL_INTERVAL_MS,
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** The answer to a client that has not said that it knows tasks. */
export function tasksNotDeclared(): ToolResult<never> {
  const message = `The request needs the extension ${TASKS_EXTENSION}, which the client has not declared.`;
  const data = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } };
  return fail("TOOL_INVALID_INPUT", message, { upstream: { code: MISSING_CAPABILITY, message, data } });
}
