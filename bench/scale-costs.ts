/**
 * What one operation costs the database, and how large the installation is. The model computes with nothing else. Each
 * number has its source; those that were measured elsewhere are put in their place by a file of the same shape:
 * `npm run bench:scale-model -- measured.json`.
 *
 * (A) measured on the tables of the migrations, PostgreSQL 18.4, one connection, fdatasync, steps of 1 KB: bytes of WAL
 *     between two positions, CPU of the server's process, growth of table and indexes. The machine was busy, so CPU is an
 *     upper bound.
 * (B) counted in three real gateways on one PostgreSQL.
 * (C) set in the source of the gateway.
 * (D) an assumption about an installation; change it to yours.
 */
const COSTS = {
  /** CPU of the server in ms, commit included. (A) */
  cpuMs: {
    runStart: 0.41,
    stepRecord: 0.5,
    stepOpen: 0.42,
    stepClose: 0.44,
    runFinish: 0.51,
    useCount: 0.39,
    limitTake: 0.78,
    auditAppend: 0.71,
    callsAppend: 0.7,
    callsRow: 0.06,
    revisionPoll: 0.09,
    beat: 0.25,
    sweep: 0.2,
    queueTurn: 0.3,
    small: 0.3,
  },
  /** Bytes of WAL. (A) */
  walBytes: {
    runStart: 1_480,
    stepRecord: 1_970,
    stepOpenAndClose: 3_400,
    runFinish: 2_420,
    useCount: 400,
    limitTake: 310,
    auditAppend: 510,
    callsRow: 770,
    beat: 170,
    jobOfQueue: 3_000,
  },
  /** Bytes of table and indexes that stay. (A) */
  rowBytes: { run: 1_590, step: 1_620, call: 555, audit: 200 },
  /** Statements behind an answer: what was learnt of it, the call log, the end. (B) */
  statementsBehind: 3,
  /** A capability call reads its row, its version and its aliases before it runs. (B) */
  statementsOfCapability: 5,
  /** Transactions of pg-boss for each job beside the run itself, and of an idle replica with one poller each second. (B) */
  queueTransactions: { perJob: 3.8, idlePerSecond: 3 },
  /** (C) */
  intervalMs: { revisionPoll: 400, beat: 2_000, sweep: 2_000, callsWrite: 200 },
  callsBatchMax: 200,
} as const;

const LOAD = {
  replicas: 100,
  clients: 10_000,
  runsPerSecond: 1_000,
  callsPerRun: 5,
  /** Of calls: those that write are opened before and closed after, others recorded once. (D) */
  writingShare: 0.4,
  /** Of runs: those of a capability, whose uses are counted. (D) */
  capabilityShare: 0.5,
  /** Of uses of capabilities: those of the most popular one. (D) */
  hottestShare: 0.2,
  /** Of calls: those that a rule counts against one and the same limit. (D) */
  limitedShare: 0.02,
  /** Of calls: those that are refused or changed something, and are in the audit trail. (D) */
  auditedShare: 0.005,
  /** Of runs: those in the background, which pass through the queue. (D) */
  backgroundShare: 0.1,
  /** How long a tool takes. (D) */
  toolMs: 50,
  /** Lists of tools for each client, by the second; each reads the revision. (D) */
  listsPerClient: 1 / 300,
} as const;

const SERVER = {
  /** (D) */
  cores: 16,
  /** One trip between a gateway and the server, in the same zone. (D) */
  tripMs: 0.5,
  /** One flush of the WAL; all that wait share it. Measured between 0.28 and 1.27. (B) */
  flushMs: 1,
  /** What the disk takes of WAL while it does everything else. (D) */
  walBytesPerSecond: 200e6,
  /** PostgreSQL's own defaults, less what it keeps for superusers. */
  connectionsMax: 97,
  /** (D) */
  diskBytes: 4e12,
  daysKept: 30,
  /** `store.poolSize`. (C) */
  poolSize: 10,
  /** vacuum_cost_limit 200, delay 2 ms, 20 for each page made dirty: PostgreSQL's defaults, for all workers together. */
  vacuumPagesPerSecond: 5_000,
  pageBytes: 8_192,
  /** autovacuum_freeze_max_age. */
  freezeAge: 200e6,
} as const;

type Numbers<T> = { readonly [K in keyof T]: T[K] extends number ? number : Numbers<T[K]> };

export interface Parameters {
  readonly costs: Numbers<typeof COSTS>;
  readonly load: Numbers<typeof LOAD>;
  readonly server: Numbers<typeof SERVER>;
}

export const PARAMETERS: Parameters = { costs: COSTS, load: LOAD, server: SERVER };

/** The parameters with those numbers in their place that the text names. An unknown name is an error. */
export function withMeasured(text: string): Parameters {
  return merged(PARAMETERS, JSON.parse(text) as Tree, "") as unknown as Parameters;
}

type Tree = { readonly [key: string]: number | Tree };

function merged(known: object, given: Tree, place: string): Tree {
  const tree = known as Tree;
  const entries = Object.entries(given).map(([key, value]) => {
    const before = tree[key];
    const name = `${place}${key}`;
    if (before === undefined || typeof before !== typeof value)
      throw new Error(`${name} is no parameter of the model. bench/scale-costs.ts has them all.`);
    return [key, typeof value === "number" ? value : merged(before as Tree, value, `${name}.`)] as const;
  });
  return { ...tree, ...Object.fromEntries(entries) };
}
