/** The arithmetic of the model: how much of each limit a load uses, and at which load the limit is reached. */
import type { Parameters } from "./scale-costs.ts";

export interface Limit {
  readonly name: string;
  /** What the load asks for, and what there is. */
  readonly used: number;
  readonly available: number;
  readonly unit: string;
  /** What must grow to reach it. */
  readonly grows: "runs/s" | "replicas" | "days";
  readonly cure: string;
}

const DAY_S = 86_400;

/** Operations by the second, over all replicas. */
function ratesOf({ load, costs }: Parameters) {
  const { runsPerSecond: runs, replicas } = load;
  const calls = runs * load.callsPerRun;
  const perReplica = (ms: number) => (replicas * 1_000) / ms;
  return {
    runs,
    calls,
    writingCalls: calls * load.writingShare,
    readingCalls: calls * (1 - load.writingShare),
    uses: runs * load.capabilityShare,
    limited: calls * load.limitedShare,
    audited: calls * load.auditedShare,
    jobs: runs * load.backgroundShare,
    /** A run is a call as well. */
    callRows: calls + runs,
    callWrites: perReplica(costs.intervalMs.callsWrite),
    polls: perReplica(costs.intervalMs.revisionPoll) + load.clients * load.listsPerClient,
    beats: perReplica(costs.intervalMs.beat),
    sweeps: perReplica(costs.intervalMs.sweep),
    idleQueue: replicas * costs.queueTransactions.idlePerSecond,
  };
}

/** CPU of the server by what it is for, in cores. */
export function coresOf(parameters: Parameters): Readonly<Record<string, number>> {
  const { cpuMs, statementsBehind, statementsOfCapability, queueTransactions } = parameters.costs;
  const rate = ratesOf(parameters);
  const ms = {
    "runs and steps":
      rate.runs * (cpuMs.runStart + cpuMs.runFinish + statementsBehind * cpuMs.small) +
      rate.readingCalls * cpuMs.stepRecord +
      rate.writingCalls * (cpuMs.stepOpen + cpuMs.stepClose),
    capabilities: rate.uses * (cpuMs.useCount + statementsOfCapability * cpuMs.revisionPoll),
    "call log": rate.callWrites * cpuMs.callsAppend + rate.callRows * cpuMs.callsRow,
    "limits and audit": rate.limited * cpuMs.limitTake + rate.audited * cpuMs.auditAppend,
    queue: (rate.jobs * queueTransactions.perJob + rate.idleQueue) * cpuMs.queueTurn,
    "polls, beats, sweeps":
      rate.polls * cpuMs.revisionPoll + rate.beats * cpuMs.beat + rate.sweeps * cpuMs.sweep,
  };
  return Object.fromEntries(Object.entries(ms).map(([name, value]) => [name, value / 1_000]));
}

export function walBytesPerSecond(parameters: Parameters): number {
  const { walBytes } = parameters.costs;
  const rate = ratesOf(parameters);
  return (
    rate.runs * (walBytes.runStart + walBytes.runFinish) +
    rate.readingCalls * walBytes.stepRecord +
    rate.writingCalls * walBytes.stepOpenAndClose +
    rate.callRows * walBytes.callsRow +
    rate.uses * walBytes.useCount +
    rate.limited * walBytes.limitTake +
    rate.audited * walBytes.auditAppend +
    rate.jobs * walBytes.jobOfQueue +
    rate.beats * walBytes.beat
  );
}

/** Rows and bytes that a day adds to each table that only grows. */
export function growthOf(parameters: Parameters): Readonly<Record<string, { rows: number; bytes: number }>> {
  const { rowBytes } = parameters.costs;
  const rate = ratesOf(parameters);
  const table = (perSecond: number, bytes: number) => ({
    rows: perSecond * DAY_S,
    bytes: perSecond * DAY_S * bytes,
  });
  return {
    runs: table(rate.runs, rowBytes.run),
    steps: table(rate.calls, rowBytes.step),
    calls: table(rate.callRows, rowBytes.call),
    audit: table(rate.audited, rowBytes.audit),
  };
}

/** Transactions that take a number of the 32 bits that PostgreSQL has for them. */
function transactionsPerSecond(parameters: Parameters): number {
  const rate = ratesOf(parameters);
  const { statementsBehind, queueTransactions } = parameters.costs;
  return (
    rate.runs * (2 + statementsBehind) +
    rate.readingCalls +
    2 * rate.writingCalls +
    rate.limited +
    rate.audited +
    rate.callWrites +
    rate.beats +
    rate.jobs * queueTransactions.perJob
  );
}

/** How long a lock is held: trips after the row was taken, the flush at the end, and the work. */
function holdMs({ server }: Parameters, trips: number, workMs: number): number {
  return trips * server.tripMs + server.flushMs + workMs;
}

