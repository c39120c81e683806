import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, type Json } from "../../core/json.ts";
import { INLINE_RESULT_BYTES_MAX, type Lease, type Store } from "../../core/store.ts";
import { endOf, finishedOf, leaseOf, newRunOf, startRun, type StoreFixture } from "./fixture.ts";

const LARGE = { text: "ü".repeat(INLINE_RESULT_BYTES_MAX) };
const LARGE_BYTES = Buffer.byteLength(JSON.stringify(LARGE));

/** Its canonical JSON, with the quotes, has this many bytes. */
function textOf(bytes: number): string {
  return "x".repeat(bytes - 2);
}

type Write = (store: Store, lease: Lease, seq: number, result: Json) => Promise<boolean>;

const WRITES: readonly [string, Write][] = [
  ["recorded", (store, lease, seq, result) => store.runs.recordStep(lease, finishedOf(seq, { result }))],
  [
    "closed",
    async (store, lease, seq, result) => {
      await store.runs.openStep(lease, { key: `k${seq}`, seq, tool: "t", args: {} });
      return store.runs.closeStep(lease, `k${seq}`, endOf({ result }));
    },
  ],
];

/** Results beside their steps and apart from them. */
export function describeStepResults(fixture: () => StoreFixture): void {
  describeReading(fixture);
  describeStanding(fixture);
}

function describeReading(fixture: () => StoreFixture): void {
  it.each(WRITES)(
    "keeps a large result apart when a step is %s, also after a restart",
    async (_name, write) => {
      const { store, reopen } = fixture();
      const lease = await startRun(store);
      expect(await write(store, lease, 1, LARGE)).toBe(true);
      const step = { status: "succeeded", result: null, resultBytes: LARGE_BYTES };
      expect(await store.runs.steps(lease.runId)).toMatchObject([step]);
      expect(await store.runs.stepResult(lease.runId, "k1")).toEqual(LARGE);
      expect(await (await reopen()).runs.stepResult(lease.runId, "k1")).toEqual(LARGE);
    },
  );

  it.each(WRITES)(
    "keeps up to the limit in the step that is %s, and one byte more apart",
    async (_name, write) => {
      const { store } = fixture();
      const lease = await startRun(store);
      const sizes = [INLINE_RESULT_BYTES_MAX - 1, INLINE_RESULT_BYTES_MAX, INLINE_RESULT_BYTES_MAX + 1];
      for (const [seq, bytes] of sizes.entries()) await write(store, lease, seq, textOf(bytes));
      const steps = await store.runs.steps(lease.runId);
      expect(steps.map((step) => step.resultBytes)).toEqual([null, null, INLINE_RESULT_BYTES_MAX + 1]);
      expect(steps.map((step) => step.result === null)).toEqual([false, false, true]);
      for (const [seq, bytes] of sizes.entries())
        expect(await store.runs.stepResult(lease.runId, `k${seq}`)).toBe(textOf(bytes));
    },
  );

  it("reads any result wherever it lies", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    let seq = 0;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), async (value, isLarge) => {
        const result = (isLarge ? [value, textOf(INLINE_RESULT_BYTES_MAX)] : value) as Json;
        await store.runs.recordStep(lease, finishedOf(++seq, { result }));
        const read = await store.runs.stepResult(lease.runId, `k${seq}`);
        expect(canonicalJson(read)).toBe(canonicalJson(result));
      }),
      { numRuns: 30 },
    );
  });

  it("has no result of a step that is unknown, open or failed, and null where the result was null", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const { runId } = lease;
    await store.runs.openStep(lease, { key: "sent", seq: 1, tool: "t", args: {} });
    await store.runs.openStep(lease, { key: "waiting", seq: 2, tool: "t", args: {}, status: "waiting" });
    await store.runs.recordStep(lease, finishedOf(3, { key: "failed", status: "failed", result: null }));
    await store.runs.recordStep(lease, finishedOf(4, { key: "null", result: null }));
    for (const key of ["sent", "waiting", "failed", "unknown", "__proto__"])
      expect(await store.runs.stepResult(runId, key)).toBeUndefined();
    expect(await store.runs.stepResult(runId, "null")).toBeNull();
    expect(await store.runs.stepResult("unknown", "null")).toBeUndefined();
  });
}

function describeStanding(fixture: () => StoreFixture): void {
  it.each(WRITES)("keeps the first result when a step is %s again with a large one", async (_name, write) => {
    const { store } = fixture();
    const lease = await startRun(store);
    const other = { other: LARGE };
    await write(store, lease, 1, "small");
    await write(store, lease, 2, LARGE);
    const steps = await store.runs.steps(lease.runId);
    for (const seq of [1, 2])
      for (const result of [other, "other"]) expect(await write(store, lease, seq, result)).toBe(true);
    expect(await store.runs.steps(lease.runId)).toEqual(steps);
    expect(await store.runs.stepResult(lease.runId, "k1")).toBe("small");
    expect(await store.runs.stepResult(lease.runId, "k2")).toEqual(LARGE);
    expect(await store.findDamage()).toEqual([]);
  });

  it("writes no large result for an owner that has lost its lease, nor for one that never had it", async () => {
    const { store } = fixture();
    const lost = leaseOf(await store.runs.start(newRunOf(), "owner", 0));
    await store.runs.openStep(lost, { key: "k", seq: 1, tool: "t", args: {} });
    await store.runs.claim(lost.runId, "heir", 60_000);
    const steps = await store.runs.steps(lost.runId);
    for (const lease of [lost, { ...lost, fence: 3 }, { runId: "unknown", fence: 1 }]) {
      expect(await store.runs.recordStep(lease, finishedOf(2, { result: LARGE }))).toBe(false);
      expect(await store.runs.closeStep(lease, "k", endOf({ result: LARGE }))).toBe(false);
    }
    expect(await store.runs.steps(lost.runId)).toEqual(steps);
  });

  it("throws when a step that was never opened is closed with a large result, and writes nothing", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const close = store.runs.closeStep(lease, "k", endOf({ result: LARGE }));
    await expect(close).rejects.toThrow("never opened");
    expect(await store.runs.steps(lease.runId)).toEqual([]);
  });

  it("records many large results at once, each under its own key", async () => {
    const { store } = fixture();
    const lease = await startRun(store);
    const seqs = Array.from({ length: 20 }, (_, i) => i);
    await Promise.all(
      seqs.map((seq) => store.runs.recordStep(lease, finishedOf(seq, { result: { seq, ...LARGE } }))),
    );
    for (const seq of seqs)
      expect(await store.runs.stepResult(lease.runId, `k${seq}`)).toEqual({ seq, ...LARGE });
  });
}
