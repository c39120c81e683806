/** Calls that a server answers with a task, for callers that know nothing of tasks. */
import { describe, expect, it, onTestFinished } from "vitest";
import { TASKS_EXTENSION } from "../../core/declared.ts";
import type { JsonObject } from "../../core/json.ts";
import { silentLog } from "../../core/log.ts";
import { succeed } from "../../core/result.ts";
import type { CallContext, ClientHandle } from "../../core/tool.ts";
import { MemoryServer, questionOf } from "../memory-server.testkit.ts";
import { createUpstreamServer } from "../upstream-server.ts";

const AT = "2026-01-01T00:00:00Z";
const TASK = { taskId: "own-1", createdAt: AT, lastUpdatedAt: AT, ttlMs: null, pollIntervalMs: 1 };
const BEGUN = { resultType: "task", ...TASK, status: "working" };
const DONE = {
  ...TASK,
  status: "completed",
  result: { resultType: "complete", content: [{ type: "text", text: "done" }] },
};
const KNOWS_TASKS = { extensions: { [TASKS_EXTENSION]: {} } };

/** A modern server whose calls become a task; each question about it is answered with the next of `told`, and then the last. */
function open(told: readonly JsonObject[], begun: object = BEGUN, callTimeoutMs = 5_000) {
  const server = new MemoryServer();
  delete server.handlers["initialize"];
  const modern = {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {} },
    serverInfo: { name: "m" },
  };
  let at = 0;
  Object.assign(server.handlers, {
    "server/discover": () => modern,
    "tools/call": () => begun,
    "tasks/get": () => told[Math.min(at++, told.length - 1)],
    "tasks/update": () => ({ resultType: "complete" }),
    "tasks/cancel": () => ({ resultType: "complete" }),
  });
  const transport = { kind: "stdio", command: "none", args: [], env: {} } as const;
  const config = { id: "memory", transport, callTimeoutMs, connectTimeoutMs: 5_000, idleMs: 0 };
  const upstream = createUpstreamServer(config, {
    clientInfo: { name: "repertoire", version: "0" },
    log: silentLog,
    openTransport: async () => ({ transport: server.connect() }),
  });
  onTestFinished(() => upstream.close());
  const heard = (method: string) => server.heard.filter((message) => message["method"] === method);
  const call = (part: Partial<CallContext> = {}) => upstream.call("slow", {}, contextOf(part));
  return { server, heard, call };
}

function contextOf(part: Partial<CallContext> = {}): CallContext {
  return { traceId: "t", signal: new AbortController().signal, ...part };
}

function personWho(answers: (method: string, params: JsonObject) => JsonObject): ClientHandle {
  return {
    capabilities: { elicitation: { form: {} } },
    gone: new AbortController().signal,
    request: async (method, params) => succeed(answers(method, params)),
    notify() {},
  };
}

const capabilitiesIn = (message: object | undefined) =>
  ((message as Record<string, JsonObject>)["params"]!["_meta"] as JsonObject)[
    "io.modelcontextprotocol/clientCapabilities"
  ];

