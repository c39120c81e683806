/**
 * A modern server over HTTP in this process, whose tool `slow` always becomes a task, as the extension has it. It outlives
 * every gateway in front of it, and tells what it was asked.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { TASKS_EXTENSION_ID_V2 } from "@modelcontextprotocol/ext-tasks/core/v2";

type Fields = Readonly<Record<string, unknown>>;

export interface TaskServer {
  readonly url: string;
  /** The ids of its tasks, in the order of the calls: each call is one effect. */
  readonly begun: readonly string[];
  /** What it was asked by this method. */
  heard(method: string): readonly Fields[];
  /** All that work end with this text, and with a link where one is given. */
  finish(text: string, uri?: string): void;
  /** It knows no task any more. */
  forget(): void;
  /** All that work ask this before they go on. */
  ask(key: string, message: string): void;
  close(): Promise<void>;
}

interface Asked {
  readonly method: string;
  readonly params: Fields;
}

interface Task {
  status: Fields;
  isOver: boolean;
}

const AT = "2026-03-01T08:00:00.000Z";
const WORKING: Fields = { status: "working", statusMessage: "at work" };
const TOOL = { name: "slow", description: "Takes its time.", inputSchema: { type: "object" } };
const DISCOVERED = {
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {}, extensions: { [TASKS_EXTENSION_ID_V2]: {} } },
  serverInfo: { name: "tasks", version: "1" },
};

export async function startTaskServer(): Promise<TaskServer> {
  const tasks = new Map<string, Task>();
  const asked: Asked[] = [];
  const fieldsOf = (taskId: string) => {
    return { taskId, createdAt: AT, lastUpdatedAt: AT, ttlMs: null, pollIntervalMs: 100 };
  };
  const change = (status: Fields, isOver = false): void => {
    for (const task of tasks.values()) if (!task.isOver) Object.assign(task, { status, isOver });
  };

  function answer(method: string, params: Fields): Fields {
    if (method === "server/discover") return { result: DISCOVERED };
    if (method === "tools/list") return { result: { tools: [TOOL] } };
    if (method === "tools/call") {
      const taskId = randomUUID();
      tasks.set(taskId, { status: WORKING, isOver: false });
      return { result: { resultType: "task", ...fieldsOf(taskId), ...WORKING } };
    }
    const taskId = String(params["taskId"]);
    const task = tasks.get(taskId);
    if (!method.startsWith("tasks/")) return { error: { code: -32_601, message: "Method not found" } };
    if (task === undefined) return { error: { code: -32_602, message: `no ${taskId}` } };
    if (method === "tasks/get")
      return { result: { resultType: "complete", ...fieldsOf(taskId), ...task.status } };
    if (method === "tasks/cancel") Object.assign(task, { status: { status: "cancelled" }, isOver: true });
    else task.status = WORKING;
    return { result: { resultType: "complete" } };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await request.toArray()).join("");
    const {
      id,
      method = "",
      params = {},
    } = JSON.parse(body || "{}") as Partial<Asked> & { readonly id?: unknown };
    asked.push({ method, params });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) }));
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    get begun() {
      return [...tasks.keys()];
    },
    heard: (method) => asked.filter((one) => one.method === method).map(({ params }) => params),
    finish(text, uri) {
      const links = uri === undefined ? [] : [{ type: "resource_link", uri, name: "a link" }];
      change({ status: "completed", result: { content: [{ type: "text", text }, ...links] } }, true);
    },
    forget: () => tasks.clear(),
    ask(key, message) {
      const requestedSchema = { type: "object", properties: { ok: { type: "boolean" } } };
      const request = { method: "elicitation/create", params: { message, requestedSchema } };
      change({ status: "input_required", inputRequests: { [key]: request } });
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
