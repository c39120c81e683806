/**
 * T107: whatever call fails, and however, the caller gets a typed error or success, and the store never half a change.
 */
import { expect, it } from "vitest";
import { RepertoireError } from "../../core/errors.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { INLINE_RESULT_BYTES_MAX, type Lease, type Store } from "../../core/store.ts";
import { draftOf, endOf, finishedOf, newRunOf, save, startRun } from "../testsuite/fixture.ts";
import { createFaultyHandle, sqliteError, type Faults } from "./faulty-handle.testkit.ts";
import { openHandle, type SqliteHandle } from "./sqlite-handle.ts";
import { openTestStore, testHome } from "./temp-home.testkit.ts";

const SUM = { namespace: "math", action: "sum" };
/** More calls than any operation here makes; the tests check that the last fault was never reached. */
const CALL_COUNT_MAX = 30;

const FAULTS = [
  { name: "a full disk", errcode: 13, when: "before", code: "STORE_FULL" },
  { name: "an I/O error", errcode: 10, when: "before", code: "STORE_DAMAGED" },
  { name: "a lost acknowledgement", errcode: 10, when: "after", code: "STORE_DAMAGED" },
  { name: "a broken page", errcode: 11, when: "before", code: "STORE_DAMAGED" },
  { name: "a lock", errcode: 5, when: "before", code: "STORE_BUSY" },
] as const;
type Fault = (typeof FAULTS)[number];

async function openFaulty(): Promise<{ store: Store; faults: Faults }> {
  const faults: Faults = {};
  const store = await openTestStore(testHome(), {
    openHandle: (path) => createFaultyHandle(openHandle(path), faults),
  });
  return { store, faults };
}

/** Makes the n-th call from now fail, once; says whether it came to that. */
function arm(faults: Faults, fault: Fault, n: number): { fired: boolean } {
  const state = { fired: false };
  let count = 0;
  faults[fault.when] = () => {
    if (++count !== n) return;
    state.fired = true;
    throw sqliteError(fault.errcode);
  };
  return state;
}

function disarm(faults: Faults): void {
  delete faults.before;
  delete faults.after;
}

/** Runs an operation with a fault at each of its calls in turn, until it needs no more calls. */
async function failEachCall(
  faults: Faults,
  fault: Fault,
  operation: () => Promise<unknown>,
  check: () => Promise<void>,
): Promise<void> {
  for (let n = 1; n <= CALL_COUNT_MAX; n++) {
    const state = arm(faults, fault, n);
    const error: unknown = await operation().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    disarm(faults);
    if (error !== undefined) expect(error).toMatchObject({ code: fault.code });
    if (error !== undefined) expect(error).toBeInstanceOf(RepertoireError);
    await check();
    if (state.fired) continue;
    expect(error).toBeUndefined();
    expect(n).toBeGreaterThan(1);
    return;
  }
  throw new Error(`the operation makes more than ${CALL_COUNT_MAX} calls`);
}

it.each(FAULTS)("saves a whole version or none with $name at any call (T107)", async (fault) => {
  const { store, faults } = await openFaulty();
  const saveNext = (): Promise<unknown> => store.capabilities.save(draftOf({ overwrite: true }));
  await failEachCall(faults, fault, saveNext, async () => {
    const capability = await store.capabilities.find(DEFAULT_SCOPE, SUM);
    const versions = capability === undefined ? [] : await store.capabilities.versions(capability.id);
    expect(versions).toHaveLength(capability?.currentVersion ?? 0);
    expect(await store.capabilities.revision()).toBe(versions.length);
  });
  const next = await save(store.capabilities, { overwrite: true });
  const versions = await store.capabilities.versions(next.capability.id);
  expect(versions.map((version) => version.version)).toEqual(versions.map((_, i) => versions.length - i));
  expect(await store.findDamage()).toEqual([]);
});

it.each(FAULTS)("renames wholly or not at all with $name at any call (T107)", async (fault) => {
  const { store, faults } = await openFaulty();
  const { id } = (await save(store.capabilities)).capability;
  let turn = 0;
  const rename = (): Promise<unknown> => store.capabilities.rename(id, { ...SUM, action: `a${++turn}` });
  await failEachCall(faults, fault, rename, async () => {
    const [live] = await store.capabilities.list(DEFAULT_SCOPE);
    const aliases = await store.capabilities.aliases(id);
    expect(await store.capabilities.revision()).toBe(1 + aliases.length);
    expect(aliases.map((alias) => alias.action)).not.toContain(live?.action);
  });
  expect(await store.findDamage()).toEqual([]);
});

