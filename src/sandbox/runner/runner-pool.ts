/**
 * The runners: as many as there are runs, within bounds, and one more that is warm.
 *
 * A run has a runner to itself. While it waits for a capability that it called, that capability has a runner of its own, one
 * level deeper; each level has its own places, so a run never waits for a place that only its own end can free. The places of a
 * level are a share: the last ones are for owners that hold none. Who gets no place waits in line, by turns of the owners.
 * A runner that was killed is replaced before it is needed, and one that has served long enough is let go.
 */
import { messageOf } from "../../core/errors.ts";
import { Share } from "../../timing/share.ts";
import { createFairQueue, type FairQueue } from "./fair-queue.ts";
import {
  findNetworkFence,
  likelyNetworkFence,
  startRunner,
  type LaunchChild,
  type RunnerProcess,
} from "./runner-process.ts";

/** Runs mostly wait for tools, so more of them than there are processors is no loss; each costs about 40 MB. */
const PLACES_AT_TOP = 8;
/** For each level below. */
const PLACES_BELOW = 4;
/** At each level, on top: one owner that fills all the others does not keep the next one's run from starting. */
const PLACES_RESERVED = 2;
/** Longer lines only grow the wait of everyone in them. */
const LINE_MAX = 256;
/** In line, on top, for owners that do not wait yet. */
const LINE_RESERVED = 32;
/** What the collector of a process does not give back ends with the process. */
const RUNS_MAX = 200;
/**
 * The spare starts so long after it was missed: at once, it would take the processor from the first run of all, which waits for
 * its own runner. A run that is over by then leaves its runner, and no other is needed.
 */
const SPARE_AFTER_MS = 100;
/** Warm runners beyond the one spare are let go after this long. */
const IDLE_MS = 15_000;
/** A runner that cannot start is tried again this often before the caller that waits is told. */
const START_TRIES_MAX = 2;
const HOLD_MS = 1000;
/** The frame by which a runner says that it is ready for a run. */
const WARM = "W";

export interface PoolDeps {
  readonly launch: LaunchChild;
  /** Read for every new runner. */
  readonly memoryMb: () => number;
  readonly findFence?: typeof findNetworkFence;
}

interface RunnerRequest {
  readonly level: number;
  readonly owner: string;
}

/** A runner that is warm and held, or why there is none. */
export type Acquired =
  | { readonly kind: "runner"; readonly runner: RunnerProcess; release(): void }
  /** With whose share was used up, where that was it. */
  | { readonly kind: "busy"; readonly reason?: string }
  | { readonly kind: "failed"; readonly reason: string };

export interface RunnerPool {
  /** Waits for a place and a warm runner until the signal says no more, which is `busy`. */
  acquire(request: RunnerRequest, signal: AbortSignal): Promise<Acquired>;
  /** Starts the spare before it is needed. */
  warm(): void;
  /** The process ids of all runners. */
  pids(): number[];
  close(): Promise<void>;
}

interface Waiter {
  readonly level: number;
  readonly owner: string;
  resolve(acquired: Acquired): void;
}

/** Who has its places, and who waits for one. */
interface Level {
  readonly places: Share;
  readonly line: FairQueue<Waiter>;
  /** The places in line. */
  readonly waits: Share;
}

