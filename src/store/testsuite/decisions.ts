import { expect, it } from "vitest";
import type { Lease, Store } from "../../core/store.ts";
import { endOf, finishedOf, leaseOf, newRunOf, startRun, type StoreFixture } from "./fixture.ts";

const YES = { isApproved: true, by: "ada" };
const NO = { isApproved: false, by: "bob" };
const ASK = { key: "ask", tool: "approve", args: { question: "Really?" }, status: "waiting" } as const;

/** A run that has asked and waits. */
async function pausedRun(store: Store, ask: { seq: number } = { seq: 1 }): Promise<Lease> {
  const lease = await startRun(store);
  await store.runs.openStep(lease, { ...ASK, ...ask });
  await store.runs.finish(lease, { status: "paused" });
  return lease;
}

/** What somebody says to a question of a paused run. */
export function describeDecisions(fixture: () => StoreFixture): void {
  describeAnswers(fixture);
  describeLate(fixture);
}

function describeAnswers(fixture: () => StoreFixture): void {
  it("records who said yes and when, also after a restart", async () => {
    const { store, reopen, clock } = fixture();
    const { runId } = await pausedRun(store);
    const [asked] = await store.runs.steps(runId);
    clock.advance(500);
    expect(await store.runs.decide(runId, "ask", YES)).toEqual({ kind: "decided" });
    const at = clock.now();
    const result = { approved: true, by: "ada", at: new Date(at).toISOString() };
    const answered = { ...asked, status: "succeeded", result, finishedAt: at, endSeq: 2 };
    expect(await store.runs.steps(runId)).toEqual([answered]);
    expect((await store.runs.find(runId))?.status).toBe("paused");
    const again = await reopen();
    expect(await again.runs.steps(runId)).toEqual([answered]);
    expect(await again.runs.stepResult(runId, "ask")).toEqual(result);
  });

  it("records a no as a failure that says who it was", async () => {
    const { store, clock } = fixture();
    const { runId } = await pausedRun(store);
    expect(await store.runs.decide(runId, "ask", NO)).toEqual({ kind: "decided" });
    const at = clock.now();
    const error = {
      code: "CANCELLED",
      reason: "denied",
      message: "bob said no.",
      by: "bob",
      at: new Date(at).toISOString(),
    };
    expect(await store.runs.steps(runId)).toMatchObject([
      { status: "failed", result: null, error, finishedAt: at, endSeq: 2 },
    ]);
    expect(await store.runs.stepResult(runId, "ask")).toBeUndefined();
  });

  it("puts the answer after all that the run had begun and heard (T124)", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, { ...ASK, seq: 1 });
    await store.runs.openStep(lease, { ...ASK, key: "second", seq: 2 });
    await store.runs.recordStep(lease, finishedOf(3, { endSeq: 8 }));
    await store.runs.openStep(lease, { key: "sent", seq: 5, tool: "t", args: {} });
    await store.runs.finish(lease, { status: "paused" });
    clock.advance(-86_400_000);
    await store.runs.decide(lease.runId, "second", YES);
    clock.advance(-86_400_000);
    await store.runs.decide(lease.runId, "ask", NO);
    const steps = await store.runs.steps(lease.runId);
    expect(steps.map((step) => [step.key, step.endSeq])).toEqual([
      ["ask", 10],
      ["second", 9],
      ["k3", 8],
      ["sent", null],
    ]);
  });
}

function describeLate(fixture: () => StoreFixture): void {
  it("lets one of 20 answers stand", async () => {
    const { store } = fixture();
    const { runId } = await pausedRun(store);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        store.runs.decide(runId, "ask", { isApproved: i % 2 === 0, by: `voter ${i}` }),
      ),
    );
    const winners = outcomes.flatMap((outcome, i) => (outcome.kind === "decided" ? [i] : []));
    expect(winners).toHaveLength(1);
    const [step] = await store.runs.steps(runId);
    expect((step?.result ?? step?.error) as object).toMatchObject({ by: `voter ${winners[0]}` });
  });

  it("is late for what was answered, is unknown, or is no question", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const { runId } = lease;
    await store.runs.openStep(lease, { key: "sent", seq: 1, tool: "t", args: {} });
    await store.runs.recordStep(lease, finishedOf(2, { key: "recorded" }));
    await store.runs.openStep(lease, { ...ASK, seq: 4 });
    await store.runs.closeStep(lease, "ask", endOf({ result: "first" }));
    await store.runs.finish(lease, { status: "paused" });
    const steps = await store.runs.steps(runId);
    for (const key of ["sent", "recorded", "ask", "unknown", "__proto__"])
      expect(await store.runs.decide(runId, key, NO)).toEqual({ kind: "late" });
    expect(await store.runs.decide("unknown", "ask", YES)).toEqual({ kind: "late" });
    expect(await store.runs.steps(runId)).toEqual(steps);
  });

  it.each(["running", "succeeded", "failed", "cancelled"] as const)(
    "is late when the run is %s",
    async (status) => {
      const { store } = fixture();
      const lease = await startRun(store);
      await store.runs.openStep(lease, { ...ASK, seq: 1 });
      if (status !== "running") await store.runs.finish(lease, { status });
      const steps = await store.runs.steps(lease.runId);
      expect(await store.runs.decide(lease.runId, "ask", YES)).toEqual({ kind: "late" });
      expect(await store.runs.steps(lease.runId)).toEqual(steps);
    },
  );

  it("is late when the run was claimed, and when another goes on from it", async () => {
    const { store } = fixture();
    const [claimed, resumed] = [await pausedRun(store), await pausedRun(store)];
    await store.runs.claim(claimed.runId, "heir", 60_000);
    await store.runs.resume(resumed.runId, newRunOf(), { except: [], decided: [] }, "heir", 60_000);
    for (const { runId } of [claimed, resumed]) {
      expect(await store.runs.decide(runId, "ask", YES)).toEqual({ kind: "late" });
      expect(await store.runs.steps(runId)).toMatchObject([{ status: "waiting", finishedAt: null }]);
    }
  });

  it("answers a question, or lets a run go on without the answer, when both come at once", async () => {
    const { store } = fixture();
    for (let i = 0; i < 10; i++) {
      const { runId } = await pausedRun(store);
      const decide = (): Promise<unknown> => store.runs.decide(runId, "ask", YES);
      const resume = () => store.runs.resume(runId, newRunOf(), { except: [], decided: [] }, "o", 60_000);
      const [outcome, next] =
        i % 2 === 0
          ? await Promise.all([decide(), resume()])
          : (await Promise.all([resume(), decide()])).toReversed();
      const run = next as Awaited<ReturnType<typeof resume>>;
      if (run.kind !== "resumed") throw new Error("nobody else resumes it");
      const taken = await store.runs.steps(leaseOf(run.run).runId);
      expect(taken).toHaveLength((outcome as { kind: string }).kind === "decided" ? 1 : 0);
    }
  });
}
