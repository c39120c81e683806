import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import {
  INLINE_RESULT_BYTES_MAX,
  type Lease,
  type Run,
  type NewRun,
  type Store,
  type TakenSteps,
} from "../../core/store.ts";
import { endOf, finishedOf, leaseOf, newRunOf, startRun, type StoreFixture } from "./fixture.ts";

const LARGE = { text: "x".repeat(INLINE_RESULT_BYTES_MAX) };
const CALL = { tool: "t", args: { a: 1 } } as const;

async function resume(store: Store, fromRunId: string, taken: Partial<TakenSteps> = {}): Promise<Run> {
  const outcome = await store.runs.resume(
    fromRunId,
    newRunOf(),
    { except: [], decided: [], ...taken },
    "heir",
    600_000,
  );
  if (outcome.kind !== "resumed") throw new Error(`expected a run, got ${outcome.kind}`);
  return outcome.run;
}

/** A run that failed with steps of every kind: two that ended, one large, one sent, one waiting. */
async function failedRun(store: Store): Promise<Lease> {
  const lease = await startRun(store);
  await store.runs.recordStep(lease, finishedOf(1));
  await store.runs.openStep(lease, { key: "sent", seq: 3, ...CALL });
  await store.runs.openStep(lease, { key: "waiting", seq: 4, ...CALL, status: "waiting" });
  await store.runs.openStep(lease, { key: "failed", seq: 5, ...CALL });
  const failure = endOf({ status: "failed", error: { code: "X" }, endSeq: 6 });
  await store.runs.closeStep(lease, "failed", failure);
  await store.runs.recordStep(lease, finishedOf(7, { key: "large", result: LARGE }));
  await store.runs.finish(lease, { status: "failed", error: { code: "X" } });
  return lease;
}

/** Going on from a run in another. */
export function describeResuming(fixture: () => StoreFixture): void {
  describeTaking(fixture);
  describeDecided(fixture);
  describeSuperseding(fixture);
}