export function createRunnerPool(deps: PoolDeps): RunnerPool {
  const alive = new Map<RunnerProcess, { runCount: number; memoryMb: number }>();
  /** Warm, the newest last. */
  const idle: RunnerProcess[] = [];
  /** Have a place, and wait for a warm runner. */
  const placed: Waiter[] = [];
  const levels = new Map<number, Level>();
  let startingCount = 0;
  /** Have served a run and make their next VM. */
  let preparingCount = 0;
  let failedStartCount = 0;
  /** Believed to work until a runner does not start: trying it first would make the first run wait. */
  let fence: readonly string[] | Promise<readonly string[]> = likelyNetworkFence();
  let isFenceTried = fence.length === 0;
  let idleTimer: NodeJS.Timeout | undefined;
  let spareTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const levelAt = (level: number): Level => {
    const countMax = level === 0 ? PLACES_AT_TOP : PLACES_BELOW;
    const known = levels.get(level) ?? {
      places: new Share({ countMax, reservedCount: PLACES_RESERVED }),
      line: createFairQueue<Waiter>(),
      waits: new Share({ countMax: LINE_MAX, reservedCount: LINE_RESERVED }),
    };
    levels.set(level, known);
    return known;
  };

  async function start(): Promise<void> {
    startingCount++;
    const wasFenceTried = isFenceTried;
    const prefix = await fence;
    if (isClosed) return void startingCount--;
    const memoryMb = deps.memoryMb();
    try {
      const runner = startRunner({ launch: deps.launch, memoryMb, prefix });
      alive.set(runner, { runCount: 0, memoryMb });
      void forgetWhenGone(runner);
      awaitWarm(
        runner,
        () => startingCount--,
        (reason) => reportFailedStart(reason, wasFenceTried),
      );
    } catch (error) {
      startingCount--;
      reportFailedStart(messageOf(error), wasFenceTried);
    }
  }

  async function forgetWhenGone(runner: RunnerProcess): Promise<void> {
    await runner.gone;
    alive.delete(runner);
  }

  /** Its first word must be that it is warm; then it is ready for the next run. */
  function awaitWarm(runner: RunnerProcess, settled: () => void, failed: (reason: string) => void): void {
    runner.listen({
      frame: (line) => {
        if (line !== WARM || !runner.isAlive) return runner.kill();
        settled();
        failedStartCount = 0;
        becomeIdle(runner);
      },
      exit: (reason) => {
        settled();
        failed(reason);
      },
    });
  }

  /**
   * A runner that dies before it is warm would die again: after a few tries, the caller that waits is told. Those that were
   * started before the fence was tried may all have failed for it.
   */
  function reportFailedStart(reason: string, wasFenceTried: boolean): void {
    if (wasFenceTried) failedStartCount++;
    else if (!isFenceTried) fence = (deps.findFence ?? findNetworkFence)();
    isFenceTried = true;
    if (failedStartCount > START_TRIES_MAX) {
      for (const waiter of placed.splice(0)) {
        leavePlace(waiter);
        waiter.resolve({ kind: "failed", reason: `The sandbox does not start: ${reason}` });
      }
      failedStartCount = 0;
      return;
    }
    if (placed.length > 0) fill();
  }

  function becomeIdle(runner: RunnerProcess): void {
    runner.listen({
      frame: () => runner.kill(),
      exit: () => {
        const at = idle.indexOf(runner);
        if (at !== -1) idle.splice(at, 1);
        fill();
      },
    });
    idle.push(runner);
    serve();
  }

  /** Gives warm runners to those who have a place. */
  function serve(): void {
    while (placed.length > 0 && idle.length > 0) {
      const waiter = placed.shift()!;
      const runner = idle.pop()!;
      waiter.resolve({ kind: "runner", runner, release: () => release(runner, waiter) });
    }
    fill();
    if (idle.length > 1) idleTimer ??= setTimeout(letGo, IDLE_MS).unref();
  }

  /** One runner for each who has a place, and a moment later one to spare. */
  function fill(): void {
    startMissing(0);
    spareTimer ??= setTimeout(() => {
      spareTimer = undefined;
      // Who waits for a runner comes first.
      if (placed.length > 0) fill();
      else startMissing(1);
    }, SPARE_AFTER_MS).unref();
  }

  function startMissing(spareCount: number): void {
    if (isClosed) return;
    const coming = idle.length + startingCount + preparingCount;
    for (let missing = placed.length + spareCount - coming; missing > 0; missing--) void start();
  }

  function letGo(): void {
    idleTimer = undefined;
    for (const runner of idle.splice(0, idle.length - 1)) runner.kill();
  }

  function release(runner: RunnerProcess, waiter: Waiter): void {
    const record = alive.get(runner);
    if (record !== undefined && runner.isAlive) {
      record.runCount++;
      const isSpent = record.runCount >= RUNS_MAX || record.memoryMb !== deps.memoryMb();
      if (isSpent) runner.kill();
    }
    if (runner.isAlive) {
      // It makes its next VM, or it ends by itself.
      preparingCount++;
      awaitWarm(runner, () => preparingCount--, fill);
    } else {
      runner.listen({ frame: () => {}, exit: () => {} });
      fill();
    }
    leavePlace(waiter);
  }

  function leavePlace({ level, owner }: Waiter): void {
    const { places, line, waits } = levelAt(level);
    places.giveBack(owner);
    const next = line.take((waiting) => places.mayTake(waiting));
    if (next === undefined) return;
    waits.giveBack(next.owner);
    places.take(next.owner);
    placed.push(next);
    serve();
  }

  return {
    acquire({ level, owner }, signal) {
      const { places, line, waits } = levelAt(level);
      if (isClosed || signal.aborted) return Promise.resolve({ kind: "busy" });
      const isPlaced = places.take(owner);
      if (!isPlaced && !waits.take(owner)) {
        const reason = waits.explain(owner, "places in line for the sandbox");
        return Promise.resolve({ kind: "busy", reason });
      }
      return new Promise((resolve) => {
        const giveUp = (): void => {
          const reason = places.explain(owner, "places in the sandbox");
          const at = placed.indexOf(waiter);
          if (at !== -1) {
            placed.splice(at, 1);
            leavePlace(waiter);
            return resolve({ kind: "busy" });
          }
          line.remove(waiter);
          waits.giveBack(owner);
          resolve({ kind: "busy", reason });
        };
        const waiter: Waiter = {
          level,
          owner,
          resolve: (acquired) => {
            signal.removeEventListener("abort", giveUp);
            resolve(acquired);
          },
        };
        signal.addEventListener("abort", giveUp, { once: true });
        if (isPlaced) {
          placed.push(waiter);
          serve();
        } else line.push(owner, waiter);
      });
    },
    warm: () => startMissing(1),
    pids: () => [...alive.keys()].flatMap(({ pid }) => pid ?? []),
    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      clearTimeout(spareTimer);
      for (const waiter of placed.splice(0)) waiter.resolve({ kind: "busy" });
      for (const { line } of levels.values())
        for (let w = line.take(); w !== undefined; w = line.take()) w.resolve({ kind: "busy" });
      const runners = [...alive.keys()];
      for (const runner of runners) runner.kill();
      // Runners do not keep the process alive, so waiting for their end must.
      const hold = setInterval(() => {}, HOLD_MS);
      await Promise.all(runners.map((runner) => runner.gone));
      clearInterval(hold);
    },
  };
}
