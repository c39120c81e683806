import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Permission, Principal } from "../../core/principal.ts";
import { fail, succeed } from "../../core/result.ts";
import { createTestRuns, orphanRuns, type TestRuns } from "../runs.testkit.ts";
import {
  ACCEPT,
  APPROVED,
  clientThat,
  decideNow,
  DENIED,
  expectPaused,
  flow,
  questionOf,
  runCount,
  waitingOf,
} from "./workflow.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let kit: TestRuns;
let isDown = false;

beforeAll(async () => {
  kit = await createTestRuns(folder);
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
  kit.calls.length = 0;
  kit.approvals.length = 0;
});

function sent(): unknown[] {
  return kit.calls.filter(({ tool }) => tool === "mail__send").map(({ args }) => args);
}

function principalOf(...permissions: Permission[]): Principal {
  const revoked = new AbortController().signal;
  return { id: "token:eve", name: "eve", permissions: new Set(permissions), revoked };
}

const GUARDED = { id: "send", type: "mail__send", params: { to: "ann", n: 3 }, approval: true };

describe("an approval that the client can ask for", () => {
  it("shows the exact parameters, and the node is done when it is given", async () => {
    const { context, asked } = clientThat(ACCEPT);
    const report = await kit.executeWorkflow(flow([GUARDED]), {}, context);
    expect(report.result).toEqual({ success: true, data: {} });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ message: expect.stringContaining('"params":{"to":"ann","n":3}') });
    expect(sent()).toEqual([{ to: "ann", n: 3 }]);
    expect(kit.approvals).toEqual([{ runId: report.runId, node: "send", answer: "approved", by: "bob" }]);
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

  it("S4: is not asked of a client whose principal may not decide: the run pauses and says who can", async () => {
    const { context, asked } = clientThat(ACCEPT);
    const principal = principalOf("read", "call");
    const report = await kit.executeWorkflow(flow([GUARDED]), {}, { ...context, principal });
    expectPaused(report);
    expect(report.result).toMatchObject({
      error: { hint: expect.stringContaining("lacks the scope write") },
    });
    expectPaused(await kit.resume(report.runId!, {}, { ...context, principal }));
    expect([asked, sent(), kit.approvals]).toEqual([[], [], []]);
  });

  it("S3: is on record under the principal that decided", async () => {
    const principal = principalOf("call", "write");
    await kit.executeWorkflow(flow([GUARDED]), {}, { ...clientThat(ACCEPT).context, principal });
    expect(kit.approvals).toMatchObject([{ answer: "approved", by: "token:eve" }]);
  });

  it("S3: counts for nothing when it comes after the run was cancelled", async () => {
    const abort = new AbortController();
    const { context } = clientThat(ACCEPT);
    const client = {
      ...context.client!,
      request: async () => {
        abort.abort();
        return succeed(ACCEPT);
      },
    };
    const report = await kit.executeWorkflow(flow([GUARDED]), {}, { client, signal: abort.signal });
    expect(report.result).toMatchObject({ error: { code: "CANCELLED" } });
    expect([sent(), kit.approvals]).toEqual([[], []]);
    expectPaused(await kit.resume(report.runId!));
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

describe("a yes that is on record", () => {
  async function approvedRun(workflow: JsonObject, inputs: JsonObject = {}): Promise<string> {
    const paused = await kit.executeWorkflow(workflow, { inputs });
    expectPaused(paused);
    expect(await decideNow(kit, paused.runId!, APPROVED)).toMatchObject({ success: true });
    return paused.runId!;
  }

  it("S3: does not count for another value of a sensitive input", async () => {
    const params = { to: "${to}" };
    const workflow = flow([{ ...GUARDED, params }], { inputs: { to: { type: "string", sensitive: true } } });
    const other = await approvedRun(workflow, { to: "alice-0001" });
    expectPaused(await kit.resume(other, { inputs: { to: "mallory-9" } }));
    expect(sent()).toEqual([]);
    const same = await approvedRun(workflow, { to: "alice-0001" });
    expect((await kit.resume(same, { inputs: { to: "alice-0001" } })).result.success).toBe(true);
    expect(sent()).toEqual([{ to: "alice-0001" }]);
  });

  it("S3: does not count for another source under the name that the node starts", async () => {
    const inner = (n: number) => JSON.stringify(flow([{ id: "send", type: "mail__send", params: { n } }]));
    const keep = (n: number) =>
      kit.named.set("inner", { kind: "workflow", source: inner(n), draft: "draft:inner" });
    keep(1);
    const workflow = flow([{ id: "go", type: "workflow", params: { name: "inner" }, approval: true }]);
    const changed = await approvedRun(workflow);
    keep(666);
    expectPaused(await kit.resume(changed));
    expect(sent()).toEqual([]);
    const same = await approvedRun(workflow);
    expect((await kit.resume(same)).result.success).toBe(true);
    expect(sent()).toEqual([{ n: 666 }]);
  });

  it("D7: leaves a paused run when the question is open past the run's time limit", async () => {
    const limit = new AbortController();
    const { context } = clientThat(ACCEPT);
    const client = {
      ...context.client!,
      // As the timer of a run says it.
      request: async () => {
        limit.abort(new DOMException("", "TimeoutError"));
        return fail("CANCELLED", "withdrawn");
      },
    };
    const report = await kit.executeWorkflow(flow([GUARDED]), {}, { client, signal: limit.signal });
    const runId = expectPaused(report);
    expect(await kit.store.runs.find(runId)).toMatchObject({ status: "paused" });
    expect((await kit.resume(runId, {}, clientThat(ACCEPT).context)).result.success).toBe(true);
    expect(sent()).toHaveLength(1);
  });

  it("S3: is not asked for through a client that could not show all of it", async () => {
    const { context, asked } = clientThat(ACCEPT);
    const params = { to: "x".repeat(20_000), n: 666 };
    expectPaused(await kit.executeWorkflow(flow([{ ...GUARDED, params }]), {}, context));
    expect(asked).toEqual([]);
  });
});

describe("an approval that nobody here can give", () => {
  it("pauses the run with a question that has the exact parameters", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    expect(await waitingOf(kit, runId)).toMatchObject({
      runId,
      message: "May send (mail__send) be done?",
      details: { type: "mail__send", params: { to: "ann", n: 3 } },
    });
    expect(sent()).toEqual([]);
  });

  it("goes on when it was given, and does it once", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    expect(await decideNow(kit, runId, APPROVED)).toMatchObject({ success: true });
    expect((await kit.resume(runId)).result).toEqual({ success: true, data: {} });
    expect(sent()).toEqual([{ to: "ann", n: 3 }]);
    expect(kit.approvals).toMatchObject([{ runId, answer: "approved", by: "bob" }]);
  });

  it("fails the run when it was denied", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    await decideNow(kit, runId, DENIED);
    expect(await kit.store.runs.find(runId)).toMatchObject({ status: "failed", error: { reason: "denied" } });
    expect(await decideNow(kit, runId, APPROVED)).toMatchObject({ success: false });
    expect(sent()).toEqual([]);
  });

  it("is asked for again after a no, when somebody goes on all the same", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    await decideNow(kit, runId, DENIED);
    expectPaused(await kit.resume(runId));
    expect(sent()).toEqual([]);
  });

  it("starts no new run while it is undecided", async () => {
    const paused = await kit.executeWorkflow(flow([GUARDED]));
    const before = await runCount(kit);
    const again = await kit.resume(paused.runId!);
    expect(again.runId).toBe(paused.runId);
    expectPaused(again);
    expect(await runCount(kit)).toBe(before);
  });

  it("counts for what was asked: changed parameters are asked about again", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    await decideNow(kit, runId, APPROVED);
    const source = JSON.stringify(flow([{ ...GUARDED, params: { to: "eve", n: 3 } }]));
    const changed = await kit.resume(runId, { corrected: { kind: "workflow", source } });
    const next = expectPaused(changed);
    expect(next).not.toBe(runId);
    expect(await waitingOf(kit, next)).toMatchObject({ details: { params: { to: "eve" } } });
    expect(sent()).toEqual([]);
    await decideNow(kit, next, APPROVED);
    await kit.resume(next);
    expect(sent()).toEqual([{ to: "eve", n: 3 }]);
  });

  it("can be asked for with a correction before anyone has answered", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    const source = JSON.stringify(flow([{ ...GUARDED, params: { to: "eve" } }]));
    const changed = await kit.resume(runId, { corrected: { kind: "workflow", source } });
    expect(await waitingOf(kit, expectPaused(changed))).toMatchObject({ details: { params: { to: "eve" } } });
  });

  it("is found in the newest run, whichever of them is named", async () => {
    const first = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    await decideNow(kit, first, APPROVED);
    const source = JSON.stringify(flow([{ ...GUARDED, params: { to: "eve" } }]));
    const second = expectPaused(await kit.resume(first, { corrected: { kind: "workflow", source } }));
    expect(await kit.runs.question(first)).toMatchObject({ data: { runId: second } });
  });

  it("S3: a yes to an earlier question never counts for the one that waits now", async () => {
    const first = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    const shown = await questionOf(kit, first);
    expect(await kit.runs.decide(shown, APPROVED)).toMatchObject({ success: true });
    const refused = { error: { code: "TOOL_INVALID_INPUT", reason: "already_answered" } };
    expect(await kit.runs.decide(shown, APPROVED)).toMatchObject(refused);
    const source = JSON.stringify(flow([{ ...GUARDED, params: { to: "eve" } }]));
    const second = expectPaused(await kit.resume(first, { corrected: { kind: "workflow", source } }));
    expect(await kit.runs.decide(shown, APPROVED)).toMatchObject({
      error: { reason: "already_answered", runId: second, hint: expect.stringContaining(second) },
    });
    expectPaused(await kit.resume(second));
    expect(sent()).toEqual([]);
    expect(kit.approvals).toHaveLength(1);
  });

  it("S3: the same question in a run that goes on is another question", async () => {
    const first = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    const shown = await questionOf(kit, first);
    const source = JSON.stringify(flow([GUARDED]));
    const second = expectPaused(await kit.resume(first, { corrected: { kind: "workflow", source } }));
    const again = await questionOf(kit, second);
    expect([again.waiting.key, again.waiting.message]).toEqual([shown.waiting.key, shown.waiting.message]);
    expect(await kit.runs.decide(shown, APPROVED)).toMatchObject({ error: { reason: "already_answered" } });
    expect(await kit.runs.decide(again, APPROVED)).toMatchObject({ success: true });
  });

  it("S3: of several open questions an answer decides the one that it names, in any order", async () => {
    const nodes = ["ann", "bob"].map((to) => ({
      id: to,
      type: "mail__send",
      params: { to },
      approval: true,
    }));
    const runId = expectPaused(await kit.executeWorkflow(flow(nodes)));
    const first = await questionOf(kit, runId);
    expect(first.openCount).toBe(2);
    await kit.runs.decide(first, APPROVED);
    const second = await questionOf(kit, runId);
    expect(second).toMatchObject({ openCount: 1 });
    expect(second.questionId).not.toBe(first.questionId);
    expect(await kit.runs.decide(first, APPROVED)).toMatchObject({ error: { reason: "already_answered" } });
    expect(await questionOf(kit, runId)).toEqual(second);
  });

  it("S4: is not decided by a principal without write, and nothing is on record", async () => {
    const runId = expectPaused(await kit.executeWorkflow(flow([GUARDED])));
    const question = await questionOf(kit, runId);
    const principal = principalOf("read", "call");
    expect(await kit.runs.decide(question, { isApproved: true, principal })).toMatchObject({
      error: { code: "SECURITY_ERROR", hint: expect.stringContaining("repertoire approve") },
    });
    expect(kit.approvals).toEqual([]);
    expect(await questionOf(kit, runId)).toEqual(question);
    await kit.runs.decide(question, { isApproved: true, principal: principalOf("write") });
    expect(kit.approvals).toMatchObject([{ by: "token:eve" }]);
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
      names.push((await waitingOf(kit, runId)).message);
      await decideNow(kit, runId, APPROVED);
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
    expect(report.checkpoint?.stepCount).toBe(2);
    expect(await waitingOf(kit, report.runId!)).toMatchObject({ name: "ok" });
  });

  it("survives the process between the question and the pause", async () => {
    const asking = Promise.withResolvers<void>();
    const client = {
      capabilities: { elicitation: {} },
      gone: new AbortController().signal,
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
