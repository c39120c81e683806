/**
 * Tasks of MCP, as the extension `io.modelcontextprotocol/tasks` has them (SEP-2663): a run is a task, and its id that of
 * the task. Everything is read from the store, so any process answers, also after a restart.
 */
import { declares, TASKS_EXTENSION } from "../../core/declared.ts";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { MISSING_CAPABILITY } from "../../core/rpc-codes.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolAnswer } from "../../core/tool.ts";
import type { RunLook } from "../../runs/background/look.ts";
import { quote } from "../../text/quote.ts";

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

/** The one answer for an id that is not there, was made up, or is not for this caller. */
export function noTask(taskId: unknown): ToolResult<never> {
  const named = typeof taskId === "string" ? ` ${quote(taskId)}` : " without an id";
  return fail("TOOL_NOT_FOUND", `There is no task${named}.`, { field: "taskId" });
}

/** The SDK takes them out of the parameters. */
export function responsesIn(params: JsonObject, { modern }: Pick<CallContext, "modern">): JsonObject {
  const given = modern?.inputResponses ?? params["inputResponses"];
  return isJsonObject(given) ? given : {};
}
