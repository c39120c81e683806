/** Runs as tasks: who gets one, what is told of it, who may see it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Permission, Principal } from "../../core/principal.ts";
import { MISSING_CAPABILITY } from "../../core/rpc-codes.ts";
import { sum } from "../gateway.testkit.ts";
import { createProfileGateway } from "../profiles/profile-gateway.ts";
import { createProfileView } from "../profiles/profile-view.ts";
import { dataOf, FORMS, from, openTasks, taskIn, TASKS, taskUntil } from "./tasks.testkit.ts";

const NO_RUN = "01980f0e-6c3a-7000-8000-0000000000aa";

const principalOf = (id: string, permissions: Permission[], limits: Partial<Principal> = {}): Principal => ({
  id,
  name: id,
  permissions: new Set(permissions),
  revoked: new AbortController().signal,
  ...limits,
});

describe("a background run of a client that knows tasks", () => {
  it("is a task that any client may ask for until it has its result", async () => {
    const rig = await openTasks();
    const args = { code: "return await mcp.notes.slow({})", background: true };
    const answer = await rig.gateway.callTool("execute", args, from(TASKS));
    expect(answer).toMatchObject({ resultType: "task", status: "working", ttlMs: null });
    expect(Object.keys(answer)).not.toEqual(expect.arrayContaining(["task"]));
    const taskId = taskIn(answer);
    const { createdAt } = answer;
    await rig.called;
    expect(await rig.get(taskId)).toMatchObject({ status: "working", createdAt, statusMessage: "It runs." });
    rig.finish();
    const done = await taskUntil(rig, taskId, "completed");
    expect(done).toMatchObject({
      resultType: "complete",
      taskId,
      result: {
        resultType: "complete",
        structuredContent: { success: true, run_id: taskId, outputs: "at last" },
        content: [{ type: "text" }],
      },
    });
    expect(done["result"]).not.toHaveProperty("isError");
  });

  it("is answered as ever to every other client", async () => {
    const { gateway, store } = await openTasks();
    const args = { code: "return 1", background: true };
    for (const context of [from({}), from({ extensions: {} }), undefined]) {
      const answer = await gateway.callTool("execute", args, context);
      expect(answer).not.toHaveProperty("resultType");
      expect(answer.structuredContent).toMatchObject({ success: true, status: "queued" });
    }
    expect(await store.runs.list(DEFAULT_SCOPE, { limit: 9, mode: "background" })).toHaveLength(3);
  });

  it("has completed with an error where it failed, and tells mistakes at once", async () => {
    const rig = await openTasks();
    const failing = { code: "throw new Error('no paper')", background: true };
    const taskId = taskIn(await rig.gateway.callTool("execute", failing, from(TASKS)));
    expect(await taskUntil(rig, taskId, "completed")).toMatchObject({
      result: {
        isError: true,
        structuredContent: { success: false, error: { message: expect.stringContaining("no paper") } },
      },
    });
    const wrong = { code: "return mcp.no.such({})", background: true };
    const refused = await rig.gateway.callTool("execute", wrong, from(TASKS));
    expect(refused).toMatchObject({ isError: true, structuredContent: { run_id: null } });
  });
});

describe("a call that takes long", () => {
  it("becomes a task, goes on when its client has gone, and is told as it would have been answered", async () => {
    const rig = await openTasks({ taskAfterMs: 0 });
    const client = new AbortController();
    const told: unknown[] = [];
    const context = from(TASKS, { signal: client.signal, onProgress: (note) => told.push(note) });
    const args = { code: "return await mcp.notes.slow({})" };
    const taskId = taskIn(await rig.gateway.callTool("execute", args, context));
    client.abort();
    await rig.called;
    rig.finish();
    expect(await taskUntil(rig, taskId, "completed")).toMatchObject({
      result: { structuredContent: { success: true, outputs: "at last" } },
    });
    expect(told).toEqual([]);
    expect(rig.calls("slow")).toBe(1);
  });

  it("of something kept is told in the words of its tool, by whichever way it was called", async () => {
    const rig = await openTasks({ taskAfterMs: 0 });
    const source = "return { text: await mcp.notes.slow({}), a: args.a }";
    const draft = { ...sum, source, toolsUsed: [], outputSchema: { type: "object" } };
    await rig.store.capabilities.save(draft);
    const one = taskIn(await rig.gateway.callTool("mcp__math__sum", { a: 1 }, from(TASKS)));
    const two = taskIn(await rig.gateway.callTool("math:sum", { a: 2 }, from(TASKS)));
    const three = taskIn(await rig.gateway.find("mcp__math__sum")!.call({ a: 3 }, from(TASKS)));
    rig.finish();
    for (const [at, taskId] of [one, two, three].entries()) {
      expect(await taskUntil(rig, taskId, "completed")).toMatchObject({
        result: {
          structuredContent: { text: "at last", a: at + 1 },
          _meta: { "repertoire/runId": taskId },
        },
      });
    }
  });

  it("is no task with save_as, of a server's own tool, or where the run cannot be detached", async () => {
    const rig = await openTasks({ taskAfterMs: 0 });
    rig.finish();
    const kept = { code: "return await mcp.notes.slow({})", save_as: "kept:last" };
    const answers = [
      await rig.gateway.callTool("execute", kept, from(TASKS)),
      await rig.gateway.callTool("notes__slow", {}, from(TASKS)),
      await rig.gateway.callTool("list_library", {}, from(TASKS)),
    ];
    for (const answer of answers) expect(answer).not.toHaveProperty("resultType");
    expect(answers[0]!.structuredContent).toMatchObject({ saved: { tool: "mcp__kept__last" } });
  });
});

describe("a task that asks a person", () => {
  const WORKFLOW = JSON.stringify({
    ir_version: "1.0",
    nodes: [
      { id: "ok", type: "approve", params: { message: "Send it?" } },
      { id: "send", type: "notes__list", params: {} },
    ],
    edges: [{ from: "ok", to: "send" }],
  });

  async function openAsking() {
    const rig = await openTasks();
    writeFileSync(join(rig.draftsFolder, "flow.json"), WORKFLOW);
    const args = { name: "flow", background: true };
    const start = async () => taskIn(await rig.gateway.callTool("execute", args, from(FORMS)));
    const asked = async (taskId: string) => {
      const task = await taskUntil(rig, taskId, "input_required", from(FORMS));
      return Object.entries(task["inputRequests"] as object) as [string, object][];
    };
    return { ...rig, rig, start, asked };
  }

  it("is answered by an update, once, and goes on by itself", async () => {
    const { rig, start, asked, ask, calls } = await openAsking();
    const taskId = await start();
    const requests = await asked(taskId);
    expect(requests).toMatchObject([
      [expect.stringMatching(/^[0-9a-f]{32}$/), { method: "elicitation/create", params: {} }],
    ]);
    const [[key]] = requests as [[string, object]];
    const yes = { [key]: { action: "accept", content: { approve: true } } };
    for (const inputResponses of [{}, { nobody: yes[key]! }, { [key]: { action: "cancel" } }]) {
      expect(dataOf(await ask("tasks/update", { taskId, inputResponses }, from(FORMS)))).toEqual({
        resultType: "complete",
      });
      expect(await rig.get(taskId, from(FORMS))).toMatchObject({ status: "input_required" });
    }
    for (let i = 0; i < 2; i++)
      dataOf(await ask("tasks/update", { taskId, inputResponses: yes }, from(FORMS)));
    expect(await taskUntil(rig, taskId, "completed", from(FORMS))).toMatchObject({
      taskId,
      result: { structuredContent: { success: true } },
    });
    expect(calls("list")).toBe(1);
  });

  it("ends with a no", async () => {
    const { rig, start, asked, ask, calls } = await openAsking();
    const taskId = await start();
    const [[key]] = (await asked(taskId)) as [[string, object]];
    await ask("tasks/update", { taskId, inputResponses: { [key]: { action: "decline" } } }, from(FORMS));
    expect(await taskUntil(rig, taskId, "completed", from(FORMS))).toMatchObject({
      result: { isError: true, structuredContent: { error: { reason: "denied" } } },
    });
    expect(calls("list")).toBe(0);
  });

  it("says how it is decided to a client that takes no forms or may not decide", async () => {
    const { start, asked, rig, ask } = await openAsking();
    const taskId = await start();
    const [[key]] = (await asked(taskId)) as [[string, object]];
    const reader = from(FORMS, { principal: principalOf("token:r", ["read", "call"]) });
    for (const context of [from(TASKS), reader]) {
      expect(await rig.get(taskId, context)).toMatchObject({
        status: "working",
        statusMessage: expect.stringContaining(`repertoire approve ${taskId}`),
      });
    }
    const inputResponses = { [key]: { action: "accept", content: { approve: true } } };
    expect(await ask("tasks/update", { taskId, inputResponses }, reader)).toMatchObject({
      error: { code: "SECURITY_ERROR" },
    });
    expect(await asked(taskId)).toHaveLength(1);
  });

  it("goes on by itself after an update, also where it was started in the foreground", async () => {
    const { rig, gateway, ask } = await openAsking();
    const paused = await gateway.callTool("execute", { name: "flow" }, from({}));
    const taskId = paused.structuredContent!["run_id"] as string;
    const task = await rig.get(taskId, from(FORMS));
    const [key] = Object.keys(task["inputRequests"] as object);
    const inputResponses = { [key!]: { action: "accept", content: { approve: true } } };
    await ask("tasks/update", { taskId, inputResponses }, from(FORMS));
    expect(await taskUntil(rig, taskId, "completed")).toMatchObject({ taskId });
  });
});

describe("a call that asks a person", () => {
  const asking = (wait: object) =>
    JSON.stringify({
      ir_version: "1.0",
      nodes: [
        { id: "ok", ...wait },
        { id: "send", type: "notes__list", params: {} },
      ],
      edges: [{ from: "ok", to: "send" }],
    });
  const APPROVE = { type: "approve", params: { message: "Send it?" } };

  async function openFlow(wait: object = APPROVE) {
    const rig = await openTasks();
    writeFileSync(join(rig.draftsFolder, "flow.json"), asking(wait));
    return rig;
  }

  it("is a task at once, and goes on by itself whoever says yes, wherever", async () => {
    const rig = await openFlow();
    for (const context of [from(FORMS), from(TASKS)]) {
      const taskId = taskIn(await rig.gateway.callTool("execute", { name: "flow" }, context));
      expect(await rig.get(taskId, from(FORMS))).toMatchObject({ status: "input_required" });
      const question = await rig.deps.runs.question(taskId);
      if (!question.success) throw new Error(question.error.message);
      await rig.deps.runs.decide(question.data, { isApproved: true });
      expect(await taskUntil(rig, taskId, "completed")).toMatchObject({ taskId });
    }
    expect(rig.calls("list")).toBe(2);
  });

  it("of something kept is a task in the words of its tool", async () => {
    const rig = await openTasks();
    const draft = { ...sum, kind: "workflow" as const, source: asking(APPROVE), toolsUsed: [] };
    await rig.store.capabilities.save({ ...draft, inputSchema: { type: "object" } });
    const taskId = taskIn(await rig.gateway.callTool("mcp__math__sum", {}, from(FORMS)));
    const task = await rig.get(taskId, from(FORMS));
    const [key] = Object.keys(task["inputRequests"] as object);
    const inputResponses = { [key!]: { action: "accept", content: { approve: true } } };
    await rig.ask("tasks/update", { taskId, inputResponses }, from(FORMS));
    expect(await taskUntil(rig, taskId, "completed")).toMatchObject({
      result: { _meta: { "repertoire/runId": expect.any(String) } },
    });
    expect(rig.calls("list")).toBe(1);
  });

  it("is a task that says until when it waits, where it waits for a time", async () => {
    const { gateway, get } = await openFlow({ type: "wait", params: { ms: 3_600_000 } });
    const taskId = taskIn(await gateway.callTool("execute", { name: "flow" }, from(TASKS)));
    expect(await get(taskId)).toMatchObject({
      status: "working",
      statusMessage: expect.stringContaining("It waits until"),
    });
  });

  it("is asked in its answer where the run cannot go on by itself", async () => {
    const { gateway } = await openFlow();
    const kept = { name: "flow", save_as: "kept:flow" };
    for (const [args, context] of [
      [{ name: "flow" }, from({ elicitation: { form: {} } })],
      [kept, from(FORMS)],
    ] as const) {
      const answer = await gateway.callTool("execute", args, context);
      expect(answer["resultType"]).not.toBe("task");
    }
  });
});

describe("a task", () => {
  it("is cancelled, again without harm, and then says so", async () => {
    const rig = await openTasks();
    const args = { code: "await mcp.notes.slow({}); return await mcp.notes.list({})", background: true };
    const taskId = taskIn(await rig.gateway.callTool("execute", args, from(TASKS)));
    await rig.called;
    const cancelling = rig.ask("tasks/cancel", { taskId });
    rig.finish();
    expect(dataOf(await cancelling)).toEqual({ resultType: "complete" });
    expect(await taskUntil(rig, taskId, "cancelled")).not.toHaveProperty("result");
    expect(dataOf(await rig.ask("tasks/cancel", { taskId }))).toEqual({ resultType: "complete" });
    expect(rig.calls("list")).toBe(0);
  });

  it("has failed where no attempt came to an end", async () => {
    const rig = await openTasks();
    const { run } = await rig.store.runs.enqueue(
      {
        scope: DEFAULT_SCOPE,
        kind: "code",
        source: "return 1",
        inputs: {},
        seed: "s",
        clockAt: 1,
      },
      { at: Date.now() + 3_600_000 },
    );
    const error = { code: "TOOL_EXECUTION_FAILED", reason: "attempts_exhausted", message: "gave up" };
    await rig.store.runs.dequeue(run.id, { end: { status: "failed", error }, attemptCount: 6 });
    const failed = await rig.get(run.id);
    expect(failed).toMatchObject({ status: "failed", error: { code: -32603, message: "gave up" } });
    expect(failed).not.toHaveProperty("result");
  });

  it("needs the extension in every request", async () => {
    const { ask } = await openTasks();
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"] as const) {
      expect(await ask(method, { taskId: NO_RUN }, from({}))).toMatchObject({
        error: {
          upstream: {
            code: MISSING_CAPABILITY,
            data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
          },
        },
      });
    }
  });

  it("that may not be seen is answered as one that is not there", async () => {
    const { gateway, ask, store, deps } = await openTasks();
    const limits = { effects: new Set(["read"] as const) };
    const own = principalOf("token:own", ["read", "call", "write"], limits);
    const other = principalOf("token:other", ["read", "call", "write"], limits);
    const args = { code: "return await mcp.notes.list({})", background: true };
    await gateway.callTool("execute", { code: "return 0" }, from(TASKS, { principal: own }));
    const taskId = taskIn(await gateway.callTool("execute", args, from(TASKS, { principal: own })));
    const elsewhere = await store.runs.start(
      {
        scope: { org: "o", project: "p" },
        kind: "code",
        source: "return 1",
        inputs: {},
        seed: "s",
        clockAt: 1,
      },
      "owner",
      1_000,
    );
    const view = createProfileView("empty", { servers: [] });
    const profile = createProfileGateway({ core: gateway, deps, view: () => view });
    const hidden = JSON.stringify(await ask("tasks/get", { taskId: NO_RUN })).replaceAll(NO_RUN, "ID");
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"] as const) {
      const refused = [
        [taskId, await ask(method, { taskId }, from(TASKS, { principal: other }))],
        [elsewhere.id, await ask(method, { taskId: elsewhere.id })],
        [NO_RUN, await profile.forward(method, { taskId: NO_RUN }, from(TASKS))],
      ] as const;
      for (const [id, answer] of refused) expect(JSON.stringify(answer).replaceAll(id, "ID")).toBe(hidden);
      expect(await ask(method, { taskId }, from(TASKS, { principal: own }))).toMatchObject({ success: true });
    }
  });
});