describe("a call that becomes a task", () => {
  it("is one call with one result for its caller, who hears what the server says meanwhile", async () => {
    const working = { ...TASK, status: "working" };
    const told = ["one", "one", "two"].map((statusMessage) => ({ ...working, statusMessage }));
    const steps: unknown[] = [];
    const { call, heard } = open([...told, DONE]);
    expect(await call({ onProgress: (step) => steps.push(step) })).toEqual(succeed(DONE.result));
    expect(steps).toEqual([
      { progress: 1, message: "one" },
      { progress: 2, message: "two" },
    ]);
    expect(heard("tools/call")).toHaveLength(1);
    expect(heard("tasks/get").map(({ params }) => (params as JsonObject)["taskId"])).toEqual(
      Array(4).fill("own-1"),
    );
    expect(heard("tasks/cancel")).toEqual([]);
    for (const method of ["server/discover", "tools/call", "tasks/get"])
      expect(capabilitiesIn(heard(method)[0])).toMatchObject(KNOWS_TASKS);
  });

  it("is not broken off by a caller that fails when it is told", async () => {
    const { call } = open([{ ...TASK, status: "working", statusMessage: "one" }, DONE]);
    const onProgress = () => {
      throw new Error("no screen");
    };
    expect(await call({ onProgress })).toEqual(succeed(DONE.result));
  });

  it("goes on for longer than its timeout while the server tells of it, and no longer than a call may", async () => {
    const working = Array.from({ length: 6 }, () => ({ ...TASK, status: "working" }));
    expect(await open([...working, DONE], BEGUN, 300).call()).toEqual(succeed(DONE.result));
    const silent = open([], BEGUN, 300);
    silent.server.handlers["tasks/get"] = () => undefined;
    expect(await silent.call()).toMatchObject({ error: { code: "TOOL_TIMEOUT", mayHaveHappened: true } });
    expect(silent.heard("tasks/cancel")).toHaveLength(1);
  });

  it("ends with the run that makes it, and is cancelled at its server", async () => {
    const { call, heard } = open([{ ...TASK, status: "working" }]);
    const deadlineAt = performance.now() + 400;
    expect(await call({ deadlineAt, deadlineMs: 400 })).toMatchObject({
      error: { code: "TOOL_TIMEOUT", reason: "run_deadline" },
    });
    expect(heard("tasks/cancel")).toHaveLength(1);
  });

  it("is cancelled at its server when its caller gives up", async () => {
    const { call, heard, server } = open([]);
    const caller = new AbortController();
    server.handlers["tasks/get"] = () => {
      caller.abort();
      return { ...TASK, status: "working" };
    };
    expect(await call({ signal: caller.signal })).toMatchObject({ error: { code: "CANCELLED" } });
    expect(heard("tasks/cancel")).toMatchObject([{ params: { taskId: "own-1" } }]);
  });

  it("asks its caller's client what the server asks, each question once", async () => {
    const asks = (...keys: string[]) => ({
      ...TASK,
      status: "input_required",
      inputRequests: Object.fromEntries(
        keys.map((key) => [key, { method: "elicitation/create", params: questionOf(key) }]),
      ),
    });
    const asked: unknown[] = [];
    const client = personWho((_, { message }) => {
      asked.push(message!);
      return { action: "accept", content: { said: message! } };
    });
    // The server may be slow to take an answer in, and asks for the second thing later.
    const { call, heard } = open([asks("a"), asks("a"), asks("a", "b"), DONE]);
    expect(await call({ client })).toEqual(succeed(DONE.result));
    expect(asked).toEqual(["a", "b"]);
    expect(heard("tasks/update")).toMatchObject([
      { params: { taskId: "own-1", inputResponses: { a: { action: "accept", content: { said: "a" } } } } },
      { params: { taskId: "own-1", inputResponses: { b: { action: "accept" } } } },
    ]);
  });

  it.each([
    ["nobody", undefined, "there is no client to ask"],
    [
      "a client that cannot be asked this",
      { ...personWho(() => ({})), capabilities: {} },
      "has not declared",
    ],
  ])("is cancelled at its server where %s can answer it", async (_, client, why) => {
    const request = { method: "elicitation/create", params: questionOf("x") };
    const { call, heard } = open([{ ...TASK, status: "input_required", inputRequests: { x: request } }]);
    expect(await call(client && { client })).toMatchObject({
      error: { message: expect.stringContaining(why) },
    });
    expect(heard("tasks/cancel")).toHaveLength(1);
    expect(heard("tasks/update")).toEqual([]);
  });

  it("that failed or was cancelled there is an error that says so", async () => {
    const error = { code: -32_050, message: "no paper" };
    expect(await open([{ ...TASK, status: "failed", error }]).call()).toMatchObject({
      error: { code: "TOOL_EXECUTION_FAILED", reason: "task_failed", upstream: error },
    });
    const cancelled = { ...TASK, status: "cancelled", statusMessage: "by an operator" };
    expect(await open([cancelled]).call()).toMatchObject({
      error: {
        reason: "task_cancelled",
        mayHaveHappened: true,
        message: expect.stringContaining("by an operator"),
      },
    });
  });

  it("survives the connection that it began on", async () => {
    const { call, server, heard } = open([{ ...TASK, status: "working" }, DONE]);
    let isLost = false;
    const get = server.handlers["tasks/get"]!;
    server.handlers["tasks/get"] = async (...args) => {
      if (isLost) return get(...args);
      isLost = true;
      await server.crash();
      return undefined;
    };
    expect(await call()).toEqual(succeed(DONE.result));
    expect(server.connectCount).toBe(2);
    expect(heard("tools/call")).toHaveLength(1);
  });

  it("is on record before it is followed, and is gone on with without a second call", async () => {
    const { call, heard } = open([DONE]);
    const noted: unknown[] = [];
    const note = async (task: unknown) => {
      expect(heard("tasks/get")).toEqual([]);
      noted.push(task);
      return true;
    };
    const taskRecord = { note, goesOn: () => false };
    expect(await call({ taskRecord })).toEqual(succeed(DONE.result));
    expect(noted).toEqual([{ server: "memory", taskId: "own-1" }]);
    const begun = { server: "memory", taskId: "own-1" };
    expect(await call({ taskRecord: { ...taskRecord, begun } })).toEqual(succeed(DONE.result));
    expect(heard("tools/call")).toHaveLength(1);
    const elsewhere = { ...taskRecord, begun: { ...begun, server: "x" } };
    expect(await call({ taskRecord: elsewhere })).toMatchObject({ success: false });
    const lost = { ...taskRecord, note: async () => false };
    expect(await call({ taskRecord: lost })).toMatchObject({ error: { code: "CANCELLED" } });
    // Another process follows it now.
    expect(heard("tasks/cancel")).toEqual([]);
  });

  it("is passed on to a caller that takes it, and is a fault where no tasks were spoken of", async () => {
    const { call, heard } = open([DONE]);
    const modern = { capabilities: KNOWS_TASKS };
    expect(await call({ modern, tasks: "passed" })).toMatchObject({ success: true, data: BEGUN });
    expect(heard("tasks/get")).toEqual([]);
    expect(await call({ modern, tasks: "declined" })).toMatchObject({
      error: { reason: "malformed_answer" },
    });
    expect(capabilitiesIn(heard("tools/call").at(-1))).not.toHaveProperty(["extensions", TASKS_EXTENSION]);
  });
});

