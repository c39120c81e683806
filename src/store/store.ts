/** The store, one text for every database: what a backend brings, put together noun by noun. */
import type { Kysely } from "kysely";
import { systemClock, type Clock } from "../core/clock.ts";
import { RepertoireError } from "../core/errors.ts";
import type { Audit, Store } from "../core/store.ts";
import { createAudit } from "./audit.ts";
import type { Backend, Concurrency, StoreContext } from "./backend.ts";
import { createCallStore, createTokenUses } from "./calls.ts";
import { createCapabilityStore } from "./capabilities/capabilities.ts";
import { createEmbeddings, createTokenCounts } from "./caches.ts";
import { createDraftStore } from "./replicas/drafts.ts";
import { createLimitStore } from "./limits.ts";
import { createRunStore } from "./runs/runs.ts";
import { createRunSweep, createWakes } from "./runs/run-sweep.ts";
import { createSealStore } from "./runs/seals.ts";
import { createPastUses } from "./past-uses.ts";
import { createPinStore } from "./pins.ts";
import { createReplicaStore } from "./replicas/replicas.ts";
import { createLockStore, createSecretRows } from "./replicas/secrets.ts";
import { createTokenStore } from "./replicas/tokens.ts";
import { createSessionStore } from "./replicas/sessions.ts";
import { createServerCache } from "./server-cache.ts";
import { createRevisionStore } from "./replicas/revisions.ts";
import { createUsageStore } from "./usage.ts";
import { createUuidV7 } from "./uuid-v7.ts";
import type { Database, StepRow } from "./database.ts";

export interface StoreOptions {
  readonly clock?: Clock;
  readonly newId?: () => string;
}

export function createStore(backend: Backend, options: StoreOptions = {}): Store {
  const { clock = systemClock, newId = createUuidV7(() => clock.now()) } = options;
  const { db, isShared, attempt, holdRows, lockRows, serialize } = backend;
  const wakes = createWakes();
  const context: StoreContext = {
    db,
    light: backend.light,
    settle: () => backend.settle(),
    // Where the rows are the queue, this process looks at them as soon as the transaction is over.
    enqueue: backend.enqueue ?? (() => Promise.resolve(wakes.call())),
    isShared,
    attempt,
    holdRows,
    lockRows,
    serialize,
    // Asked for each time: in tests, the database's time stands still.
    get databaseNow() {
      return backend.databaseNow;
    },
    clock,
    newId,
  };
  // A file is never away: there the operations stay as they are.
  const patient = <Noun extends object>(noun: Noun, except?: RepeatingOptions<Noun>): Noun =>
    isShared ? repeating(noun, context, except) : noun;
  const audit = patient(createAudit(context));
  const runs = patient(createRunStore(context), {
    own: ["newId", "start", "record", "resume", "claim", "finish", "decide", "enqueue"],
  });
  return {
    capabilities: patient(createCapabilityStore(context), {
      // Saving the same source again is the same version, so the caller can repeat it; a counter may miss one.
      once: ["save", "rename", "alias", "remove", "recordUse"],
    }),
    runs,
    serverCache: patient(createServerCache(context)),
    pastUses: patient(createPastUses(context), { once: ["add"] }),
    tokenCounts: patient(createTokenCounts(context)),
    embeddings: patient(createEmbeddings(context)),
    seals: patient(createSealStore(context), { own: ["spend"] }),
    // Counted twice is on the safe side; a slot that its taker does not know expires.
    limits: patient(createLimitStore(context)),
    calls: patient(createCallStore(context)),
    tokenUses: patient(createTokenUses(context)),
    pins: patient(createPinStore(context), { once: ["decide"] }),
    revisions: patient(createRevisionStore(context)),
    drafts: patient(createDraftStore(context)),
    replicas: patient(createReplicaStore(context)),
    sessions: patient(createSessionStore(context), { own: ["adopt"] }),
    audit,
    tokens: patient(createTokenStore(context), { own: ["change"] }),
    secrets: patient(createSecretRows(context)),
    // An owner that takes its own lock again prolongs it.
    locks: patient(createLockStore(context)),
    usage: patient(createUsageStore(context)),
    openQueue: (own) =>
      backend.openQueue?.(own, () => runs.queueStats(own.scope())) ??
      createRunSweep({ ...own, db, clock, runs, wakes, changeMark: () => backend.changeMark() }),
    findDamage: async () => [
      ...(await backend.findDamage()),
      ...(await readable(() => findRunDamage(backend.db))),
      ...(await readable(() => findAuditDamage(audit))),
    ],
    changeMark: () => backend.changeMark(),
    status: () => backend.status(),
    check: () => backend.check(),
    close: () => backend.close(),
  };
}