function describeTaking(fixture: () => StoreFixture): void {
  it("takes along what was sent and goes on elsewhere, as it is, also over several runs", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const task = { server: "jobs", taskId: "own-1" };
    for (const [seq, key] of ["going", "sent"].entries())
      await store.runs.openStep(lease, { key, seq: seq + 1, ...CALL });
    await store.runs.noteTask(lease, "going", task);
    await store.runs.finish(lease, { status: "failed", error: { code: "X" } });
    const going = { going: ["going"] };
    const second = await resume(store, lease.runId, going);
    const gone = { key: "going", status: "sent", error: { task }, fromRunId: lease.runId };
    expect(await store.runs.steps(second.id)).toMatchObject([gone]);
    await store.runs.finish(leaseOf(second), { status: "failed", error: { code: "X" } });
    const third = await resume(store, second.id, going);
    expect(await store.runs.steps(third.id)).toMatchObject([gone]);
    expect(await store.runs.openStep(leaseOf(third), { key: "going", seq: 9, ...CALL })).toBe(true);
    await store.runs.closeStep(leaseOf(third), "going", endOf({ result: "done" }));
    expect(await store.runs.steps(third.id)).toMatchObject([
      { status: "succeeded", result: "done", error: null },
    ]);
  });

  it("starts a run of its own that names the one before", async () => {
    const { store, reopen, clock } = fixture();
    const { runId } = await failedRun(store);
    const before = await store.runs.find(runId);
    const draft: NewRun = {
      scope: DEFAULT_SCOPE,
      kind: "capability",
      source: "return 2",
      capabilityId: "c",
      capabilityVersion: 3,
      intent: "again",
      inputs: { a: 1 },
      parentRunId: "p",
      parentStep: "k",
      principal: "token:laptop",
      session: "http:1",
      client: "test 2",
      seed: "s",
      clockAt: 77,
    };
    clock.advance(9);
    const outcome = await store.runs.resume(runId, draft, { except: [], decided: [] }, "heir", 60_000);
    if (outcome.kind !== "resumed") throw new Error("nobody else resumes it");
    expect(outcome.run).toEqual({
      ...draft,
      id: outcome.run.id,
      status: "running",
      result: null,
      error: null,
      resumedFromRunId: runId,
      cancelBy: null,
      logs: [],
      mode: "foreground",
      profile: null,
      wakeAt: null,
      attemptCount: 0,
      timeoutMs: null,
      leaseOwner: "heir",
      leaseUntil: expect.any(Number) as number,
      fence: 1,
      startedAt: clock.now(),
      finishedAt: null,
    });
    expect(outcome.run.id > runId).toBe(true);
    expect(await store.runs.find(runId)).toEqual(before);
    expect(await (await reopen()).runs.find(outcome.run.id)).toEqual(outcome.run);
  });

  it("takes the steps that ended as they are, and leaves the old journal alone", async () => {
    const { store, reopen } = fixture();
    const { runId } = await failedRun(store);
    const before = await store.runs.steps(runId);
    const run = await resume(store, runId);
    const ended = before.filter((step) => step.finishedAt !== null);
    const taken = ended.map((step) => ({ ...step, runId: run.id, fromRunId: runId }));
    expect(taken.map((step) => step.key)).toEqual(["k1", "failed", "large"]);
    expect(await store.runs.steps(run.id)).toEqual(taken);
    expect(await store.runs.steps(runId)).toEqual(before);
    expect(await (await reopen()).runs.steps(run.id)).toEqual(taken);
  });

  it("reads the same large values in every run of a chain, each step naming who made its call", async () => {
    const { store } = fixture();
    const first = await failedRun(store);
    const ids = [first.runId];
    for (let i = 1; i <= 3; i++) {
      const run = await resume(store, ids.at(-1) ?? "");
      await store.runs.recordStep(leaseOf(run), finishedOf(100 * i, { result: { i, ...LARGE } }));
      await store.runs.finish(leaseOf(run), { status: "failed" });
      ids.push(run.id);
    }
    for (const id of ids) expect(await store.runs.stepResult(id, "large")).toEqual(LARGE);
    const last = ids.at(-1) ?? "";
    for (let i = 1; i <= 3; i++)
      expect(await store.runs.stepResult(last, `k${100 * i}`)).toEqual({ i, ...LARGE });
    const steps = await store.runs.steps(last);
    expect(steps.map((step) => [step.key, step.fromRunId])).toEqual([
      ["k1", ids[0]],
      ["failed", ids[0]],
      ["large", ids[0]],
      ["k100", ids[1]],
      ["k200", ids[2]],
      ["k300", null],
    ]);
    expect(await store.findDamage()).toEqual([]);
  });

  it("leaves behind what it is told to, and minds no key that it does not know", async () => {
    const { store } = fixture();
    const { runId } = await failedRun(store);
    const run = await resume(store, runId, { except: ["failed", "large", "unknown", "sent", "__proto__"] });
    expect((await store.runs.steps(run.id)).map((step) => step.key)).toEqual(["k1"]);
    expect(await store.runs.steps(runId)).toHaveLength(5);
    expect(await store.runs.stepResult(runId, "large")).toEqual(LARGE);
    const again = { key: "failed", seq: 5, ...CALL };
    expect(await store.runs.openStep(leaseOf(run), again)).toBe(true);
    expect(await store.runs.closeStep(leaseOf(run), "failed", endOf({ result: 2 }))).toBe(true);
    expect(await store.runs.stepResult(run.id, "failed")).toBe(2);
  });

  it("takes nothing from a run without steps", async () => {
    const { store } = fixture();
    const { runId } = await startRun(store);
    expect(await store.runs.steps((await resume(store, runId)).id)).toEqual([]);
  });

  it("takes 2,000 steps and leaves 500 of them behind", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const seqs = Array.from({ length: 2000 }, (_, i) => i);
    await Promise.all(seqs.map((seq) => store.runs.recordStep(lease, finishedOf(seq))));
    const except = seqs.filter((seq) => seq % 4 === 0).map((seq) => `k${seq}`);
    const steps = await store.runs.steps((await resume(store, lease.runId, { except })).id);
    expect(steps.map((step) => step.seq)).toEqual(seqs.filter((seq) => seq % 4 !== 0));
  });

  it("keeps the order of steps when the clock goes back a day in between (T124)", async () => {
    const { store, clock } = fixture();
    const { runId } = await failedRun(store);
    clock.advance(-86_400_000);
    const run = await resume(store, runId, { decided: [{ key: "sent", result: 1 }] });
    expect(run.id > runId).toBe(true);
    await store.runs.recordStep(leaseOf(run), finishedOf(20, { startedAt: clock.now() }));
    const steps = await store.runs.steps(run.id);
    expect(steps.map((step) => step.key)).toEqual(["k1", "sent", "failed", "large", "k20"]);
    expect(steps.map((step) => step.endSeq)).toEqual([2, 9, 6, 8, 21]);
    expect((await store.runs.list(DEFAULT_SCOPE, { limit: 2 })).map((each) => each.id)).toEqual([
      run.id,
      runId,
    ]);
  });
}

