import type { Clock } from "../../core/clock.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type {
  CapabilityDraft,
  CapabilityStore,
  FinishedStep,
  Lease,
  Run,
  NewRun,
  SaveOutcome,
  StepOutcome,
  Store,
} from "../../core/store.ts";

/** What an implementation opens for one test. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes, and opens the same database again. */
  readonly reopen: () => Promise<Store>;
  /** Closes, and removes the database. */
  readonly dispose: () => Promise<void>;
}

/** What a test of the suite works with: a store on an empty database, and the clock that it asks. */
export interface StoreFixture extends OpenedStore {
  readonly clock: ManualClock;
}

/** Stands until it is told to go, a long way from the time of any database. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function createManualClock(): ManualClock {
  let now = 200_000_000;
  return {
    now: () => now,
    elapsed: () => performance.now(),
    advance(ms) {
      now += ms;
    },
  };
}

/** The least that a store accepts, with what a test cares about put in. */
export function draftOf(part: Partial<CapabilityDraft> = {}): CapabilityDraft {
  return {
    scope: DEFAULT_SCOPE,
    namespace: "math",
    action: "sum",
    kind: "code",
    description: "Adds numbers.",
    author: "ada",
    source: "return inputs.a + inputs.b",
    inputSchema: { type: "object" },
    ...part,
  };
}

export function newRunOf(part: Partial<NewRun> = {}): NewRun {
  return { scope: DEFAULT_SCOPE, kind: "code", inputs: {}, seed: "seed", clockAt: 1, ...part };
}

export function leaseOf(run: Run): Lease {
  return { runId: run.id, fence: run.fence };
}

/** A run that nobody else may take while the test lasts. */
export async function startRun(store: Store, part: Partial<NewRun> = {}): Promise<Lease> {
  return leaseOf(await store.runs.start(newRunOf(part), "owner", 600_000));
}

/** How a step ended, with numbers that no other time here has. */
export function endOf(part: Partial<StepOutcome> = {}): StepOutcome {
  return { status: "succeeded", endSeq: 1_001, clockAt: 1_002, finishedAt: 1_003, ...part };
}

/** A step that ended before the next one began. */
export function finishedOf(seq: number, part: Partial<FinishedStep> = {}): FinishedStep {
  const call = { key: `k${seq}`, seq, tool: "t", args: { seq }, startedAt: 10 + seq };
  return { ...call, ...endOf({ result: seq, endSeq: seq + 1, finishedAt: 20 + seq }), ...part };
}

/** Saves what must be savable. */
export async function save(
  store: CapabilityStore,
  part: Partial<CapabilityDraft> = {},
): Promise<Extract<SaveOutcome, { kind: "saved" }>> {
  const outcome = await store.save(draftOf(part));
  if (outcome.kind !== "saved") throw new Error(`expected a save, got ${outcome.kind}`);
  return outcome;
}
