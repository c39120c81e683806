/**
 * Writes down who called what. A call only leaves an object in a list; everything else happens later: at the latest a
 * quarter of a second after the call its entry is on record. A process that is killed loses no more than that, and one
 * that ends orderly loses nothing (`settle`). A failure of the machine can lose what the disk has not got by then: it
 * comes there with the next write that waits for it (`Durability`).
 *
 * It works in two stages, so that a database that is busy does not keep the answers of calls in memory: calls become
 * small entries as soon as they are answered, and entries are written together. Both lists are bounded; what finds no
 * place is counted and logged.
 */
import { createSecretKey, type KeyObject } from "node:crypto";
import { systemClock, type Clock } from "../core/clock.ts";
import { RepertoireError } from "../core/errors.ts";
import { isRefusal, type PassedCall } from "../core/guard.ts";
import type { Log } from "../core/log.ts";
import type { CallEntry, CallStore } from "../core/trust-store.ts";
import type { Redactors } from "../text/redactors.ts";
import { backgroundAfter, type After } from "../timing/after.ts";
import { SingleFlight } from "../timing/single-flight.ts";
import { createCallEntry } from "./call-entry.ts";

export interface CallLog {
  /** Never waits and never throws. */
  record(passed: PassedCall): void;
  /** Resolves when everything that was recorded is in the store. */
  settle(): Promise<void>;
}

export interface CallLogDeps {
  readonly store: CallStore;
  /** The secret that digests of arguments are keyed with. */
  readonly key: () => Promise<Buffer>;
  readonly settings: () => { readonly days: number; readonly arguments: boolean };
  readonly redactors: Pick<Redactors, "current" | "known">;
  readonly log: Log;
  /** Hears of a call that the rules refused; one over a limit is in this log alone. */
  readonly refused?: (passed: PassedCall, entry: CallEntry) => void;
  readonly clock?: Clock;
  readonly after?: After;
}

/** Leaves 50 ms of the quarter of a second for the write. */
export const WRITE_AFTER_MS = 200;
/** A transaction of so many takes a few ms; other writers wait no longer. */
const BATCH_COUNT_MAX = 200;
/** Calls that wait to become entries; each has its arguments and its answer in memory. */
const CALL_COUNT_MAX = 5_000;
/** Entries that wait to be written, of about half a KB each; with arguments, up to 16 KB. */
const ENTRY_COUNT_MAX = 10_000;
/** When so many entries wait, they are written at once: until their time comes, the collector would copy them, and they would become old. */
const HURRY_COUNT = 1_000;
/** What is read without a pause: about 10 ms. */
const TURN_LENGTH_MAX = 1024 * 1024;
/** Between two tries of a write that failed: a disk that is full stays so for a while. */
const RETRY_MS = 5_000;

