/** Runs as tasks of MCP, with the bundle that users get: what is asked for later is there, also after a crash. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import { CreateTaskResultV2Schema, GetTaskResultV2Schema } from "@modelcontextprotocol/ext-tasks/core/v2";
import { openHomeTokens } from "../src/server/auth/tokens.testkit.ts";
import { eventually, eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";
import { createCounterHome } from "./rig/counter-home.ts";
import {
  connectHttp,
  createPlace,
  SCRIPTED,
  startHttp,
  type HttpProcess,
  type Place,
} from "./rig/http-process.ts";
import { openWire } from "./rig/modern-wire.ts";
import { startReplicas } from "./rig/replicas.ts";
import { temporaryDatabase } from "./rig/shared-postgres.ts";
import { taskClient, TASKS, taskSession } from "./rig/task-client.ts";

/** Several starts of a gateway, on a busy machine. */
const TEST_MS_MAX = 180_000;
const NO_RUN = "01980f0e-6c3a-7000-8000-0000000000aa";
const ALL = ["read", "call", "write"] as const;

/** One effect, and then a wait until the test lets it go on. */
const waiting = (key: string) =>
  `const said = await mcp.scripted.touch({ n: 1 }); await mcp.scripted.wait({ key: "${key}" }); return said`;
const touchesIn = (heard: string) => heard.split('"name":"touch"').length - 1;
const touchCount = (place: Place) => touchesIn(place.heard());

describe.skipIf(process.platform === "win32")("tasks over HTTP", () => {
  let place: Place;
  let gateway: HttpProcess;
  beforeEach(async () => {
    place = createPlace({ rules: [{ tool: "scripted__echo", do: "ask" }] });
    gateway = await startHttp(place);
  }, TEST_MS_MAX);
  afterEach(async () => {
    await gateway.stop();
    place.remove();
  }, TEST_MS_MAX);

  it("are offered to modern clients, and only to them", { timeout: TEST_MS_MAX }, async () => {
    const modern = await connectHttp("2026-07-28", gateway.url, place.owner());
    const legacy = await connectHttp("2025-11-25", gateway.url, place.owner());
    onTestFinished(async () => {
      await modern.client.close();
      await legacy.client.close();
    });
    expect(modern.client.getServerCapabilities()).toMatchObject(TASKS);
    expect(legacy.client.getServerCapabilities()).not.toMatchObject(TASKS);
    const known = taskClient(gateway.url, place.owner());
    const plain = taskClient(gateway.url, place.owner(), {});
    const background = { name: "execute", arguments: { code: "return 1", background: true } };
    expect(await plain.request("tools/call", background)).toMatchObject({
      result: { resultType: "complete", structuredContent: { status: "queued" } },
    });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const params = { taskId: NO_RUN, ...(method === "tasks/update" && { inputResponses: {} }) };
      expect(await plain.request(method, params)).toMatchObject({
        status: 400,
        error: { code: -32021, data: { requiredCapabilities: TASKS } },
      });
      expect(await known.request(method, params)).toMatchObject({ error: { code: -32602 } });
      expect(await known.request(method, params, { "Mcp-Name": "another" })).toMatchObject({
        status: 400,
        error: { code: -32020 },
      });
    }
    for (const method of ["tasks/result", "tasks/list"])
      expect(await known.request(method, { taskId: NO_RUN })).toMatchObject({ error: { code: -32601 } });
  });

  it("are followed by the client of the extension to their result", { timeout: TEST_MS_MAX }, async () => {
    const { session, asked, close } = await taskSession(gateway.url, place.owner());
    onTestFinished(close);
    const run = async (args: object) =>
      resultFromTaskOutcome((await (await session.callTool("execute", args as never)).settle()).outcome);
    expect(await run({ code: "return 1 + 1", background: true })).toMatchObject({
      structuredContent: { success: true, outputs: 2 },
    });
    expect(asked).toEqual([]);
    const code = "return [await mcp.scripted.touch({}), await mcp.scripted.echo({ a: 1 })]";
    expect(await run({ code, background: true })).toMatchObject({
      structuredContent: { success: true, outputs: [expect.anything(), { a: 1 }] },
    });
    expect(asked).toHaveLength(1);
    expect(touchCount(place)).toBe(1);
  });

  it("are given for calls that take long, and end when cancelled", { timeout: TEST_MS_MAX }, async () => {
    const client = taskClient(gateway.url, place.owner());
    const args = (key: string) => ({ code: waiting(key), timeout_ms: 120_000 });
    const [slow, cancelled] = await Promise.all([
      client.begin("execute", args("slow")),
      client.begin("execute", args("never")),
    ]);
    expect(await client.get(slow)).toMatchObject({ status: "working" });
    const cancelling = client.request("tasks/cancel", { taskId: cancelled });
    place.release("slow");
    expect(await client.until(slow, "completed")).toMatchObject({
      result: {
        structuredContent: { success: true, run_id: slow, outputs: expect.stringContaining("touched") },
      },
    });
    place.release("never");
    expect((await cancelling).result).toMatchObject({ resultType: "complete" });
    expect(await client.until(cancelled, "cancelled")).not.toHaveProperty("result");
    expect((await client.request("tasks/cancel", { taskId: cancelled })).result).toMatchObject({
      resultType: "complete",
    });
    expect(touchCount(place)).toBe(2);
  });

  it("are there for who may see the run, until the token is revoked", { timeout: TEST_MS_MAX }, async () => {
    const limits = { effects: ["read", "write", "destroy"] } as const;
    const own = taskClient(gateway.url, place.tokenFor("own", ALL, limits));
    const other = taskClient(gateway.url, place.tokenFor("other", ALL, limits));
    await eventuallyAsync(
      "the tokens",
      async () =>
        (await other.request("tasks/get", { taskId: NO_RUN })).status !== 401 &&
        (await own.request("tasks/get", { taskId: NO_RUN })).status !== 401,
    );
    const taskId = await own.begin("execute", { code: waiting("x"), background: true });
    const hidden = await other.request("tasks/get", { taskId: NO_RUN });
    const refused = await other.request("tasks/get", { taskId });
    expect(refused.error).toMatchObject({ code: -32602 });
    expect(JSON.stringify(refused.error).replaceAll(taskId, NO_RUN)).toBe(JSON.stringify(hidden.error));
    await eventually("the effect", () => touchCount(place) === 1);
    openHomeTokens(place.home).revoke("own");
    const owner = taskClient(gateway.url, place.owner());
    expect(await owner.until(taskId, "cancelled")).toMatchObject({ taskId });
    place.release("x");
  });

  it("go on after kill -9 and a restart, without a second effect", { timeout: TEST_MS_MAX }, async () => {
    const taskId = await taskClient(gateway.url, place.owner()).begin("execute", {
      code: waiting("restart"),
      background: true,
      timeout_ms: 120_000,
    });
    await eventually("the effect", () => place.heard().includes('"name":"wait"'));
    gateway.signal("SIGKILL");
    await gateway.exited();
    gateway = await startHttp(place);
    const client = taskClient(gateway.url, place.owner());
    expect(await client.get(taskId)).toMatchObject({ status: "working" });
    place.release("restart");
    expect(await client.until(taskId, "completed")).toMatchObject({
      taskId,
      result: { structuredContent: { success: true, outputs: expect.stringContaining("touched") } },
    });
    expect(touchCount(place)).toBe(1);
  });
});