function describeDecided(fixture: () => StoreFixture): void {
  it("takes steps without an answer with the one that was decided on, after all that was begun", async () => {
    const { store, clock } = fixture();
    const { runId } = await failedRun(store);
    const before = await store.runs.steps(runId);
    clock.advance(50);
    const decided = [
      { key: "waiting", result: { large: LARGE } },
      { key: "sent", result: null },
    ];
    const run = await resume(store, runId, { decided });
    const steps = await store.runs.steps(run.id);
    const stepOf = (key: string) => steps.find((step) => step.key === key);
    const common = { runId: run.id, fromRunId: runId, status: "succeeded", finishedAt: clock.now() };
    expect(stepOf("sent")).toEqual({ ...before[1], ...common, endSeq: 10 });
    const resultBytes = Buffer.byteLength(JSON.stringify({ large: LARGE }));
    expect(stepOf("waiting")).toEqual({ ...before[2], ...common, endSeq: 9, resultBytes });
    expect(await store.runs.stepResult(run.id, "waiting")).toEqual({ large: LARGE });
    expect(await store.runs.stepResult(run.id, "sent")).toBeNull();
    expect(await store.runs.steps(runId)).toEqual(before);
    expect(await store.findDamage()).toEqual([]);
  });

  it("keeps the answer on record where a step ended before the decision", async () => {
    const { store } = fixture();
    const { runId } = await failedRun(store);
    const decided = [
      { key: "k1", result: "late" },
      { key: "large", result: { large: LARGE } },
    ];
    const run = await resume(store, runId, { decided });
    expect(await store.runs.stepResult(run.id, "k1")).toBe(1);
    expect(await store.runs.stepResult(run.id, "large")).toEqual(LARGE);
  });

  it.each(["unknown", "__proto__"])("throws when %s is decided, and starts nothing", async (key) => {
    const { store } = fixture();
    const { runId } = await failedRun(store);
    await expect(resume(store, runId, { decided: [{ key, result: 1 }] })).rejects.toThrow("never opened");
    expect(await store.runs.successor(runId)).toBeUndefined();
    expect((await resume(store, runId)).resumedFromRunId).toBe(runId);
  });

  it("starts nothing when a decided result is no bounded JSON", async () => {
    const { store } = fixture();
    const { runId } = await failedRun(store);
    const decided = [{ key: "sent", result: "x".repeat(5 * 1024 * 1024) }];
    await expect(resume(store, runId, { decided })).rejects.toMatchObject({ code: "JSON_LIMIT" });
    expect(await store.runs.successor(runId)).toBeUndefined();
  });
}

function describeSuperseding(fixture: () => StoreFixture): void {
  it("names the run that goes on already, and writes nothing", async () => {
    const { store } = fixture();
    const { runId } = await failedRun(store);
    const first = await resume(store, runId);
    const taken = { except: ["k1"], decided: [{ key: "sent", result: LARGE }] };
    const outcome = await store.runs.resume(runId, newRunOf(), taken, "third", 60_000);
    expect(outcome).toEqual({ kind: "superseded", byRunId: first.id });
    const all = await store.runs.list(DEFAULT_SCOPE, { limit: 9, children: true });
    expect(all.map((run) => run.id)).toEqual([first.id, runId]);
    expect(await store.runs.find(first.id)).toEqual(first);
    expect(await store.runs.steps(first.id)).toHaveLength(3);
  });

  it("lets one of 20 go on from a run, and tells the others which it is", async () => {
    const { store } = fixture();
    const { runId } = await failedRun(store);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        store.runs.resume(runId, newRunOf(), { except: [], decided: [] }, `heir ${i}`, 60_000),
      ),
    );
    const winners = outcomes.flatMap((outcome) => (outcome.kind === "resumed" ? [outcome.run] : []));
    expect(winners).toHaveLength(1);
    const losers = outcomes.flatMap((outcome) => (outcome.kind === "superseded" ? [outcome.byRunId] : []));
    expect(losers).toEqual(Array.from({ length: 19 }, () => winners[0]?.id));
    expect(await store.runs.steps(winners[0]?.id ?? "")).toHaveLength(3);
  });

  it("lets runs go on from different ones at once", async () => {
    const { store } = fixture();
    const leases = await Promise.all(Array.from({ length: 5 }, () => failedRun(store)));
    const runs = await Promise.all(leases.map(({ runId }) => resume(store, runId)));
    expect(runs.map((run) => run.resumedFromRunId)).toEqual(leases.map(({ runId }) => runId));
  });
}
