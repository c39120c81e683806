import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../core/json.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { fail, succeed } from "../core/result.ts";
import type { RunStore } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import type { RunReport } from "./run.ts";
import { createTestRuns, LIMITS, orphanRuns, type TestRuns } from "./runs.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;
/** How far the clock is ahead. */
let aheadMs = 0;
let isDown = false;
/** Hears of each step that is on record before it is done. */
let opened: (tool: string) => void = () => {};

const clock = { now: () => Date.now() + aheadMs, elapsed: () => performance.now() + aheadMs };

beforeAll(async () => {
  const around = (store: RunStore): RunStore => ({
    ...store,
    openStep: async (lease, step) => {
      const isOpened = await store.openStep(lease, step);
      opened(step.tool);
      return isOpened;
    },
  });
  kit = await createTestRuns(folder, () => LIMITS, undefined, undefined, { clock, around });
  kit.addSource("mail", {
    send: (args) => args,
    check: () => (isDown ? fail("TOOL_UNAVAILABLE", "down") : "up"),
  });
});
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  isDown = false;
  opened = () => {};
  kit.calls.length = 0;
  kit.approvals.length = 0;
  kit.named.clear();
});

function flow(nodes: readonly object[], more: JsonObject = {}): JsonObject {
  return { ir_version: "1.0", nodes: nodes as readonly JsonObject[], ...more };
}

function sent(): unknown[] {
  return kit.calls.filter(({ tool }) => tool === "mail__send").map(({ args }) => args);
}

/** A client whose user answers like this, and what the user was shown. */
function clientThat(answer: JsonObject): { context: Partial<CallContext>; asked: JsonObject[] } {
  const asked: JsonObject[] = [];
  const client = {
    capabilities: { elicitation: {} },
    request: async (_method: string, params: JsonObject) => {
      asked.push(params);
      return succeed(answer);
    },
    notify: () => {},
  };
  return { context: { client }, asked };
}

const ACCEPT = { action: "accept", content: { approve: true } };
const GUARDED = { id: "send", type: "mail__send", params: { to: "ann", n: 3 }, approval: true };
const APPROVED = { isApproved: true, by: "bob" };
const DENIED = { isApproved: false, by: "bob" };

async function waitingOf(
  runId: string,
): Promise<{ runId: string; name: string; message: string; details: Json }> {
  const question = await kit.runs.question(runId);
  if (!question.success) throw new Error(question.error.message);
  return question.data.waiting;
}

async function runCount(): Promise<number> {
  return (await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1_000, children: true })).length;
}

function expectPaused(report: RunReport): string {
  expect(report.result).toMatchObject({ success: false, error: { reason: "approval_required" } });
  return report.runId!;
}