/** A page that cannot be read is damage to report, not a reason to stop reporting. */
async function readable(find: () => Promise<string[]>): Promise<string[]> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof RepertoireError && error.code === "STORE_DAMAGED") return [error.message];
    throw error;
  }
}

async function findAuditDamage(audit: Audit): Promise<string[]> {
  const seq = await audit.findBreak();
  return seq === undefined ? [] : [`The audit trail is broken at entry ${seq}: it was edited or cut.`];
}

/** Enough to see what is wrong; a file with a million bad rows must not fill the memory. */
const LINE_COUNT_MAX = 20;

/** What no order of writes can leave behind in runs and their journals. */
async function findRunDamage(db: Kysely<Database>): Promise<string[]> {
  const lines = [
    ...(await findClaimable(db)),
    ...(await findTwofold(db)),
    ...(await findHalfEnded(db)),
    ...(await findWithoutValue(db)),
  ];
  return lines.slice(0, LINE_COUNT_MAX);
}

async function findClaimable(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom("runs")
    .select("id")
    .where("finished_at", "is not", null)
    .where((eb) =>
      eb.or([
        eb("status", "in", ["running", "paused"]),
        eb("lease_owner", "is not", null),
        eb("lease_until", "is not", null),
      ]),
    )
    .orderBy("id")
    .limit(LINE_COUNT_MAX)
    .execute();
  return rows.map(({ id }) => `Run ${id} has finished and could still be claimed.`);
}

async function findTwofold(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom("steps")
    .select(["run_id", "key"])
    .where("result", "is not", null)
    .where("value_id", "is not", null)
    .limit(LINE_COUNT_MAX)
    .execute();
  return rows.map((step) => `The ${nameOf(step)} has two results.`);
}

async function findHalfEnded(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom("steps")
    .select(["run_id", "key"])
    .where((eb) => {
      const isOpen = eb("status", "in", ["sent", "waiting"]);
      const hasEnd = eb("finished_at", "is not", null);
      const hasAnswer = eb.or([eb("result", "is not", null), eb("value_id", "is not", null)]);
      return eb.or([eb.and([isOpen, eb.or([hasEnd, hasAnswer])]), eb.and([eb.not(isOpen), eb.not(hasEnd)])]);
    })
    .limit(LINE_COUNT_MAX)
    .execute();
  return rows.map((step) => `The ${nameOf(step)} has only half an end.`);
}

async function findWithoutValue(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom("steps")
    .leftJoin("step_values", "step_values.id", "steps.value_id")
    .select(["steps.run_id", "steps.key"])
    .where("steps.value_id", "is not", null)
    .where("step_values.id", "is", null)
    .limit(LINE_COUNT_MAX)
    .execute();
  return rows.map((step) => `The result of the ${nameOf(step)} is missing.`);
}

function nameOf({ run_id, key }: Pick<StepRow, "run_id" | "key">): string {
  return `step ${key} of run ${run_id}`;
}

type Operations<Noun> = readonly (keyof Noun)[];

interface RepeatingOptions<Noun> {
  /** Never repeated: the caller is told that the outcome is not known. */
  readonly once?: Operations<Noun>;
  /** Those that call `attempt` themselves. */
  readonly own?: Operations<Noun>;
}

/**
 * Which operations are repeated when the connection to the database was lost. All are, unless they are named as told once:
 * reading changes nothing, and each write is made so that a second one changes nothing. An operation that must know
 * whether it is a repetition asks `attempt` itself and is left out here.
 */
function repeating<Noun extends object>(
  noun: Noun,
  { attempt }: Pick<Concurrency, "attempt">,
  { once = [], own = [] }: RepeatingOptions<Noun> = {},
): Noun {
  const wrapped: Partial<Noun> = {};
  for (const name of Object.keys(noun) as (keyof Noun)[]) {
    const operation = noun[name];
    const isLeft = typeof operation !== "function" || own.includes(name);
    const canRepeat = !once.includes(name);
    wrapped[name] = (
      isLeft ? operation : (...args: unknown[]) => attempt(() => operation.apply(noun, args), { canRepeat })
    ) as Noun[keyof Noun];
  }
  return wrapped as Noun;
}