export function createCallLog(deps: CallLogDeps): CallLog {
  const { log, clock = systemClock, after = backgroundAfter } = deps;
  const calls: { readonly passed: PassedCall; readonly endedAt: number }[] = [];
  const entries: CallEntry[] = [];
  const making = new SingleFlight<void>();
  const writing = new SingleFlight<void>();
  const removal = createCallRemoval({
    store: deps.store,
    days: () => deps.settings().days,
    log,
    clock,
    after,
  });
  let digestKey: KeyObject | undefined;
  /** Entries are made at the end of this turn. */
  let isDue = false;
  let droppedCount = 0;
  let hasFailed = false;
  let hasWritten = false;
  let stopTimer: (() => void) | undefined;

  function workIn(delayMs: number): void {
    stopTimer ??= after(delayMs, () => {
      stopTimer = undefined;
      void work();
    });
  }

  async function work(): Promise<void> {
    await making.run(makeEntries);
    await writing.run(writeEntries);
    // Something may have come while the last of it was being written.
    if (!hasFailed && calls.length + entries.length > 0) workIn(0);
  }

  async function makeEntries(): Promise<void> {
    try {
      digestKey ??= createSecretKey(await deps.key());
      while (calls.length > 0) {
        makeSome(digestKey);
        await turn();
      }
    } catch (error) {
      // Without the key there are no digests; calls wait in their list.
      noteFailure(error);
    }
  }

  /**
   * Once the answers are on their way, and within the same turn of the event loop: the client is busy with its answer meanwhile, and
   * what is not kept dies young. What takes longer, and the first, which needs the key, is made between the turns of others.
   */
  function makeAfterAnswers(): void {
    isDue = false;
    try {
      if (digestKey !== undefined && making.underWay === undefined) makeSome(digestKey);
    } catch (error) {
      noteFailure(error);
    }
    const mayHaveKey = digestKey !== undefined || !hasFailed;
    if (calls.length > 0 && mayHaveKey) void making.run(makeEntries);
    else if (entries.length >= HURRY_COUNT && !hasFailed) void writing.run(writeEntries);
  }

  function makeSome(key: KeyObject): void {
    const { redactors, settings, refused } = deps;
    const options = { key, redactors, keepsArguments: settings().arguments };
    for (let length = 0; length < TURN_LENGTH_MAX && calls.length > 0;) {
      const { passed, endedAt } = calls.shift()!;
      const { entry, readLength } = createCallEntry(passed, endedAt, options);
      length += readLength;
      const { result } = passed;
      if (!result.success && isRefusal(result.error)) refused?.(passed, entry);
      if (entries.length < ENTRY_COUNT_MAX) entries.push(entry);
      else droppedCount++;
    }
  }

  async function writeEntries(): Promise<void> {
    while (entries.length > 0) {
      const batch = entries.slice(0, BATCH_COUNT_MAX);
      try {
        await deps.store.append(batch);
        noteSuccess();
      } catch (error) {
        noteFailure(error);
        if (isStoreBroken(error)) return;
        // Another try would fail as well, and keep all others waiting.
        droppedCount += batch.length;
      }
      entries.splice(0, batch.length);
    }
  }

  function noteFailure(error: unknown): void {
    if (!hasFailed) log.error("calls.failed", { error, waiting: calls.length + entries.length });
    hasFailed = true;
    workIn(RETRY_MS);
  }

  function noteSuccess(): void {
    hasWritten = true;
    hasFailed = false;
    if (droppedCount > 0) log.warn("calls.dropped", { count: droppedCount });
    droppedCount = 0;
  }

  return {
    record(passed) {
      // What is refused is on the audit trail, which is made from here.
      if (deps.settings().days === 0 && passed.decision.do !== "refuse") return;
      if (calls.length >= CALL_COUNT_MAX) {
        droppedCount++;
        return;
      }
      calls.push({ passed, endedAt: clock.now() });
      if (!isDue) process.nextTick(makeAfterAnswers);
      isDue = true;
      workIn(WRITE_AFTER_MS);
    },
    async settle() {
      // What is under way may have begun without the newest.
      await work();
      await work();
      stopTimer?.();
      stopTimer = undefined;
      await removal.stop(hasWritten);
      const lostCount = calls.length + entries.length + droppedCount;
      if (lostCount > 0) log.error("calls.lost", { count: lostCount });
    },
  };
}

/** What is wrong with the store passes, or nothing can be written; any other error is about the entries. */
function isStoreBroken(error: unknown): boolean {
  return error instanceof RepertoireError && error.code !== "JSON_LIMIT";
}

/** Lets everything else have its turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

interface CallRemoval {
  /** Resolves when nothing is being removed any more; with `last`, some are removed first if nothing was so far. */
  stop(last: boolean): Promise<void>;
}

interface CallRemovalDeps {
  readonly store: Pick<CallStore, "removeBefore">;
  readonly days: () => number;
  readonly log: Log;
  readonly clock: Clock;
  readonly after: After;
}

/** A start has better to do. */
const FIRST_REMOVAL_MS = 10_000;
const DAY_MS = 86_400_000;

/** Removes entries that are old enough: soon after the start, and then once a day. */
function createCallRemoval({ store, days, log, clock, after }: CallRemovalDeps): CallRemoval {
  const removing = new SingleFlight<void>();
  const stopping = new AbortController();
  let hasRemoved = false;
  let stopTimer = (): void => {};

  const removeSome = (): Promise<number> => store.removeBefore(clock.now() - days() * DAY_MS);

  /** Some at a time, with a turn for everybody else in between. */
  async function removeAll(): Promise<void> {
    try {
      while ((await removeSome()) > 0 && !stopping.signal.aborted) await turn();
      hasRemoved = true;
    } catch (error) {
      log.warn("calls.removal.failed", { error });
    }
  }

  function removeIn(delayMs: number): void {
    stopTimer = after(delayMs, () => {
      void removing.run(removeAll);
      removeIn(DAY_MS);
    });
  }

  removeIn(FIRST_REMOVAL_MS);
  return {
    async stop(last) {
      stopping.abort();
      stopTimer();
      await removing.underWay;
      // A command ends before the first removal is due, and there may be nothing but commands.
      if (last && !hasRemoved) await removeAll();
    },
  };
}