describe("an approval that the client can ask for", () => {
  it("shows the exact parameters, and the node is done when it is given", async () => {
    const { context, asked } = clientThat(ACCEPT);
    const report = await kit.executeWorkflow(flow([GUARDED]), {}, context);
    expect(report.result).toEqual({ success: true, data: {} });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ message: expect.stringContaining('"params":{"to":"ann","n":3}') });
    expect(sent()).toEqual([{ to: "ann", n: 3 }]);
    expect(kit.approvals).toEqual([{ runId: report.runId, node: "send", answer: "approved", by: "client" }]);
  });

  it.each([
    ["declined", { action: "decline" }],
    ["accepted without a yes", { action: "accept", content: { approve: false } }],
  ])("that is %s fails the node, and nothing is done", async (_, answer) => {
    const report = await kit.executeWorkflow(flow([GUARDED]), {}, clientThat(answer).context);
    expect(report.result).toMatchObject({ error: { reason: "denied", node: "send" } });
    expect(sent()).toEqual([]);
    expect(kit.approvals).toMatchObject([{ answer: "denied" }]);
  });

  it("that is cancelled pauses the run", async () => {
    const report = await kit.executeWorkflow(flow([GUARDED]), {}, clientThat({ action: "cancel" }).context);
    const runId = expectPaused(report);
    expect(await kit.store.runs.find(runId)).toMatchObject({ status: "paused" });
    const again = await kit.resume(runId, {}, clientThat(ACCEPT).context);
    expect(again.result.success).toBe(true);
    expect(sent()).toHaveLength(1);
  });

  it("is asked once for all items of a batch", async () => {
    const { context, asked } = clientThat(ACCEPT);
    const node = { ...GUARDED, params: { to: "${item}" }, batch: { items: ["ann", "bob"] } };
    await kit.executeWorkflow(flow([node]), {}, context);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ message: expect.stringMatching(/ann.*bob/) });
    expect(sent()).toHaveLength(2);
  });

  it("is not asked for again when the run goes on after another failure", async () => {
    isDown = true;
    const nodes = [GUARDED, { id: "check", type: "mail__check", params: { n: "${send.n}" } }];
    const { context, asked } = clientThat(ACCEPT);
    const failed = await kit.executeWorkflow(flow(nodes), {}, context);
    isDown = false;
    const resumed = await kit.resume(failed.runId!, {}, context);
    expect(resumed.result.success).toBe(true);
    expect(asked).toHaveLength(1);
    expect(sent()).toHaveLength(1);
  });

  it("is not asked for again after a no, however often the node would be tried", async () => {
    const { context, asked } = clientThat({ action: "decline" });
    const node = { id: "ok", type: "approve", params: { message: "Go on?" }, retry: { max: 2, delay_ms: 0 } };
    await kit.executeWorkflow(flow([node]), {}, context);
    expect(asked).toHaveLength(1);
  });

  it("that was denied stays denied where the workflow goes past that", async () => {
    isDown = true;
    const nodes = [
      { id: "ok", type: "approve", params: { message: "Go on?" }, on_error: "continue" },
      { id: "check", type: "mail__check", params: { ok: "${ok}" } },
    ];
    const { context, asked } = clientThat({ action: "decline" });
    const failed = await kit.executeWorkflow(flow(nodes), {}, context);
    isDown = false;
    const resumed = await kit.resume(failed.runId!, {}, context);
    expect(resumed.result.success).toBe(true);
    expect(asked).toHaveLength(1);
  });
});

