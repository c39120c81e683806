/**
 * This process as one of several on a shared store. It says every two seconds that it lives, and only then looks for runs
 * whose owners do not.
 *
 * After an outage of the database every beat is old and all owners are alive. So only a process that was itself seen
 * without a gap, for as long as it takes to be dead, calls others dead: in that time every other that lives has been seen
 * too. A beat that failed or came late is a gap, and so is a timer that came late because this process was stopped, or the
 * machine slept. Nothing of this is kept: a process that starts knows for ten seconds of no death.
 */
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock, type Clock } from "../../core/clock.ts";
import { silentLog, type Log } from "../../core/log.ts";
import { BEAT_MS, DEAD_AFTER_MS, type ReplicaStore } from "../../core/replica-store.ts";
import { VERSION } from "../../core/version.ts";
import { within } from "../../timing/deadline.ts";
import { SingleFlight } from "../../timing/single-flight.ts";
import { createOwner, isGone, place } from "../journal/owner.ts";
import { createLocalLiveness, type Liveness } from "./liveness.ts";

/** So long between two beats, and this one has not lived without a gap. */
const GAP_MS = DEAD_AFTER_MS / 2;
/** Two beats were missed: it may be dead. */
const SILENT_MS = 2.5 * BEAT_MS;
const SILENCE_POLL_MS = 250;
/** A database that is away must not keep a process from ending; its row is then as old as that of one that was killed. */
const LEAVE_MS = 2_000;
/** For the time that a read took. */
const JUST_AFTER_MS = 50;
/** How often rows that nobody needs any more are looked for. */
const CLEANING_MS = 10 * 60_000;
/** 48 random bits: unique among the replicas of an hour, and short in the session ids that begin with it. */
const ID_BYTES = 6;

export interface OwnReplica extends Liveness {
  /** Short and random; session ids begin with it. */
  readonly id: string;
  /** What is done after a beat, while this one may call others dead. */
  sweepWith(sweep: () => Promise<void>): void;
  /** Other replicas reach it there. */
  listenAt(url: string): Promise<void>;
  /** Reads who lives, for a process that only looks. */
  look(): Promise<void>;
  /** Beats, and then sweeps if it may. A timer does it; a test calls it. */
  tick(): Promise<void>;
  /** Whether it may call others dead: it was seen without a gap for as long as that takes. */
  judgesDead(): boolean;
  /** It takes on nothing new. */
  drain(): Promise<void>;
  /** It ends: from now on others may take over what it has left. */
  leave(): Promise<void>;
}

export interface ReplicaDeps {
  readonly store: ReplicaStore;
  readonly clock?: Clock;
  readonly log?: Log;
  /** Between two beats; a test that ticks by itself has none. */
  readonly beatMs?: number | null;
}

export function createReplica(deps: ReplicaDeps): OwnReplica {
  const id = randomBytes(ID_BYTES).toString("base64url");
  return deps.store.isShared ? createSharedReplica(id, deps) : createOnlyReplica(id);
}

/** A process on a store of its own machine: there is nobody to tell. */
function createOnlyReplica(id: string): OwnReplica {
  const nothing = (): Promise<void> => Promise.resolve();
  return {
    ...createLocalLiveness(),
    id,
    sweepWith() {},
    listenAt: nothing,
    look: nothing,
    tick: nothing,
    judgesDead: () => false,
    drain: nothing,
    leave: nothing,
  };
}

/** A beat comes early where an owner is about to be dead: its runs are then taken over at once, and not a beat later. */
function untilNext(beatMs: number, ages: Iterable<number>): number {
  const left = [...ages].map((ageMs) => DEAD_AFTER_MS - ageMs).filter((ms) => ms > 0);
  return Math.min(beatMs, ...left.map((ms) => ms + JUST_AFTER_MS));
}

/** When this process was seen, by both of its clocks: the monotonic one stands still while the machine sleeps. */
interface Seen {
  readonly elapsed: number;
  readonly now: number;
}