it.each(FAULTS)("records a step once or not at all with $name at any call (T107)", async (fault) => {
  const { store, faults } = await openFaulty();
  const run = await store.runs.start(newRunOf(), "owner", 600_000);
  const lease: Lease = { runId: run.id, fence: run.fence };
  let seq = 0;
  const record = async (): Promise<void> => {
    const key = `k${++seq}`;
    expect(await store.runs.openStep(lease, { key, seq, tool: "t", args: {} })).toBe(true);
    expect(await store.runs.closeStep(lease, key, endOf({ result: seq }))).toBe(true);
  };
  await failEachCall(faults, fault, record, async () => {
    for (const step of await store.runs.steps(run.id)) {
      expect(step.result).toBe(step.status === "succeeded" ? step.seq : null);
    }
  });
  expect((await store.runs.steps(run.id)).at(-1)).toMatchObject({ seq, status: "succeeded" });
});

it.each(FAULTS)("records a finished step once or not at all with $name at any call (T107)", async (fault) => {
  const { store, faults } = await openFaulty();
  const lease = await startRun(store);
  let seq = 0;
  // A retry after a lost acknowledgement has the same key and must leave one step.
  const record = async (): Promise<void> => {
    const step = finishedOf(++seq);
    expect(await store.runs.recordStep(lease, step)).toBe(true);
    expect(await store.runs.recordStep(lease, step)).toBe(true);
  };
  await failEachCall(faults, fault, record, async () => {
    for (const step of await store.runs.steps(lease.runId)) expect(step).toMatchObject(finishedOf(step.seq));
  });
  expect((await store.runs.steps(lease.runId)).at(-1)).toMatchObject(finishedOf(seq));
});

it.each(FAULTS)(
  "keeps a large result with its step or neither with $name at any call (T107)",
  async (fault) => {
    const { store, faults } = await openFaulty();
    const lease = await startRun(store);
    const large = (seq: number): string => `${seq} ${"x".repeat(INLINE_RESULT_BYTES_MAX)}`;
    let seq = 0;
    const record = async (): Promise<void> => {
      const key = `k${++seq}`;
      await store.runs.openStep(lease, { key, seq, tool: "t", args: {} });
      expect(await store.runs.closeStep(lease, key, endOf({ result: large(seq) }))).toBe(true);
      expect(await store.runs.recordStep(lease, finishedOf(++seq, { result: large(seq) }))).toBe(true);
    };
    await failEachCall(faults, fault, record, async () => {
      for (const step of await store.runs.steps(lease.runId)) {
        const result = await store.runs.stepResult(lease.runId, step.key);
        expect(result).toBe(step.status === "succeeded" ? large(step.seq) : undefined);
      }
      expect(await store.findDamage()).toEqual([]);
    });
    expect(await store.runs.stepResult(lease.runId, `k${seq}`)).toBe(large(seq));
  },
);

it.each(FAULTS)("goes on from a run wholly or not at all with $name at any call (T107)", async (fault) => {
  const { store, faults } = await openFaulty();
  const large = "x".repeat(INLINE_RESULT_BYTES_MAX);
  const olds: string[] = [];
  for (let i = 0; i < CALL_COUNT_MAX; i++) {
    const lease = await startRun(store);
    for (const seq of [1, 2, 3]) await store.runs.recordStep(lease, finishedOf(10 * seq));
    await store.runs.openStep(lease, { key: "sent", seq: 40, tool: "t", args: {} });
    olds.push(lease.runId);
  }
  const taken = { except: ["k10"], decided: [{ key: "sent", result: large }] };
  let turn = 0;
  const resume = async (): Promise<void> => {
    const outcome = await store.runs.resume(olds[turn++] ?? "", newRunOf(), taken, "heir", 600_000);
    expect(outcome.kind).toBe("resumed");
  };
  await failEachCall(faults, fault, resume, async () => {
    for (const old of olds) {
      const next = await store.runs.successor(old);
      const steps = next === undefined ? [] : await store.runs.steps(next.id);
      expect(steps.map((step) => step.key)).toEqual(next === undefined ? [] : ["k20", "k30", "sent"]);
      if (next !== undefined) expect(await store.runs.stepResult(next.id, "sent")).toBe(large);
    }
    expect(await store.findDamage()).toEqual([]);
  });
  expect(await store.runs.successor(olds[turn - 1] ?? "")).toBeDefined();
});