describe("an approval that nobody here can give", () => {
  it("pauses the run with a question that has the exact parameters", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    expect(await waitingOf(runId)).toMatchObject({
      runId,
      message: "May send (mail__send) be done?",
      details: { type: "mail__send", params: { to: "ann", n: 3 } },
    });
    expect(sent()).toEqual([]);
  });

  it("goes on when it was given, and does it once", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    expect(await kit.runs.decide(runId, APPROVED)).toMatchObject({ success: true });
    expect((await kit.resume(runId)).result).toEqual({ success: true, data: {} });
    expect(sent()).toEqual([{ to: "ann", n: 3 }]);
    expect(kit.approvals).toMatchObject([{ runId, answer: "approved", by: "bob" }]);
  });

  it("fails the run when it was denied", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    await kit.runs.decide(runId, DENIED);
    expect(await kit.store.runs.find(runId)).toMatchObject({ status: "failed", error: { reason: "denied" } });
    expect(await kit.runs.decide(runId, APPROVED)).toMatchObject({ success: false });
    expect(sent()).toEqual([]);
  });

  it("is asked for again after a no, when somebody goes on all the same", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    await kit.runs.decide(runId, DENIED);
    expectPaused(await kit.resume(runId));
    expect(sent()).toEqual([]);
  });

  it("starts no new run while it is undecided", async () => {
    const paused = await kit.executeWorkflow(flow([GUARDED]));
    const before = await runCount();
    const again = await kit.resume(paused.runId!);
    expect(again.runId).toBe(paused.runId);
    expectPaused(again);
    expect(await runCount()).toBe(before);
  });

  it("counts for what was asked: changed parameters are asked about again", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    await kit.runs.decide(runId, APPROVED);
    const source = JSON.stringify(flow([{ ...GUARDED, params: { to: "eve", n: 3 } }]));
    const changed = await kit.resume(runId, { corrected: { kind: "workflow", source } });
    const next = expectPaused(changed);
    expect(next).not.toBe(runId);
    expect(await waitingOf(next)).toMatchObject({ details: { params: { to: "eve" } } });
    expect(sent()).toEqual([]);
    await kit.runs.decide(next, APPROVED);
    await kit.resume(next);
    expect(sent()).toEqual([{ to: "eve", n: 3 }]);
  });

  it("can be asked for with a correction before anyone has answered", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    const source = JSON.stringify(flow([{ ...GUARDED, params: { to: "eve" } }]));
    const changed = await kit.resume(runId, { corrected: { kind: "workflow", source } });
    expect(await waitingOf(expectPaused(changed))).toMatchObject({ details: { params: { to: "eve" } } });
  });

  it("is given to the newest run, whichever of them is named", async () => {
    const first = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    await kit.runs.decide(first, APPROVED);
    const source = JSON.stringify(flow([{ ...GUARDED, params: { to: "eve" } }]));
    const second = expectPaused(await kit.resume(first, { corrected: { kind: "workflow", source } }));
    expect(await kit.runs.decide(first, APPROVED)).toMatchObject({ data: { runId: second } });
    await kit.resume(second);
    expect(sent()).toEqual([{ to: "eve" }]);
  });

  it("can be several at once, which are answered one after the other", async () => {
    const nodes = ["ann", "bob"].map((to) => ({
      id: to,
      type: "mail__send",
      params: { to },
      approval: true,
    }));
    let runId = expectPaused(await kit.executeWorkflow(flow(nodes)));
    const names: string[] = [];
    for (let turn = 0; turn < 2; turn++) {
      names.push((await waitingOf(runId)).message);
      await kit.runs.decide(runId, APPROVED);
    }
    const resumed = await kit.resume(runId);
    runId = resumed.runId!;
    expect(resumed.result.success).toBe(true);
    expect(names.toSorted()).toEqual(["May ann (mail__send) be done?", "May bob (mail__send) be done?"]);
    expect(sent()).toHaveLength(2);
  });

  it("is found also where another node waits for a time", async () => {
    const nodes = [
      { id: "later", type: "wait", params: { ms: 3_600_000 } },
      { id: "ok", type: "approve", params: { message: "Go on?" } },
    ];
    const report = await kit.executeWorkflow(flow(nodes));
    expect(report.checkpoint?.steps).toHaveLength(2);
    expect(await waitingOf(report.runId!)).toMatchObject({ name: "ok" });
  });

  it("survives the process between the question and the pause", async () => {
    const asking = Promise.withResolvers<void>();
    const client = {
      capabilities: { elicitation: {} },
      request: () => (asking.resolve(), new Promise<never>(() => {})),
      notify: () => {},
    };
    void kit.executeWorkflow(flow([GUARDED]), { intent: "killed" }, { client });
    await asking.promise;
    const [run] = await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1 });
    orphanRuns(folder);
    const resumed = await kit.resume(run!.id, {}, clientThat(ACCEPT).context);
    expect(resumed.result.success).toBe(true);
    expect(sent()).toHaveLength(1);
  });
});

