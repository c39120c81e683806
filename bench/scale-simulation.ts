/**
 * A discrete simulation of the store under load: runs arrive at random at replicas, each statement takes a connection of
 * its replica's pool, a trip, a core of the server, and at the end of a transaction the next flush of the WAL, which all
 * waiting transactions share. Some transactions need a row that only one can have. It shows what arithmetic does not:
 * waiting for a row holds a connection, and others then wait for that.
 *
 * Virtual time only; the same seed gives the same figures.
 */
import type { Parameters } from "./scale-costs.ts";
import { Events, Resource, type Process } from "./scale-events.ts";
import { createRandom } from "./search-random.ts";

export interface Outcome {
  readonly arrivedCount: number;
  /** How much longer runs took than their tools did; of those that ended. */
  readonly overheadMs: readonly number[];
  /** How old entries of the call log were when they were written. */
  readonly callAgesMs: readonly number[];
  /** How long each was waited for. */
  readonly resources: readonly Resource[];
}

/** What is done against a limit. */
export interface Cures {
  /** Uses of capabilities are folded every 250 ms and not counted at the end of each run. */
  readonly foldsUses?: boolean;
  /** Limits are by token: one in a hundred limited calls meets the same row. */
  readonly splitsLimits?: boolean;
  /** The call log pauses so long after each write, unless a whole batch waits; now it writes again at once. */
  readonly callsPauseMs?: number;
}

const SPLIT_SHARE = 0.01;
/** Nothing arrives any more at the end, so that what is under way then has not ended for another reason. */
const TAIL_MS = 1_000;

/** Runs arrive for so many seconds. */
export function simulate(parameters: Parameters, cures: Cures, seconds: number): Outcome {
  return new StoreSimulation(parameters, cures, seconds * 1_000 + TAIL_MS).outcome();
}

class StoreSimulation {
  readonly #given: Parameters;
  readonly #cures: Cures;
  readonly #endMs: number;
  readonly #events = new Events();
  readonly #random = createRandom("scale");
  readonly #cores: Resource;
  readonly #useRow = new Resource("capabilities.usage_count", 1);
  readonly #limitRow = new Resource("limit_buckets, one limit", 1);
  readonly #auditRow = new Resource("audit_head", 1);
  readonly #callLock = new Resource("calls, the order", 1);
  readonly #replicas: readonly { readonly pool: Resource; readonly callsAt: number[] }[];
  readonly #overheadMs: number[] = [];
  readonly #callAgesMs: number[] = [];
  #arrivedCount = 0;