it.each(FAULTS)("takes an answer once or not at all with $name at any call (T107)", async (fault) => {
  const { store, faults } = await openFaulty();
  const paused: string[] = [];
  for (let i = 0; i < CALL_COUNT_MAX; i++) {
    const lease = await startRun(store);
    await store.runs.openStep(lease, { key: "ask", seq: 1, tool: "approve", args: {}, status: "waiting" });
    await store.runs.finish(lease, { status: "paused" });
    paused.push(lease.runId);
  }
  let turn = 0;
  const decide = async (): Promise<void> => {
    const runId = paused[turn++] ?? "";
    expect(await store.runs.decide(runId, "ask", { isApproved: true, by: "ada" })).toEqual({
      kind: "decided",
    });
    expect(await store.runs.decide(runId, "ask", { isApproved: false, by: "bob" })).toEqual({ kind: "late" });
  };
  await failEachCall(faults, fault, decide, async () => {
    for (const runId of paused) {
      const [step] = await store.runs.steps(runId);
      if (step?.status !== "waiting")
        expect(step).toMatchObject({ status: "succeeded", result: { by: "ada" } });
    }
    expect(await store.findDamage()).toEqual([]);
  });
  expect(await store.runs.stepResult(paused[turn - 1] ?? "", "ask")).toMatchObject({ by: "ada" });
});

it.each(FAULTS)("ends a run with its use or not at all with $name at any call (T107)", async (fault) => {
  const { store, faults } = await openFaulty();
  const { id } = (await save(store.capabilities)).capability;
  const runs: string[] = [];
  for (let i = 0; i < CALL_COUNT_MAX; i++) runs.push((await startRun(store)).runId);
  let turn = 0;
  const finish = async (): Promise<void> => {
    const use = { capabilityId: id, success: true, elapsedMs: 1 };
    const lease = { runId: runs[turn++] ?? "", fence: 1 };
    expect(await store.runs.finish(lease, { status: "succeeded", use })).toBe(true);
  };
  await failEachCall(faults, fault, finish, async () => {
    const found = await Promise.all(runs.map((runId) => store.runs.find(runId)));
    const ended = found.filter((run) => run?.status === "succeeded");
    expect(await store.capabilities.find(DEFAULT_SCOPE, SUM)).toMatchObject({ usageCount: ended.length });
  });
  expect((await store.runs.find(runs[turn - 1] ?? ""))?.status).toBe("succeeded");
  expect(await store.findDamage()).toEqual([]);
});

it.each(FAULTS)("appends a whole entry or none with $name at any call (T107)", async (fault) => {
  const { store, faults } = await openFaulty();
  const append = (): Promise<unknown> =>
    store.audit.append({ actor: "a", action: "b", subject: "c", details: {} });
  await failEachCall(faults, fault, append, async () => {
    expect(await store.audit.findBreak()).toBeUndefined();
  });
});

it("does not let writes drown in a transaction that could not be rolled back (T107)", async () => {
  const { store, faults } = await openFaulty();
  let isRollbackBroken = true;
  faults.before = (sql) => {
    if (sql.startsWith("insert into")) throw sqliteError(10);
    if (sql === "rollback" && isRollbackBroken) throw sqliteError(10);
  };
  await expect(store.capabilities.save(draftOf())).rejects.toMatchObject({ code: "STORE_DAMAGED" });
  const cached = { server: "s", configHash: "c", definitions: {}, hash: "h", fetchedAt: 1, ttlMs: 1 };
  await expect(store.serverCache.put(cached)).rejects.toMatchObject({ code: "STORE_DAMAGED" });
  isRollbackBroken = false;
  delete faults.before;
  await store.serverCache.put(cached);
  expect(await store.serverCache.list()).toEqual([cached]);
  expect(await store.capabilities.list(DEFAULT_SCOPE)).toEqual([]);
});

it("tells a full disk, keeps what it acknowledged, and goes on when there is room again (T108)", async () => {
  let handle: SqliteHandle | undefined;
  const store = await openTestStore(testHome(), { openHandle: (path) => (handle = openHandle(path)) });
  const run = await store.runs.start(newRunOf(), "owner", 600_000);
  const lease = { runId: run.id, fence: run.fence };
  const open = (seq: number): Promise<boolean> =>
    store.runs.openStep(lease, { key: `k${seq}`, seq, tool: "t", args: { text: "x".repeat(4000) } });
  handle?.exec("pragma max_page_count = 140");
  let acknowledged = 0;
  const error: unknown = await (async () => {
    for (;;) {
      await open(acknowledged);
      acknowledged++;
    }
  })().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "STORE_FULL", hint: expect.stringContaining("space") as string });
  expect(acknowledged).toBeGreaterThan(1);
  await expect(save(store.capabilities, { source: "x".repeat(100_000) })).rejects.toMatchObject({
    code: "STORE_FULL",
  });
  expect(await store.runs.steps(run.id)).toHaveLength(acknowledged);
  expect(await store.capabilities.list(DEFAULT_SCOPE)).toEqual([]);
  handle?.exec("pragma max_page_count = 100000");
  expect(await open(acknowledged)).toBe(true);
  expect(await store.findDamage()).toEqual([]);
});