describe("an approve node", () => {
  const nodes = [
    { id: "draft", type: "mail__send", params: { text: "hello" } },
    { id: "ok", type: "approve", params: { message: "Send ${draft.text}?", details: { to: "ann" } } },
    { id: "last", type: "mail__send", params: { by: "${ok.by}" } },
  ];
  const outputs = { ok: { source: "${ok}" } };

  it("gives who approved and when", async () => {
    const report = await kit.executeWorkflow(flow(nodes, { outputs }), {}, clientThat(ACCEPT).context);
    expect(report.result).toMatchObject({
      data: { ok: { approved: true, by: "client", at: expect.any(String) } },
    });
  });

  it("waits with its message and details, and the nodes after it have not run", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow(nodes, { outputs })));
    expect(await waitingOf(runId)).toMatchObject({
      name: "ok",
      message: "Send hello?",
      details: { to: "ann" },
    });
    expect(sent()).toHaveLength(1);
    await kit.runs.decide(runId, APPROVED);
    const resumed = await kit.resume(runId);
    expect(resumed.result).toMatchObject({ data: { ok: { approved: true, by: "bob" } } });
    expect(sent()).toEqual([{ text: "hello" }, { by: "bob" }]);
  });

  it("gives the moment of an answer from outside as text, too", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow(nodes, { outputs })));
    await kit.runs.decide(runId, APPROVED);
    const resumed = await kit.resume(runId);
    expect(resumed.result).toMatchObject({ data: { ok: { at: expect.any(String) } } });
  });

  it("pauses every run above it, and the question is found through the outermost", async () => {
    const source = JSON.stringify(flow(nodes, { outputs }));
    kit.named.set("inner", { kind: "workflow", source, tool: "inner", sensitive: [] });
    const call = (name: string) =>
      flow([{ id: "sub", type: "workflow", params: { name } }], { outputs: { by: { source: "${sub}" } } });
    kit.named.set("middle", {
      kind: "workflow",
      source: JSON.stringify(call("inner")),
      tool: "middle",
      sensitive: [],
    });
    const report = await kit.executeWorkflow(call("middle"));
    const runId = expectPaused(report);
    const question = await waitingOf(runId);
    expect(question).toMatchObject({ name: "ok", message: "Send hello?" });
    expect(question.runId).not.toBe(runId);
    for (const id of [runId, question.runId]) {
      expect(await kit.store.runs.find(id)).toMatchObject({ status: "paused" });
    }
    await kit.runs.decide(runId, APPROVED);
    const resumed = await kit.resume(runId);
    expect(resumed.result).toMatchObject({ data: { by: { by: { ok: { approved: true } } } } });
    expect(sent()).toEqual([{ text: "hello" }, { by: "bob" }]);
  });

  it("that was denied below fails every run above it", async () => {
    const source = JSON.stringify(flow(nodes, { outputs }));
    kit.named.set("inner", { kind: "workflow", source, tool: "inner", sensitive: [] });
    const call = (name: string) => flow([{ id: "sub", type: "workflow", params: { name } }]);
    kit.named.set("middle", {
      kind: "workflow",
      source: JSON.stringify(call("inner")),
      tool: "middle",
      sensitive: [],
    });
    const runId = expectPaused(await kit.executeWorkflow(call("middle")));
    const [middle] = await kit.store.runs.children(runId);
    const [inner] = await kit.store.runs.children(middle!.id);
    await kit.runs.decide(runId, DENIED);
    for (const id of [runId, middle!.id, inner!.id]) {
      expect(await kit.store.runs.find(id)).toMatchObject({ status: "failed" });
    }
  });

  it("never shows a sensitive input, to anyone", async () => {
    const token = "s3cret-".repeat(4);
    const inputs = { token: { type: "string", sensitive: true } };
    const secret = [
      {
        id: "ok",
        type: "approve",
        params: { message: "Use ${token}?", details: { header: "Bearer ${token}" } },
      },
      {
        id: "go",
        type: "mail__send",
        params: { token: "${token}" },
        approval: { message: "Really ${token}?" },
      },
    ];
    const { context, asked } = clientThat({ action: "cancel" });
    const report = await kit.executeWorkflow(flow(secret, { inputs }), { inputs: { token } }, context);
    expectPaused(report);
    expect(asked).toHaveLength(2);
    const shown = JSON.stringify([report, asked, await waitingOf(report.runId!), kit.approvals]);
    expect(shown).toContain("[sensitive:token]");
    expect(shown).not.toContain(token);
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name)).includes(token)).toBe(false);
    const resumed = await kit.resume(report.runId!, { inputs: { token } }, clientThat(ACCEPT).context);
    expect(resumed.result.success).toBe(true);
    expect(sent()).toEqual([{ token }]);
  });
});