  constructor(parameters: Parameters, cures: Cures, endMs: number) {
    const { server, load } = parameters;
    this.#given = parameters;
    this.#cures = cures;
    this.#endMs = endMs;
    this.#cores = new Resource("cores of the server", server.cores);
    this.#replicas = Array.from({ length: load.replicas }, () => ({
      pool: new Resource("connections of a pool", server.poolSize),
      callsAt: [],
    }));
  }

  outcome(): Outcome {
    const events = this.#events;
    events.start(this.#arrivals());
    for (const { pool, callsAt } of this.#replicas) this.#startLoops(pool, callsAt);
    events.runUntil(this.#endMs);
    const pools = new Resource("connections of a pool", 0);
    for (const { pool } of this.#replicas) for (const ms of pool.waitsOf(events.now)) pools.waitsMs.push(ms);
    return {
      arrivedCount: this.#arrivedCount,
      overheadMs: this.#overheadMs,
      callAgesMs: this.#callAgesMs,
      resources: [this.#limitRow, this.#useRow, this.#auditRow, this.#callLock, this.#cores, pools],
    };
  }

  #startLoops(pool: Resource, callsAt: number[]): void {
    const { cpuMs, intervalMs, queueTransactions } = this.#given.costs;
    const reading = (ms: number) => () => this.#statement(pool, ms, false);
    const loops: readonly (readonly [number, () => Process])[] = [
      [intervalMs.revisionPoll, reading(cpuMs.revisionPoll)],
      [intervalMs.beat, () => this.#statement(pool, cpuMs.beat, true)],
      [intervalMs.sweep, reading(cpuMs.sweep)],
      [1_000 / queueTransactions.idlePerSecond, reading(cpuMs.queueTurn)],
      [this.#cures.callsPauseMs ?? intervalMs.callsWrite, () => this.#writeCalls(pool, callsAt)],
    ];
    for (const [ms, turn] of loops) this.#events.start(this.#every(ms, turn));
  }

  *#every(ms: number, turn: () => Process): Process {
    yield { waitMs: this.#random() * ms };
    while (this.#events.now < this.#endMs) {
      yield* turn();
      yield { waitMs: ms };
    }
  }

  *#arrivals(): Process {
    const { runsPerSecond } = this.#given.load;
    while (this.#events.now < this.#endMs - TAIL_MS) {
      yield { waitMs: (-Math.log(1 - this.#random()) * 1_000) / runsPerSecond };
      const { pool, callsAt } = this.#replicas[Math.floor(this.#random() * this.#replicas.length)]!;
      this.#arrivedCount++;
      this.#events.start(this.#run(pool, callsAt));
    }
  }

  *#run(pool: Resource, callsAt: number[]): Process {
    const { load, costs } = this.#given;
    const { cpuMs } = costs;
    const startedAt = this.#events.now;
    const isCapability = this.#chance(load.capabilityShare);
    const readCount = isCapability ? costs.statementsOfCapability : 0;
    for (let read = 0; read < readCount; read++) yield* this.#statement(pool, cpuMs.revisionPoll, false);
    yield* this.#statement(pool, cpuMs.runStart, true);
    for (let made = 0; made < load.callsPerRun; made++) {
      yield* this.#call(pool);
      callsAt.push(this.#events.now);
    }
    yield* this.#finish(pool, isCapability);
    callsAt.push(this.#events.now);
    this.#overheadMs.push(this.#events.now - startedAt - load.callsPerRun * load.toolMs);
    for (let behind = 0; behind < costs.statementsBehind; behind++)
      yield* this.#statement(pool, cpuMs.small, true);
    const turns = this.#chance(load.backgroundShare) ? costs.queueTransactions.perJob : 0;
    for (let turn = 0; turn < turns; turn++) yield* this.#statement(pool, cpuMs.queueTurn, true);
  }

  *#call(pool: Resource): Process {
    const { load, costs } = this.#given;
    const { limitTake, auditAppend, stepOpen, stepClose, stepRecord } = costs.cpuMs;
    if (this.#chance(load.limitedShare)) {
      const meets = this.#cures.splitsLimits !== true || this.#chance(SPLIT_SHARE);
      const row = meets ? this.#limitRow : new Resource("another limit", 1);
      yield* this.#holding(pool, row, limitTake, 3);
    }
    if (this.#chance(load.auditedShare)) yield* this.#holding(pool, this.#auditRow, auditAppend, 3);
    const isWriting = this.#chance(load.writingShare);
    if (isWriting) yield* this.#statement(pool, stepOpen, true);
    yield { waitMs: load.toolMs };
    yield* this.#statement(pool, isWriting ? stepClose : stepRecord, true);
  }

  *#finish(pool: Resource, isCapability: boolean): Process {
    const { runFinish, useCount } = this.#given.costs.cpuMs;
    const counts = isCapability && this.#cures.foldsUses !== true;
    if (counts && this.#chance(this.#given.load.hottestShare))
      yield* this.#holding(pool, this.#useRow, runFinish + useCount, 1);
    else yield* this.#statement(pool, runFinish + (counts ? useCount : 0), true);
  }

  *#writeCalls(pool: Resource, callsAt: number[]): Process {
    const { cpuMs, callsBatchMax } = this.#given.costs;
    const leastCount = this.#cures.callsPauseMs === undefined ? 1 : callsBatchMax;
    for (let isFirst = true; callsAt.length >= (isFirst ? 1 : leastCount); isFirst = false) {
      const rows = callsAt.splice(0, callsBatchMax);
      yield* this.#holding(pool, this.#callLock, cpuMs.callsAppend + rows.length * cpuMs.callsRow, 3);
      for (const at of rows) this.#callAgesMs.push(this.#events.now - at);
    }
  }

  *#statement(pool: Resource, cpuMs: number, commits: boolean): Process {
    yield { take: pool };
    yield* this.#work(cpuMs);
    if (commits) yield { waitMs: this.#untilFlushed() };
    yield { give: pool };
  }

  /** A transaction that takes a row with its first statement and has it until its commit is on disk. */
  *#holding(pool: Resource, row: Resource, cpuMs: number, trips: number): Process {
    yield { take: pool };
    yield { take: row };
    for (let trip = 0; trip < trips; trip++) yield* this.#work(cpuMs / trips);
    yield { waitMs: this.#given.server.tripMs };
    yield { waitMs: this.#untilFlushed() };
    yield { give: row };
    yield { give: pool };
  }

  /** Half of the work is the same each time, the other half is exponential. */
  *#work(cpuMs: number): Process {
    yield { waitMs: this.#given.server.tripMs };
    yield { take: this.#cores };
    yield { waitMs: cpuMs * (0.5 - 0.5 * Math.log(1 - this.#random())) };
    yield { give: this.#cores };
  }

  /** The flush that is under way does not have it: it waits for the next, with all others. */
  #untilFlushed(): number {
    const { flushMs } = this.#given.server;
    return (Math.ceil(this.#events.now / flushMs) + 1) * flushMs - this.#events.now;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}
