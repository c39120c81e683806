/**
 * Tasks of servers, for a client that knows tasks and called the tool itself: it follows the task, under an id of ours,
 * and each question about it goes to the server that has it. Nothing is kept here.
 */
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { INVALID_PARAMS } from "../../core/rpc-codes.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolAnswer } from "../../core/tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { noTask, responsesIn, takesTasks, type TaskMethod } from "./task.ts";
import type { TaskIds, ToolTask } from "./task-id.ts";

export interface ServerTaskDeps {
  readonly registry: Pick<Registry, "request" | "links">;
  readonly taskIds: TaskIds;
}

/** A call of a server's tool, as it is sent for this client: with its task, where the client can follow it. */
export function passingTasks(context: CallContext): CallContext {
  return takesTasks(context) ? { ...context, tasks: "passed" } : context;
}

/** The answer to such a call; of a task the id is ours. */
export async function exposeTask(
  { taskIds }: Pick<ServerTaskDeps, "taskIds">,
  answer: ToolResult<ToolAnswer>,
  begun: { readonly server: string; readonly tool: string },
  caller: CallContext,
): Promise<ToolResult<ToolAnswer>> {
  if (!answer.success || answer.data["resultType"] !== "task") return answer;
  const taskId = await taskIds.seal({ ...begun, taskId: answer.data["taskId"] as string }, caller);
  // A result without content is none to the SDK; it is left out when the answer is sent.
  return succeed({ ...answer.data, taskId, content: [] });
}

/** What is asked or said about a task goes to its server, which may know it no longer. */
export async function answerServerTask(
  { registry }: Pick<ServerTaskDeps, "registry">,
  method: TaskMethod,
  { id, task }: { readonly id: string; readonly task: ToolTask },
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  const { server, taskId, tool } = task;
  if (context.view?.allows(tool) === false) return noTask(id);
  const inputResponses = method === "tasks/update" ? responsesIn(params, context) : undefined;
  const modern = { ...context.modern!, inputResponses };
  const asking: CallContext = { ...context, modern, tasks: "passed" };
  const answer = await registry.request(server, method, { taskId }, asking);
  if (!answer.success) return isUnknownThere(answer) ? noTask(id) : answer;
  return succeed(exposeAnswer(withLinks(registry.links, server, answer.data), id));
}

/** What came of the call has links as any answer of the tool has. */
function withLinks(links: Registry["links"], server: string, answer: JsonObject): JsonObject {
  const { result } = answer;
  if (!isJsonObject(result)) return answer;
  const linked = links.answer(server, result as unknown as ToolAnswer);
  return { ...answer, result: linked as unknown as JsonObject };
}

function isUnknownThere({ error }: { readonly error: { readonly upstream?: { readonly code: number } } }) {
  return error.upstream?.code === INVALID_PARAMS;
}

/** The id is the one by which this client knows the task. */
function exposeAnswer(answer: JsonObject, taskId: string): JsonObject {
  const told = { ...answer, resultType: "complete" };
  return answer["taskId"] === undefined ? told : { ...told, taskId };
}
