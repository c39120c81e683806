import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { INLINE_RESULT_BYTES_MAX, type FinishedStep, type NewRun, type Store } from "../../core/store.ts";
import type { UsageRange } from "../../core/usage-store.ts";
import { callOf } from "./calls.ts";
import { finishedOf, newRunOf, save, startRun, type StoreFixture } from "./fixture.ts";

const WEEK_MS = 7 * 86_400_000;
const CLIENT = { client: "agent 1", session: "stdio:1" };
const NO_USE = {
  runs: { code: 0, workflow: 0, capability: 0, call: 0 },
  plainCallCount: 0,
  uses: [],
  saved: [],
  library: { count: 0, exampleCount: 0 },
  inner: { conversationCount: 0, runCount: 0, callCount: 0, resultBytes: 0, returnedBytes: 0 },
};

export function describeUsage(fixture: () => StoreFixture): void {
  const rangeOf = (part: Partial<UsageRange> = {}): UsageRange => ({
    scope: DEFAULT_SCOPE,
    since: fixture().clock.now(),
    bucketFrom: fixture().clock.now(),
    bucketMs: WEEK_MS,
    personalClient: "console",
    ...part,
  });

  it("is nothing in an empty store", async () => {
    expect(await fixture().store.usage.read(rangeOf())).toEqual(NO_USE);
  });

  it("counts executions once, by kind: not what other runs start, and not what goes on from a run", async () => {
    const { store, clock } = fixture();
    await run(store, { principal: "early" });
    clock.advance(2 * WEEK_MS);
    const range = rangeOf();
    const first = await run(store, { source: "1" }, { status: "failed" });
    await store.runs.resume(first, newRunOf(), { except: [], decided: [] }, "owner", 60_000);
    await run(store, { kind: "workflow" });
    await run(store, { kind: "workflow", parentRunId: first });
    await run(store, { kind: "call", principal: "ann" });
    await run(store, { scope: { org: "acme", project: "default" } });
    expect((await store.usage.read(range)).runs).toEqual({ code: 1, workflow: 1, capability: 0, call: 1 });
    const ofAnn = await store.usage.read({ ...range, owner: "ann" });
    expect(ofAnn.runs).toEqual({ ...NO_USE.runs, call: 1 });
  });

  it("counts uses of capabilities and first saves in their weeks", async () => {
    const { store, clock } = fixture();
    const range = rangeOf();
    const sum = await save(store.capabilities);
    const { capability } = sum;
    const use = { kind: "capability" as const, capabilityId: capability.id, capabilityVersion: 1 };
    const outer = await run(store);
    await run(store, { ...use, parentRunId: outer });
    await run(store, use);
    clock.advance(2 * WEEK_MS);
    await run(store, use);
    const other = await save(store.capabilities, { action: "mean" });
    await save(store.capabilities, { action: "mean", source: "return 2", overwrite: true });
    await run(store, { ...use, capabilityId: other.capability.id });
    await store.capabilities.remove(other.capability.id);
    const { uses, saved, library, runs } = await store.usage.read(range);
    const byId = (one: { capabilityId: string }, two: { capabilityId: string }) =>
      one.capabilityId < two.capabilityId ? -1 : 1;
    expect(uses.filter(({ bucket }) => bucket === 0)).toEqual([
      { bucket: 0, capabilityId: capability.id, count: 2 },
    ]);
    expect(uses.filter(({ bucket }) => bucket === 2).toSorted(byId)).toEqual(
      [
        { bucket: 2, capabilityId: capability.id, count: 1 },
        { bucket: 2, capabilityId: other.capability.id, count: 1 },
      ].toSorted(byId),
    );
    expect(saved).toEqual([
      { bucket: 0, count: 1 },
      { bucket: 2, count: 1 },
    ]);
    expect(library).toEqual({ count: 1, exampleCount: 0 });
    expect(runs.capability).toBe(3);
  });

  it("says of how many tools of code there is an example of the current version", async () => {
    const { store } = fixture();
    const example = { inputs: {}, calls: [], result: 1, seed: "s", clockAt: 1 };
    await save(store.capabilities, { example });
    await save(store.capabilities, { action: "flow", kind: "workflow", example });
    await save(store.capabilities, { action: "bare" });
    expect((await store.usage.read(rangeOf())).library).toEqual({ count: 3, exampleCount: 1 });
  });

  it("counts clients' plain calls from the call log", async () => {
    const { store, clock } = fixture();
    const at = clock.now();
    const calls = [
      {},
      { principal: "ann", outcome: "tool_error" },
      { runId: "r" },
      { at: at - 1 },
      { tool: "mcp__math__sum" },
      { kind: "prompt" as const },
      { decision: "refuse" as const },
    ];
    await store.calls.append(calls.map((part) => callOf({ at, ...part })));
    expect((await store.usage.read(rangeOf())).plainCallCount).toBe(2);
    expect((await store.usage.read(rangeOf({ owner: "ann" }))).plainCallCount).toBe(1);
  });

  it("sums up results of calls in runs of clients, and what came back", async () => {
    const { store } = fixture();
    const large = "x".repeat(INLINE_RESULT_BYTES_MAX);
    const outer = await run(store, CLIENT, { result: "1234" }, [
      { tool: "a__x", result: "ü" },
      { tool: "a__x", result: large },
      { tool: "a__x", status: "failed", result: null },
      { tool: "mcp__math__sum", result: "nested" },
      { tool: "wait", result: "node" },
    ]);
    await run(store, { ...CLIENT, kind: "capability", parentRunId: outer }, { result: "inner" }, [
      { tool: "b__y", result: 1 },
    ]);
    const steps = [{ tool: "a__x", result: "not of a client" }];
    await run(store, {}, { result: "of the command line" }, steps);
    await run(store, { client: "console" }, { result: "of a person" }, steps);
    await run(store, { ...CLIENT, kind: "call" }, { result: "of a call" }, steps);
    expect((await store.usage.read(rangeOf())).inner).toEqual({
      conversationCount: 1,
      runCount: 1,
      callCount: 3,
      resultBytes: 4 + INLINE_RESULT_BYTES_MAX + 2 + 1,
      returnedBytes: 6,
    });
  });

  it("does not count again what a run took over from another", async () => {
    const { store } = fixture();
    const error = { code: "X" };
    const first = await run(store, CLIENT, { status: "failed", error }, [{ tool: "a__x", result: 1 }]);
    const taken = { except: [], decided: [] };
    await store.runs.resume(first, newRunOf(CLIENT), taken, "owner", 60_000);
    expect((await store.usage.read(rangeOf())).inner).toMatchObject({
      runCount: 2,
      callCount: 1,
      resultBytes: 1,
      returnedBytes: JSON.stringify(error).length,
    });
  });

  it("counts a conversation for each session, and one a day where there are none", async () => {
    const { store, clock } = fixture();
    const range = rangeOf();
    for (const session of ["stdio:1", "stdio:2", "principal:ann", null]) {
      await run(store, { client: "agent", session });
      await run(store, { client: "agent", session });
    }
    clock.advance(WEEK_MS);
    for (const session of ["stdio:1", "principal:ann", null]) await run(store, { client: "agent", session });
    expect((await store.usage.read(range)).inner.conversationCount).toBe(6);
  });
}

/** A run that has ended, with its steps; returns its id. */
async function run(
  store: Store,
  part: Partial<NewRun> = {},
  end: Partial<Parameters<Store["runs"]["finish"]>[1]> = {},
  steps: readonly Partial<FinishedStep>[] = [],
): Promise<string> {
  const lease = await startRun(store, part);
  for (const [at, step] of steps.entries()) await store.runs.recordStep(lease, finishedOf(at * 2, step));
  await store.runs.finish(lease, { status: "succeeded", ...end });
  return lease.runId;
}
