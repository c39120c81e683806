import type { Clock } from "../../core/clock.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { CapabilityDraft, CapabilityStore, RunDraft, SaveOutcome, Store } from "../../core/store.ts";

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

export function runDraftOf(part: Partial<RunDraft> = {}): RunDraft {
  return { scope: DEFAULT_SCOPE, kind: "code", inputs: {}, seed: "seed", clockAt: 1, ...part };
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