describe("what a server says of a task", () => {
  it.each([
    ["no id", { ...BEGUN, taskId: undefined }],
    ["an id that is none", { ...BEGUN, taskId: 7 }],
    ["an empty id", { ...BEGUN, taskId: "" }],
    ["an endless id", { ...BEGUN, taskId: "x".repeat(513) }],
    ["no such status", { ...BEGUN, status: "thinking" }],
    ["no time", { ...BEGUN, createdAt: 1 }],
    ["a life that is no number", { ...BEGUN, ttlMs: "long" }],
  ])("is refused with %s, where it begins one", async (_, begun) => {
    const { call, heard } = open([DONE], begun);
    expect(await call()).toMatchObject({ error: { reason: "malformed_answer", mayHaveHappened: true } });
    expect(heard("tasks/get")).toEqual([]);
  });

  it.each([
    ["a result that is none", { ...DONE, result: "done" }],
    ["no result", { ...TASK, status: "completed" }],
    ["content that is none", { ...DONE, result: { content: [{ type: "text" }] } }],
    ["no error", { ...TASK, status: "failed" }],
    ["an error without a code", { ...TASK, status: "failed", error: { message: "x" } }],
    ["questions that are none", { ...TASK, status: "input_required", inputRequests: [1] }],
  ])("is not believed with %s", async (_, told) => {
    const { call } = open([told]);
    expect(await call()).toMatchObject({ error: { reason: "malformed_answer", mayHaveHappened: true } });
  });

  it("cannot make it ask without a pause or wait for ever", async () => {
    const { call, heard } = open([{ ...TASK, pollIntervalMs: 0, status: "working" }], BEGUN, 60_000);
    const caller = new AbortController();
    const called = call({ signal: caller.signal });
    setTimeout(() => caller.abort(), 450);
    await called;
    expect(heard("tasks/get").length).toBeLessThanOrEqual(5);
    const slow = open([DONE], { ...BEGUN, pollIntervalMs: 86_400_000 });
    expect(await slow.call()).toEqual(succeed(DONE.result));
  }, 20_000);
});
