/** A gateway over real runs and their queue, for clients that know tasks. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import {
  CreateTaskResultV2Schema,
  GetTaskResultV2Schema,
  TASKS_EXTENSION_ID_V2,
} from "@modelcontextprotocol/ext-tasks/core/v2";
import { eventuallyAsync, temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { contextOf, createFixtureSource, toolOf } from "../../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../../core/json.ts";
import { silentLog } from "../../core/log.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, ToolAnswer } from "../../core/tool.ts";
import { createRegistry } from "../../registry/registry.ts";
import { isGone } from "../../runs/journal/owner.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { depsOf } from "../gateway.testkit.ts";
import type { GatewayDeps } from "../gateway-deps.ts";
import { createReachFinder } from "../meta-tools/run-view.ts";
import { createGateway } from "../whole-gateway.ts";
import type { TaskMethod } from "./task.ts";

export const TASKS = { extensions: { [TASKS_EXTENSION_ID_V2]: {} } };
export const FORMS = { ...TASKS, elicitation: { form: {} } };

/** A request of a modern client that says what it can do. */
export function from(capabilities: JsonObject, part: Partial<CallContext> = {}): CallContext {
  return { ...contextOf(), session: "s", ...part, modern: { capabilities } };
}

/** `notes__list` answers at once, `notes__slow` when the test says so. */
export async function openTasks(part: Partial<GatewayDeps> = {}) {
  const home = temporaryFolder();
  const draftsFolder = join(home, "drafts");
  mkdirSync(draftsFolder);
  const store = await openSqliteStore({ home });
  const registry = createRegistry();
  const notes = createFixtureSource("notes", [toolOf("list"), toolOf("slow")]);
  const called = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const call: typeof notes.call = async (name, args, context) => {
    if (name !== "slow") return notes.call(name, args, context);
    notes.calls.push({ name, args });
    called.resolve();
    await finish.promise;
    return succeed({ content: [{ type: "text", text: "at last" }] });
  };
  registry.add({ ...notes, call });
  const findReach = createReachFinder({ runs: store.runs, capabilities: store.capabilities });
  const deps = {
    ...depsOf({ store, registry, draftsFolder, servers: () => ["notes"] }),
    findReach,
    taskAfterMs: 60_000,
    ...part,
  };
  const queue = store.openQueue({ scope: () => DEFAULT_SCOPE, isGone, log: silentLog });
  queue.work(deps.runs.deliver, { concurrency: 2 });
  onTestFinished(async () => {
    finish.resolve();
    await queue.drain();
    await deps.runs.drain();
    await queue.close();
    await registry.close();
    await store.close();
  });
  const gateway = createGateway(deps);
  const ask = (method: TaskMethod, params: JsonObject, context = from(TASKS)) =>
    gateway.forward(method, params, context);
  return {
    gateway,
    deps,
    store,
    registry,
    draftsFolder,
    ask,
    /** Every answer fits the schema of the extension. */
    async get(this: void, taskId: string, context = from(TASKS)): Promise<JsonObject> {
      const told = dataOf(await ask("tasks/get", { taskId }, context));
      GetTaskResultV2Schema.parse(told);
      return told;
    },
    calls: (name: string) => notes.calls.filter((one) => one.name === name).length,
    called: called.promise,
    finish: finish.resolve,
  };
}

export type TaskRig = Awaited<ReturnType<typeof openTasks>>;

export function dataOf(result: ToolResult<JsonObject>): JsonObject {
  if (!result.success) throw new Error(result.error.message);
  return result.data;
}

/** The id of the task that a call was answered with. */
export function taskIn(answer: ToolAnswer): string {
  const { content, ...told } = answer;
  expect(content).toEqual([]);
  return CreateTaskResultV2Schema.parse(told).taskId;
}

export function taskUntil({ get }: TaskRig, taskId: string, status: string, context = from(TASKS)) {
  return eventuallyAsync(`${status} of ${taskId}`, async () => {
    const task = await get(taskId, context);
    return task["status"] === status ? task : undefined;
  });
}
