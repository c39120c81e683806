import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type Json } from "../../core/json.ts";
import type { Lease, Step, Store } from "../../core/store.ts";
import { runDraftOf, type StoreFixture } from "./fixture.ts";

const CALL = { key: "k", seq: 1, tool: "github__search", args: { q: "x", limit: 5 } } as const;

async function startRun(store: Store): Promise<Lease> {
  const run = await store.runs.start(runDraftOf(), "owner", 600_000);
  return { runId: run.id, fence: run.fence };
}

export function describeSteps(fixture: () => StoreFixture): void {
  describeOpening(fixture);
  describeClosing(fixture);

  it("keeps any JSON result exactly", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    let seq = 0;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (value) => {
        const key = `k${++seq}`;
        await store.runs.openStep(lease, { key, seq, tool: "t", args: {} });
        await store.runs.closeStep(lease, key, { status: "succeeded", result: value as Json });
        const steps = await store.runs.steps(lease.runId);
        expect(canonicalJson(steps.at(-1)?.result)).toBe(canonicalJson(value));
      }),
      { numRuns: 50 },
    );
  });

  it("knows no steps of an unknown run", async () => {
    expect(await fixture().store.runs.steps("unknown")).toEqual([]);
  });
}

function describeOpening(fixture: () => StoreFixture): void {
  it("records a step as sent, also after a restart", async () => {
    const { store, reopen, clock } = fixture();
    const lease = await startRun(store);
    expect(await store.runs.openStep(lease, CALL)).toBe(true);
    const step: Step = {
      runId: lease.runId,
      ...CALL,
      status: "sent",
      result: null,
      error: null,
      startedAt: clock.now(),
      finishedAt: null,
    };
    expect(await store.runs.steps(lease.runId)).toEqual([step]);
    expect(await (await reopen()).runs.steps(lease.runId)).toEqual([step]);
  });

  it("leaves an open step as it is when it is opened again", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    const steps = await store.runs.steps(lease.runId);
    clock.advance(5);
    expect(await store.runs.openStep(lease, CALL)).toBe(true);
    expect(await store.runs.openStep(lease, { ...CALL, seq: 9, tool: "other", args: {} })).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
  });

  it("leaves a closed step as it is when it is opened again", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await store.runs.closeStep(lease, CALL.key, { status: "failed", error: { code: "X" } });
    const steps = await store.runs.steps(lease.runId);
    expect(await store.runs.openStep(lease, CALL)).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
  });

  it("lists steps by seq, whatever the order of opening", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    for (const seq of [10, 2, 33, 1]) await store.runs.openStep(lease, { ...CALL, key: `k${seq}`, seq });
    expect((await store.runs.steps(lease.runId)).map((step) => step.seq)).toEqual([1, 2, 10, 33]);
  });

  it("throws when a second step takes a seq that is in use, and writes nothing", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await expect(store.runs.openStep(lease, { ...CALL, key: "other" })).rejects.toThrow();
    expect((await store.runs.steps(lease.runId)).map((step) => step.key)).toEqual(["k"]);
    expect(await store.runs.openStep(lease, { ...CALL, key: "other", seq: 2 })).toBe(true);
  });

  it("gives two runs their own keys and numbers", async () => {
    const { store } = fixture();
    const [one, two] = [await startRun(store), await startRun(store)];
    expect(await store.runs.openStep(one, CALL)).toBe(true);
    expect(await store.runs.openStep(two, CALL)).toBe(true);
    expect(await store.runs.steps(one.runId)).toHaveLength(1);
    expect(await store.runs.steps(two.runId)).toHaveLength(1);
  });

  it("records 100 steps that are opened and closed at once", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await Promise.all(
      Array.from({ length: 100 }, async (_, seq) => {
        await store.runs.openStep(lease, { ...CALL, key: `k${seq}`, seq });
        await store.runs.closeStep(lease, `k${seq}`, { status: "succeeded", result: seq });
      }),
    );
    const steps = await store.runs.steps(lease.runId);
    expect(steps.map((step) => step.result)).toEqual(Array.from({ length: 100 }, (_, seq) => seq));
  });
}

function describeClosing(fixture: () => StoreFixture): void {
  it("records how a step ended", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await store.runs.openStep(lease, { ...CALL, key: "k2", seq: 2 });
    clock.advance(5);
    expect(await store.runs.closeStep(lease, "k", { status: "succeeded", result: [1] })).toBe(true);
    expect(await store.runs.closeStep(lease, "k2", { status: "failed", error: { code: "X" } })).toBe(true);
    expect(await store.runs.steps(lease.runId)).toMatchObject([
      { key: "k", status: "succeeded", result: [1], error: null, finishedAt: clock.now() },
      { key: "k2", status: "failed", result: null, error: { code: "X" }, finishedAt: clock.now() },
    ]);
  });

  it("keeps the first outcome when a step is closed again", async () => {
    const { store, clock } = fixture();
    const lease = await startRun(store);
    await store.runs.openStep(lease, CALL);
    await store.runs.closeStep(lease, "k", { status: "succeeded", result: 1 });
    const steps = await store.runs.steps(lease.runId);
    clock.advance(5);
    expect(await store.runs.closeStep(lease, "k", { status: "failed", error: { code: "X" } })).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
  });

  it("throws when a step is closed that was never opened", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    await expect(store.runs.closeStep(lease, "k", { status: "succeeded" })).rejects.toThrow("never opened");
    expect(await store.runs.steps(lease.runId)).toEqual([]);
  });

  it("lets the next owner close what the one before has opened", async () => {
    const { store } = fixture();
    const run = await store.runs.start(runDraftOf(), "owner", 0);
    await store.runs.openStep({ runId: run.id, fence: 1 }, CALL);
    await store.runs.claim(run.id, "heir", 60_000);
    expect(await store.runs.closeStep({ runId: run.id, fence: 2 }, "k", { status: "succeeded" })).toBe(true);
    expect((await store.runs.steps(run.id))[0]?.status).toBe("succeeded");
  });
}
