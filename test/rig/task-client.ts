/** A modern client that knows tasks, over HTTP: by hand, and as the client of the extension does it. */
import { createTaskSessionFromClient, type TaskEnabledSession } from "@modelcontextprotocol/ext-tasks/client";
import {
  CancelTaskResultV2Schema,
  CreateTaskResultV2Schema,
  GetTaskResultV2Schema,
  TASKS_EXTENSION_ID_V2,
  UpdateTaskResultV2Schema,
} from "@modelcontextprotocol/ext-tasks/core/v2";
import { eventuallyAsync } from "../fixtures/temporary.ts";
import { connectHttp, messageOf, modernRequest, type Headers, type Message } from "./http-process.ts";

export const TASKS = { extensions: { [TASKS_EXTENSION_ID_V2]: {} } };
const FORMS = { ...TASKS, elicitation: { form: {} } };
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
/** Far beyond what a run of a test needs, also on a busy machine. */
const PATIENCE_MS = 90_000;

interface Reply extends Message {
  readonly status: number;
}

export interface TaskClient {
  request(method: string, params: Readonly<Record<string, unknown>>, headers?: Headers): Promise<Reply>;
  /** Calls a tool; the answer must be a task, and fit the schema of one. */
  begin(name: string, args: object): Promise<string>;
  get(taskId: string): Promise<Readonly<Record<string, unknown>>>;
  until(taskId: string, status: string): Promise<Readonly<Record<string, unknown>>>;
}

/** What each answer must fit. */
const SCHEMAS = new Map<string, { parse(value: unknown): unknown }>([
  ["tasks/get", GetTaskResultV2Schema],
  ["tasks/update", UpdateTaskResultV2Schema],
  ["tasks/cancel", CancelTaskResultV2Schema],
]);

export function taskClient(url: URL, given: Headers, capabilities: object = FORMS): TaskClient {
  let count = 0;
  const request: TaskClient["request"] = async (method, params, more = {}) => {
    const { headers, body } = modernRequest(++count, method, params, { [CAPABILITIES]: capabilities });
    const all = {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...given,
      ...headers,
      ...more,
    };
    const response = await fetch(url, { method: "POST", headers: all, body });
    const message = messageOf(await response.text());
    if (message.result !== undefined) SCHEMAS.get(method)?.parse(message.result);
    return { ...message, status: response.status };
  };
  const get: TaskClient["get"] = async (taskId) => {
    const { result, error } = await request("tasks/get", { taskId });
    if (result === undefined) throw new Error(JSON.stringify(error));
    return result;
  };
  return {
    request,
    get,
    async begin(name, args) {
      const { result, error } = await request("tools/call", { name, arguments: args });
      if (result === undefined) throw new Error(JSON.stringify(error));
      for (const key of ["content", "task", "requestState"])
        if (key in result) throw new Error(`a task has no ${key}: ${JSON.stringify(result)}`);
      return CreateTaskResultV2Schema.parse(result).taskId;
    },
    until: (taskId, status) =>
      eventuallyAsync(
        `${status} of ${taskId}`,
        async () => {
          const task = await get(taskId);
          return task["status"] === status ? task : undefined;
        },
        PATIENCE_MS,
      ),
  };
}

/** The client of the extension; a person behind it says yes to everything. */
export async function taskSession(
  url: URL,
  headers: Headers,
): Promise<{
  readonly session: TaskEnabledSession;
  readonly asked: unknown[];
  close(this: void): Promise<void>;
}> {
  const { client } = await connectHttp("2026-07-28", url, headers, FORMS);
  const wire = taskClient(url, headers, FORMS);
  const asked: unknown[] = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: "test",
    async rawDispatch(request) {
      const { method, params = {} } = request as unknown as { method: string; params?: object };
      const { _meta: _, ...rest } = params as Record<string, unknown>;
      const { result, error } = await wire.request(method, rest);
      return (result === undefined ? { kind: "error", error } : { kind: "result", result }) as never;
    },
    v2RequestFraming: {
      protocolVersion: "2026-07-28",
      clientInfo: { name: "tasks", version: "1" },
      clientCapabilities: FORMS,
    },
    onInputRequest(request) {
      asked.push(request);
      return Promise.resolve({ action: "accept", content: { approve: true } } as never);
    },
  });
  return {
    session,
    asked,
    async close() {
      await session.close();
      await client.close();
    },
  };
}