describe("a wait", () => {
  const HOUR_MS = 3_600_000;
  const around = (params: JsonObject) => [
    { id: "before", type: "mail__send", params: { at: "before" } },
    { id: "pause", type: "wait", params },
    { id: "after", type: "mail__send", params: { at: "after" } },
  ];
  const edges = [
    { from: "before", to: "pause" },
    { from: "pause", to: "after" },
  ];

  it("that is short is waited for", async () => {
    const report = await kit.executeWorkflow(flow(around({ ms: 20 }), { edges }));
    expect(report.result.success).toBe(true);
    expect(report.elapsedMs).toBeGreaterThanOrEqual(19);
    expect(sent()).toEqual([{ at: "before" }, { at: "after" }]);
  });

  it("that does not fit into the run pauses it, and before its time a resume starts nothing", async () => {
    const report = await kit.executeWorkflow(flow(around({ ms: HOUR_MS }), { edges }));
    expect(report.result).toMatchObject({ error: { reason: "waiting_until", node: "pause" } });
    expect(report.checkpoint?.waiting?.until).toBeGreaterThan(clock.now() + HOUR_MS - 10_000);
    expect(await kit.store.runs.find(report.runId!)).toMatchObject({ status: "paused" });
    const before = await runCount();
    const early = await kit.resume(report.runId!);
    expect(early.runId).toBe(report.runId);
    expect(early.result).toEqual(report.result);
    expect(await runCount()).toBe(before);
    aheadMs += HOUR_MS;
    const late = await kit.resume(report.runId!);
    expect(late.result.success).toBe(true);
    expect(late.elapsedMs).toBeLessThan(5_000);
    expect(sent()).toEqual([{ at: "before" }, { at: "after" }]);
  });

  it("until a time that is over is none", async () => {
    const report = await kit.executeWorkflow(flow(around({ until: "2020-01-01T00:00:00Z" }), { edges }));
    expect(report.result.success).toBe(true);
  });

  it("that was interrupted is no longer in all", async () => {
    const stop = new AbortController();
    const waits = Promise.withResolvers<void>();
    opened = (tool) => tool === "wait" && waits.resolve();
    const run = kit.executeWorkflow(flow(around({ ms: 8_000 }), { edges }), {}, { signal: stop.signal });
    await waits.promise;
    stop.abort();
    const stopped = await run;
    expect(stopped.result).toMatchObject({ error: { code: "CANCELLED" } });
    const until = stopped.checkpoint!.waiting!.until!;
    aheadMs += 8_000;
    const resumed = await kit.resume(stopped.runId!);
    expect(resumed.result.success).toBe(true);
    expect(resumed.elapsedMs).toBeLessThan(3_000);
    expect(clock.now()).toBeGreaterThanOrEqual(until);
    expect(sent()).toEqual([{ at: "before" }, { at: "after" }]);
  });

  it.each([
    ["beyond every calendar", 1e300],
    ["of more than 30 days", 31 * 24 * HOUR_MS],
    ["of less than nothing", -1],
    ["that is no number", "soon"],
  ])("%s fails the node", async (_, ms) => {
    const inputs = { ms: { type: "any" } };
    const report = await kit.executeWorkflow(flow(around({ ms: "${ms}" }), { edges, inputs }), {
      inputs: { ms },
    });
    expect(report.result).toMatchObject({ error: { code: "TOOL_INVALID_INPUT", node: "pause" } });
  });

  it("until something that is no time fails the node", async () => {
    const inputs = { when: { type: "string" } };
    const workflow = flow(around({ until: "${when}" }), { edges, inputs });
    const report = await kit.executeWorkflow(workflow, { inputs: { when: "tomorrow" } });
    expect(report.result).toMatchObject({ error: { code: "TOOL_INVALID_INPUT", node: "pause" } });
  });
});
