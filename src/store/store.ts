/** The store, one text for every database: what a backend brings, put together noun by noun. */
import { systemClock, type Clock } from "../core/clock.ts";
import { RepertoireError } from "../core/errors.ts";
import type { Audit, Store } from "../core/store.ts";
import { createAudit } from "./audit.ts";
import type { Backend } from "./backend.ts";
import { createCapabilityStore } from "./capabilities/capabilities.ts";
import { findRunDamage } from "./runs/run-damage.ts";
import { createEmbeddings, createTokenCounts, createServerCache } from "./caches.ts";
import { createRunStore } from "./runs/runs.ts";
import { createSealStore } from "./runs/seals.ts";
import { createPastUses } from "./past-uses.ts";
import { createUuidV7 } from "./uuid-v7.ts";

export interface StoreOptions {
  readonly clock?: Clock;
  readonly newId?: () => string;
}

export function createStore(backend: Backend, options: StoreOptions = {}): Store {
  const { clock = systemClock, newId = createUuidV7(() => clock.now()) } = options;
  const context = { db: backend.db, databaseNow: backend.databaseNow, clock, newId };
  const audit = createAudit(context);
  return {
    capabilities: createCapabilityStore(context),
    runs: createRunStore(context),
    serverCache: createServerCache(context),
    pastUses: createPastUses(context),
    tokenCounts: createTokenCounts(context),
    embeddings: createEmbeddings(context),
    seals: createSealStore(context),
    audit,
    findDamage: async () => [
      ...(await backend.findDamage()),
      ...(await readable(() => findRunDamage(backend.db))),
      ...(await readable(() => findAuditDamage(audit))),
    ],
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
