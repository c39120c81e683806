/** Work that a journal records, and what must be there of it afterwards, whatever was done to the database meanwhile. */
import { DEFAULT_SCOPE } from "../../src/core/names.ts";
import type { Lease, NewRun, Run, Store } from "../../src/core/store.ts";

const PAYLOAD = { text: "x".repeat(1_000) };
/** Longer than any case lasts: what a case takes over, it takes over on purpose. */
export const LEASE_MS = 3_600_000;

export function newRunOf(intent: string): NewRun {
  return { scope: DEFAULT_SCOPE, kind: "code", source: "", intent, inputs: {}, seed: "0", clockAt: 1 };
}

export function leaseOf({ id, fence }: Run): Lease {
  return { runId: id, fence };
}

export function recordedStep(key: string, seq: number) {
  const call = { key, seq, tool: "t", args: PAYLOAD, startedAt: 1 };
  return {
    ...call,
    status: "succeeded",
    result: PAYLOAD,
    endSeq: seq + 1,
    clockAt: 1,
    finishedAt: 2,
  } as const;
}

/** A run of so many steps, every second one opened and closed; throws where a write says that the run is another's. */
export async function workThrough(store: Store, intent: string, stepCount: number): Promise<string> {
  const run = await store.runs.start(newRunOf(intent), intent, LEASE_MS);
  const lease = leaseOf(run);
  for (let i = 0; i < stepCount; i++) requireHeld(await writeStep(store, lease, i), intent);
  requireHeld(await store.runs.finish(lease, { status: "succeeded", result: intent }), intent);
  return run.id;
}

async function writeStep(store: Store, lease: Lease, i: number): Promise<boolean> {
  const { key, seq, tool, args, startedAt: _, ...end } = recordedStep(`k${i}`, 2 * i);
  if (i % 2 === 0) return store.runs.recordStep(lease, recordedStep(key, seq));
  if (!(await store.runs.openStep(lease, { key, seq, tool, args }))) return false;
  return store.runs.closeStep(lease, key, end);
}

function requireHeld(isHeld: boolean, intent: string): void {
  if (!isHeld) throw new Error(`${intent} was told that another has it`);
}

/** Does all of it, so many at once; the answers are the ids and the errors. */
export async function workInTurns(
  stores: readonly Store[],
  counts: { readonly runs: number; readonly steps: number; readonly atOnce: number },
): Promise<{ readonly ids: string[]; readonly errors: string[]; readonly worstMs: number }> {
  const ids: string[] = [];
  const errors: string[] = [];
  let next = 0;
  let worstMs = 0;
  const work = async (store: Store): Promise<void> => {
    while (next < counts.runs) {
      const startedAt = performance.now();
      const made = workThrough(store, `run ${next++}`, counts.steps);
      await made.then(
        (id) => ids.push(id),
        (error: unknown) => errors.push(String(error)),
      );
      worstMs = Math.max(worstMs, performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: counts.atOnce }, (_, i) => work(stores[i % stores.length]!)));
  return { ids, errors, worstMs };
}

/** What is wrong with the records of these runs: lost, double or half. Empty where all is well. */
export async function findGhosts(store: Store, ids: readonly string[], stepCount: number): Promise<string[]> {
  const listed = await store.runs.list(DEFAULT_SCOPE, { limit: ids.length + 1_000 });
  const wrong = listed
    .filter(({ id, status }) => !ids.includes(id) || status !== "succeeded")
    .map(
      ({ id, status, intent }) =>
        `run ${id} (${intent}) is ${status}${ids.includes(id) ? "" : " and unknown"}`,
    );
  if (listed.length < ids.length) wrong.push(`${ids.length - listed.length} runs are missing`);
  for (const { id, stepCount: count } of listed) {
    if (ids.includes(id) && count !== stepCount) wrong.push(`run ${id} has ${count} steps`);
  }
  return [...wrong, ...(await store.findDamage())];
}

/** Strikes again and again while the work lasts. */
export async function meanwhile<T>(work: Promise<T>, strike: () => Promise<unknown>): Promise<T> {
  const over = new AbortController();
  const striking = (async () => {
    while (!over.signal.aborted) await strike();
  })();
  try {
    return await work;
  } finally {
    over.abort();
    await striking;
  }
}