describe.skipIf(process.platform === "win32")("a task", () => {
  it("is given and told over stdio as well", { timeout: TEST_MS_MAX }, async () => {
    const home = createCounterHome();
    const wire = openWire(home.optionsFor(), { capabilities: TASKS });
    const args = { code: "return (await mcp.counter.add({ n: 2 })).double", background: true };
    const begun = await wire.request("tools/call", { name: "execute", arguments: args });
    const { taskId } = CreateTaskResultV2Schema.parse(begun?.result);
    expect(begun!.result).not.toHaveProperty("content");
    const done = await eventuallyAsync("the end of the task", async () => {
      const answer = await wire.request("tasks/get", { taskId });
      const task = GetTaskResultV2Schema.parse(answer?.result);
      return task.status === "completed" && task;
    });
    expect(done).toMatchObject({ result: { structuredContent: { success: true, outputs: 4 } } });
    expect(home.effects()).toHaveLength(1);
    expect(await wire.request("tasks/cancel", { taskId: NO_RUN })).toMatchObject({ error: { code: -32602 } });
    await wire.kill();
  });

  it(
    "of a gateway that is killed is told by another on the same database",
    { timeout: TEST_MS_MAX },
    async () => {
      const database = await temporaryDatabase();
      const log = join(temporaryFolder(), "heard.jsonl");
      const heard = () => (existsSync(log) ? readFileSync(log, "utf8") : "");
      const scripted = { command: process.execPath, args: [SCRIPTED, log] };
      const replicas = await startReplicas({
        count: 2,
        config: { mcpServers: { scripted } },
        urlOf: () => database,
      });
      onTestFinished(() => replicas.close());
      const [doomed, other] = replicas.members;
      // Of the two that work on the queue, the one that the call came to has the run: it is detached, and not queued.
      const taskId = await taskClient(doomed!.url, replicas.headers).begin("execute", {
        code: waiting("go"),
        timeout_ms: 120_000,
      });
      const client = taskClient(other!.url, replicas.headers);
      expect(await client.get(taskId)).toMatchObject({ status: "working" });
      await doomed!.end("SIGKILL");
      writeFileSync(`${log}.go`, "");
      expect(await client.until(taskId, "completed")).toMatchObject({
        taskId,
        result: { structuredContent: { success: true, outputs: expect.stringContaining("touched") } },
      });
      expect(touchesIn(heard())).toBe(1);
    },
  );
});