function createSharedReplica(
  id: string,
  { store, clock = systemClock, log = silentLog, beatMs = BEAT_MS }: ReplicaDeps,
): OwnReplica {
  const owner = createOwner();
  const sweeping = new SingleFlight<void>();
  const beating = new SingleFlight<void>();
  let state: { readonly url: string | null; readonly isDraining: boolean } = { url: null, isDraining: false };
  let sweep = (): Promise<void> => Promise.resolve();
  let ages: ReadonlyMap<string, number> = new Map();
  let begun: Promise<void> | undefined;
  let hasLeft = false;
  let timer: NodeJS.Timeout | undefined;
  let cleanedAt = clock.elapsed();
  /** Since when every beat came in time, and the last of them. */
  let upSince: number | undefined;
  let seen: Seen | undefined;

  const instant = (): Seen => ({ elapsed: clock.elapsed(), now: clock.now() });

  function isGap(at: Seen): boolean {
    if (seen === undefined) return true;
    return Math.max(at.elapsed - seen.elapsed, at.now - seen.now) >= GAP_MS;
  }

  function judgesDead(): boolean {
    const at = instant();
    return upSince !== undefined && !isGap(at) && at.elapsed - upSince >= DEAD_AFTER_MS;
  }

  /** What is seen of the others is as old as the beat, so that they are judged by the same minute. */
  async function beat(): Promise<void> {
    const begunAt = instant();
    // One that was stopped must not judge by what it has seen before.
    if (isGap(begunAt)) upSince = undefined;
    try {
      await store.beat({ id, owner, place: place(), version: VERSION, ...state });
      const at = instant();
      if (isGap(at)) upSince = undefined;
      upSince ??= at.elapsed;
      seen = at;
      ages = await store.ages();
    } catch (error) {
      upSince = undefined;
      log.warn("replica.unseen", { error });
      throw error;
    }
  }

  async function clean(): Promise<void> {
    if (clock.elapsed() - cleanedAt < CLEANING_MS) return;
    cleanedAt = clock.elapsed();
    await store.removeUnseen();
  }

  async function sweepOnce(): Promise<void> {
    try {
      await sweep();
      await clean();
    } catch (error) {
      // What is left is found again at the next turn.
      log.warn("replica.sweep.failed", { error });
    }
  }

  async function tick(): Promise<void> {
    await beating.run(beat).catch(() => {});
    if (judgesDead()) await sweeping.run(sweepOnce);
  }

  /** A long sweep must not delay the next beat. */
  function schedule(): void {
    if (beatMs === null || hasLeft) return;
    timer = setTimeout(
      () => {
        void tick();
        void beating.underWay?.catch(() => {}).finally(schedule);
      },
      untilNext(beatMs, ages.values()),
    ).unref();
  }

  async function begin(): Promise<void> {
    if (hasLeft) return;
    begun ??= beating.run(beat);
    if (timer === undefined) schedule();
    try {
      await begun;
    } catch (error) {
      begun = undefined;
      throw error;
    }
  }

  /** Tells the others, if they know of this one. */
  async function tell(): Promise<void> {
    if (begun === undefined || hasLeft) return;
    const underWay = beating.underWay?.catch(() => {}) ?? Promise.resolve();
    const told = underWay.then(() => beating.run(beat)).catch(() => {});
    await within(told, LEAVE_MS);
  }

  function isDead(other: string): boolean {
    // A command that only looks has no beats of its own to compare with, and takes nothing over.
    const canTell = begun === undefined || judgesDead();
    return canTell && (ages.get(other) ?? 0) >= DEAD_AFTER_MS;
  }

  return {
    id,
    owner,
    settler: `${owner}|settler`,
    isShared: true,
    begin,
    tick,
    judgesDead,
    isGone: (other) => isGone(other) || isDead(other),
    async isSilent(other) {
      if (other === owner) return false;
      const askedAt = clock.elapsed();
      for (;;) {
        if (isGone(other)) return true;
        const ageMs = (await store.ages()).get(other);
        if (ageMs === undefined || ageMs <= clock.elapsed() - askedAt) return false;
        if (ageMs >= SILENT_MS) return true;
        await sleep(SILENCE_POLL_MS);
      }
    },
    groundsFor: (other) => ({
      ...(other !== null && isGone(other) && { gone: other }),
      judgesDead: judgesDead(),
    }),
    sweepWith(given) {
      sweep = given;
    },
    async look() {
      if (begun === undefined) ages = await store.ages();
    },
    listenAt(url) {
      state = { ...state, url };
      return tell();
    },
    drain() {
      state = { ...state, isDraining: true };
      return tell();
    },
    async leave() {
      hasLeft = true;
      clearTimeout(timer);
      if (begun === undefined) return;
      await within(Promise.allSettled([beating.underWay, sweeping.underWay]), LEAVE_MS);
      const left = store.leave(id).catch((error: unknown) => log.debug("replica.leave.failed", { error }));
      await within(left, LEAVE_MS);
    },
  };
}
