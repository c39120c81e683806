/** Tasks of servers, with the bundle that users get: for clients that know tasks, and for all others. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openHomeTokens } from "../src/server/auth/tokens.testkit.ts";
import { eventually, eventuallyAsync } from "./fixtures/temporary.ts";
import { connectHttp, createPlace, startHttp, type HttpProcess, type Place } from "./rig/http-process.ts";
import { taskClient, TASKS } from "./rig/task-client.ts";
import { startTaskServer, type TaskServer } from "./rig/task-server.ts";

/** Several starts of a gateway, on a busy machine. */
const TEST_MS_MAX = 180_000;
const ALL = ["read", "call", "write"] as const;
const METHODS = ["tasks/get", "tasks/update", "tasks/cancel"] as const;

describe.skipIf(process.platform === "win32")("a task of a server", () => {
  let server: TaskServer;
  let place: Place;
  let gateway: HttpProcess;
  beforeEach(async () => {
    server = await startTaskServer();
    const jobs = { url: server.url };
    const profiles = { one: { transparent: "jobs" }, narrow: { servers: ["jobs"] } };
    place = createPlace({ mcpServers: { jobs }, profiles });
    gateway = await startHttp(place);
  }, TEST_MS_MAX);
  afterEach(async () => {
    await gateway.stop();
    await server.close();
    place.remove();
  }, TEST_MS_MAX);

  const begin = () => taskClient(gateway.url, place.owner()).begin("jobs__slow", {});
  /** The error for an id, without the id, of which a long one is told in part. */
  const refusalOf = async (client: ReturnType<typeof taskClient>, method: string, taskId: string) => {
    const params = { taskId, ...(method === "tasks/update" && { inputResponses: {} }) };
    const { status, error } = await client.request(method, params);
    return JSON.stringify({ status, error }).replace(/\\"[^"]*\\"/, "ID");
  };

  it("has an id of ours, which another gateway knows after kill -9", { timeout: TEST_MS_MAX }, async () => {
    const taskId = await begin();
    expect(taskId).toMatch(/^[\w-]{40,300}$/);
    expect(taskId).not.toContain(server.begun[0]);
    gateway.signal("SIGKILL");
    await gateway.exited();
    gateway = await startHttp(place);
    const client = taskClient(gateway.url, place.owner());
    expect(await client.get(taskId)).toMatchObject({ taskId, status: "working", statusMessage: "at work" });
    server.finish("the paper is printed", "print://tray");
    expect(await client.until(taskId, "completed")).toMatchObject({
      taskId,
      result: {
        content: [{ text: "the paper is printed" }, { uri: "repertoire://server/jobs/print://tray" }],
      },
    });
    expect(server.begun).toHaveLength(1);
  });

  it("is answered and cancelled at its server", { timeout: TEST_MS_MAX }, async () => {
    const taskId = await begin();
    const client = taskClient(gateway.url, place.owner());
    server.ask("sure", "Are you sure?");
    expect(await client.until(taskId, "input_required")).toMatchObject({
      inputRequests: { sure: { method: "elicitation/create", params: { message: "Are you sure?" } } },
    });
    const inputResponses = { sure: { action: "accept", content: { ok: true } } };
    expect((await client.request("tasks/update", { taskId, inputResponses })).result).toEqual(
      expect.objectContaining({ resultType: "complete" }),
    );
    expect(server.heard("tasks/update")).toMatchObject([{ taskId: server.begun[0], inputResponses }]);
    await client.request("tasks/cancel", { taskId });
    expect(await client.get(taskId)).toMatchObject({ taskId, status: "cancelled" });
  });

  it("is not there for anybody else, and neither is a made-up one", { timeout: TEST_MS_MAX }, async () => {
    const taskId = await begin();
    const owner = taskClient(gateway.url, place.owner());
    const other = taskClient(gateway.url, place.tokenFor("other", ALL));
    const narrow = taskClient(gateway.at("/mcp/narrow"), place.owner());
    const flipped = `${taskId.slice(0, -3)}${taskId.at(-3) === "A" ? "B" : "A"}${taskId.slice(-2)}`;
    await eventuallyAsync(
      "the token",
      async () => (await other.request("tasks/get", { taskId })).status !== 401,
    );
    for (const method of METHODS) {
      const hidden = await refusalOf(owner, method, "01980f0e-6c3a-7000-8000-0000000000aa");
      expect(hidden).toContain("-32602");
      for (const [client, id] of [
        [other, taskId],
        [narrow, taskId],
        [owner, flipped],
        [owner, server.begun[0]!],
        [owner, "x".repeat(4_000)],
      ] as const)
        expect(await refusalOf(client, method, id)).toBe(hidden);
    }
    expect(server.heard("tasks/cancel")).toEqual([]);
    // One that its server does not know any more is not there either.
    const known = await owner.get(taskId);
    expect(known).toMatchObject({ status: "working" });
  });

  it("has the id of the profile that it was begun in", { timeout: TEST_MS_MAX }, async () => {
    const narrow = taskClient(gateway.at("/mcp/narrow"), place.owner());
    const taskId = await narrow.begin("jobs__slow", {});
    expect(await narrow.get(taskId)).toMatchObject({ taskId, status: "working" });
    place.configure({
      mcpServers: { jobs: { url: server.url } },
      profiles: { narrow: { servers: ["jobs"], tools: { deny: ["jobs__slow"] } } },
    });
    await eventuallyAsync(
      "the new profile",
      async () => (await narrow.request("tasks/get", { taskId })).error?.code === -32_602,
    );
  });

  it("is passed on as it is by a transparent profile", { timeout: TEST_MS_MAX }, async () => {
    const client = taskClient(gateway.at("/mcp/one"), place.owner());
    const taskId = await client.begin("slow", {});
    expect(taskId).toBe(server.begun[0]);
    expect(await client.get(taskId)).toMatchObject({ taskId, status: "working" });
    server.finish("done");
    expect(await client.until(taskId, "completed")).toMatchObject({
      result: { content: [{ text: "done" }] },
    });
    const plain = taskClient(gateway.at("/mcp/one"), place.owner(), {});
    await plain.request("tools/call", { name: "slow", arguments: {} });
    const [declared] = server.heard("tools/call").slice(-1);
    expect(JSON.stringify(declared)).not.toContain("io.modelcontextprotocol/tasks");
    const { client: legacy } = await connectHttp("2025-11-25", gateway.at("/mcp/one"), place.owner());
    onTestFinished(() => legacy.close());
    expect(legacy.getServerCapabilities()).not.toHaveProperty("extensions");
    const called = legacy.callTool({ name: "slow", arguments: {} });
    await eventually("the call", () => server.begun.length === 3);
    server.finish("followed");
    expect(await called).toMatchObject({ content: [{ text: "followed" }] });
  });

  it("is one call with one result for everybody else", { timeout: TEST_MS_MAX }, async () => {
    const { client: legacy } = await connectHttp("2025-11-25", gateway.url, place.owner());
    onTestFinished(() => legacy.close());
    const plain = taskClient(gateway.url, place.owner(), {});
    const knowing = taskClient(gateway.url, place.owner(), TASKS);
    const code = "return await mcp.jobs.slow({})";
    const called = Promise.all([
      legacy.callTool({ name: "jobs__slow", arguments: {} }),
      plain.request("tools/call", { name: "jobs__slow", arguments: {} }),
      knowing.request("tools/call", { name: "execute", arguments: { code } }),
    ]);
    await eventually("the calls", () => server.begun.length === 3);
    server.finish("done");
    const [first, second, third] = await called;
    expect(first).toMatchObject({ content: [{ text: "done" }] });
    expect(second.result).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
    expect(third.result).toMatchObject({ structuredContent: { success: true, outputs: "done" } });
    expect(server.begun).toHaveLength(3);
  });

  it("asks a client that knows no tasks in the answer of its call", { timeout: TEST_MS_MAX }, async () => {
    const plain = taskClient(gateway.url, place.owner(), { elicitation: { form: {} } });
    const call = { name: "jobs__slow", arguments: {} };
    const asking = plain.request("tools/call", call);
    await eventually("the task", () => server.begun.length === 1);
    server.ask("sure", "Are you sure?");
    const { result } = await asking;
    expect(result).toMatchObject({ resultType: "input_required" });
    const [[key, request]] = Object.entries(result!["inputRequests"] as object) as [[string, object]];
    expect(request).toMatchObject({ method: "elicitation/create", params: { message: "Are you sure?" } });
    const answer = { action: "accept", content: { ok: true } };
    const { requestState } = result!;
    const goingOn = plain.request("tools/call", { ...call, inputResponses: { [key]: answer }, requestState });
    await eventually("the answer", () => server.heard("tasks/update").length === 1);
    expect(server.heard("tasks/update")).toMatchObject([{ inputResponses: { sure: answer } }]);
    server.finish("done");
    expect((await goingOn).result).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
    expect(server.begun).toHaveLength(1);
  });

  it("ends with the token that began it", { timeout: TEST_MS_MAX }, async () => {
    const own = taskClient(gateway.url, place.tokenFor("own", ALL));
    await eventuallyAsync(
      "the token",
      async () => (await own.request("tasks/get", { taskId: "x" })).status !== 401,
    );
    const taskId = await own.begin("jobs__slow", {});
    openHomeTokens(place.home).revoke("own");
    await eventuallyAsync("the end", async () => (await own.request("tasks/get", { taskId })).status === 401);
  });

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "of a run is gone on with after %s, and not begun again",
    { timeout: TEST_MS_MAX },
    async (signal) => {
      const code =
        "const first = await mcp.jobs.slow({}); return [first, await mcp.scripted.touch({ n: 1 })]";
      const args = { code, background: true, timeout_ms: 120_000 };
      const taskId = await taskClient(gateway.url, place.owner()).begin("execute", args);
      await eventually("the task", () => server.heard("tasks/get").length > 0);
      gateway.signal(signal);
      await gateway.exited();
      gateway = await startHttp(place);
      const seen = server.heard("tasks/get").length;
      await eventually("the next question", () => server.heard("tasks/get").length > seen);
      // Once more, before anything of it has ended.
      gateway.signal("SIGKILL");
      await gateway.exited();
      gateway = await startHttp(place);
      server.finish("printed");
      expect(await taskClient(gateway.url, place.owner()).until(taskId, "completed")).toMatchObject({
        result: {
          structuredContent: { success: true, outputs: ["printed", expect.stringContaining("touched")] },
        },
      });
      expect(server.begun).toHaveLength(1);
      expect(server.heard("tasks/cancel")).toEqual([]);
      expect(place.heard().split('"name":"touch"')).toHaveLength(2);
    },
  );

  it("of a run that is cancelled is cancelled at its server", { timeout: TEST_MS_MAX }, async () => {
    const client = taskClient(gateway.url, place.owner());
    const taskId = await client.begin("execute", {
      code: "return await mcp.jobs.slow({})",
      background: true,
    });
    await eventually("the task", () => server.heard("tasks/get").length > 0);
    await client.request("tasks/cancel", { taskId });
    expect(await client.until(taskId, "cancelled")).toMatchObject({ taskId });
    await eventually("the end at the server", () => server.heard("tasks/cancel").length === 1);
  });
});
