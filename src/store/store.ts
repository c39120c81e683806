/** The store, one text for every database: what a backend brings, put together noun by noun. */
import type { Kysely } from "kysely";
import { systemClock, type Clock } from "../core/clock.ts";
import { RepertoireError } from "../core/errors.ts";
import type { Audit, Store } from "../core/store.ts";
import { createAudit } from "./audit.ts";
import type { Backend, StoreContext } from "./backend.ts";
import { createCallStore, createTokenUses } from "./calls.ts";
import { createCapabilityStore } from "./capabilities/capabilities.ts";
import { createEmbeddings, createTokenCounts, createServerCache } from "./caches.ts";
import { createLimitStore } from "./limits.ts";
import { createRunStore } from "./runs/runs.ts";
import { createSealStore } from "./runs/seals.ts";
import { createPastUses } from "./past-uses.ts";
import { createPinStore } from "./pins.ts";
import { createUuidV7 } from "./uuid-v7.ts";
import type { Database, StepRow } from "./database.ts";

export interface StoreOptions {
  readonly clock?: Clock;
  readonly newId?: () => string;
}

export function createStore(backend: Backend, options: StoreOptions = {}): Store {
  const { clock = systemClock, newId = createUuidV7(() => clock.now()) } = options;
  const context: StoreContext = {
    db: backend.db,
    // Asked for each time: in tests, the database's time stands still.
    get databaseNow() {
      return backend.databaseNow;
    },
    clock,
    newId,
  };
  const audit = createAudit(context);
  return {
    capabilities: createCapabilityStore(context),
    runs: createRunStore(context),
    serverCache: createServerCache(context),
    pastUses: createPastUses(context),
    tokenCounts: createTokenCounts(context),
    embeddings: createEmbeddings(context),
    seals: createSealStore(context),
    limits: createLimitStore(context),
    calls: createCallStore(context),
    tokenUses: createTokenUses(context),
    pins: createPinStore(context),
    audit,
    findDamage: async () => [
      ...(await backend.findDamage()),
      ...(await readable(() => findRunDamage(backend.db))),
      ...(await readable(() => findAuditDamage(audit))),
    ],
    changeMark: () => backend.changeMark(),
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