/** Rows and locks that one transaction at a time can have, by the second. */
function hotRows(parameters: Parameters): Limit[] {
  const { cpuMs, callsBatchMax } = parameters.costs;
  const { load } = parameters;
  const rate = ratesOf(parameters);
  const perSecond = (trips: number, workMs: number) => 1_000 / holdMs(parameters, trips, workMs);
  const unit = "transactions/s";
  return [
    {
      name: "limit_buckets: the row of one limit",
      used: rate.limited,
      available: perSecond(4, cpuMs.limitTake),
      unit,
      grows: "runs/s",
      cure: "limits by token or tool and not one for all; then shares of a limit, handed out to replicas for a second",
    },
    {
      name: "capabilities.usage_count: the hottest row",
      used: rate.uses * load.hottestShare,
      available: perSecond(1, cpuMs.useCount),
      unit,
      grows: "runs/s",
      cure: "append a row for each use and fold them every 250 ms: one update for each capability and replica",
    },
    {
      name: "audit_head: the one head of the chain",
      used: rate.audited,
      available: perSecond(3, cpuMs.auditAppend),
      unit,
      grows: "runs/s",
      cure: "several entries in one transaction, as the call log does; then a chain for each replica",
    },
    {
      name: "library_revision: a save of a capability",
      used: rate.uses / 1_000,
      available: perSecond(4, cpuMs.small),
      unit,
      grows: "runs/s",
      cure: "none is needed: people and agents save, programs do not",
    },
    {
      name: "calls: the lock that orders the call log",
      used: rate.callRows,
      available: perSecond(3, cpuMs.callsAppend) * callsBatchMax,
      unit: "rows/s",
      grows: "runs/s",
      cure: "an order for each replica, or one log of calls outside of the database",
    },
    {
      name: "calls: all replicas within their 200 ms",
      used: rate.callWrites,
      available: perSecond(3, cpuMs.callsAppend + 12 * cpuMs.callsRow),
      unit,
      grows: "replicas",
      cure: "nothing is lost: batches grow, and the log is late. A pause of a second after each write, with more than 50 replicas",
    },
  ];
}

/** What the machine has. */
function resources(parameters: Parameters): Limit[] {
  const { server, load } = parameters;
  const rate = ratesOf(parameters);
  const dayBytes = Object.values(growthOf(parameters)).reduce((sum, { bytes }) => sum + bytes, 0);
  const deadBytes =
    rate.runs * parameters.costs.rowBytes.run + rate.writingCalls * parameters.costs.rowBytes.step;
  return [
    {
      name: "connections: replicas × poolSize",
      used: load.replicas * server.poolSize,
      available: server.connectionsMax,
      unit: "connections",
      grows: "replicas",
      cure: "PgBouncer in transaction mode with store.pooler; before that, poolSize 3 and max_connections 300",
    },
    {
      name: "disk: runs, steps and calls that are kept",
      used: dayBytes * server.daysKept,
      available: server.diskBytes,
      unit: "bytes",
      grows: "runs/s",
      cure: "partition runs, steps and calls by day and drop days; results that matter are in the library",
    },
    {
      name: "CPU of the server",
      used: Object.values(coresOf(parameters)).reduce((sum, cores) => sum + cores, 0),
      available: server.cores,
      unit: "cores",
      grows: "runs/s",
      cure: "read replicas for lists and the console; then a database for each group of tenants",
    },
    {
      name: "WAL",
      used: walBytesPerSecond(parameters),
      available: server.walBytesPerSecond,
      unit: "bytes/s",
      grows: "runs/s",
      cure: "wal_compression, checkpoints every 15 to 30 minutes, results over 64 KB outside of the database",
    },
    {
      name: "vacuum: pages that updates leave behind",
      // Each dead row makes its page dirty, and about two pages of indexes.
      used: (deadBytes / server.pageBytes) * 3,
      available: server.vacuumPagesPerSecond,
      unit: "pages/s",
      grows: "runs/s",
      cure: "autovacuum_vacuum_cost_limit 2000; fillfactor 85 on runs and steps; partitions are dropped, not cleaned",
    },
    {
      name: "transaction numbers: hours to a forced freeze",
      used: 24 / (server.freezeAge / transactionsPerSecond(parameters) / 3_600),
      available: 24,
      unit: "freezes/day",
      grows: "runs/s",
      cure: "autovacuum_freeze_max_age 1e9; partitions, so that old ones are frozen once and never read again",
    },
    {
      name: "polls of revisions, beats and sweeps",
      used: coresOf(parameters)["polls, beats, sweeps"]!,
      // More than a twentieth of the machine for doing nothing is too much.
      available: server.cores / 20,
      unit: "cores",
      grows: "replicas",
      cure: "one poller for each machine, or topics by hash: a replica asks for its own only",
    },
  ];
}

export function limitsOf(parameters: Parameters): Limit[] {
  return [...hotRows(parameters), ...resources(parameters)].sort(
    (one, other) => other.used / other.available - one.used / one.available,
  );
}
