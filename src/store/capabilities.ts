import type { CapabilityName, Scope } from "../core/names.ts";
import type { Capability, CapabilityStore } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import { capabilityOf, capabilityVersionOf } from "./capability-rows.ts";
import { growRevision, lockLibrary, readRevision } from "./library-revision.ts";
import { renameCapability } from "./rename-capability.ts";
import { saveCapability } from "./save-capability.ts";

export function createCapabilityStore(context: StoreContext): CapabilityStore {
  const { db } = context;
  return {
    save: (draft) => saveCapability(context, draft),
    find: (scope, name) => findCapability(context, scope, name),
    rename: (id, to) => renameCapability(context, id, to),
    remove: (id) => removeCapability(context, id),
    recordUse: (id, use) => recordUse(context, id, use),
    revision: () => readRevision(db),
    async list(scope) {
      const rows = await db
        .selectFrom("capabilities")
        .selectAll()
        .where("org", "=", scope.org)
        .where("project", "=", scope.project)
        .where("deleted_at", "is", null)
        .orderBy("namespace")
        .orderBy("action")
        .execute();
      return rows.map(capabilityOf);
    },
    async version(id, version) {
      const row = await db
        .selectFrom("capability_versions")
        .selectAll()
        .where("capability_id", "=", id)
        .where("version", "=", version)
        .executeTakeFirst();
      return row === undefined ? undefined : capabilityVersionOf(row);
    },
    async versions(id) {
      const rows = await db
        .selectFrom("capability_versions")
        .selectAll()
        .where("capability_id", "=", id)
        .orderBy("version", "desc")
        .execute();
      return rows.map(capabilityVersionOf);
    },
    aliases(id) {
      return db
        .selectFrom("capability_aliases")
        .select(["namespace", "action"])
        .where("capability_id", "=", id)
        .orderBy("namespace")
        .orderBy("action")
        .execute();
    },
  };
}

/** One statement, so that a rename cannot hide the capability between two. No alias has the spelling of a live name. */
async function findCapability(
  { db }: StoreContext,
  scope: Scope,
  name: CapabilityName,
): Promise<Capability | undefined> {
  const row = await db
    .selectFrom("capabilities")
    .selectAll()
    .where("deleted_at", "is", null)
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where((eb) =>
      eb.or([
        eb.and([eb("namespace", "=", name.namespace), eb("action", "=", name.action)]),
        eb(
          "id",
          "=",
          eb
            .selectFrom("capability_aliases as alias")
            .select("alias.capability_id")
            .where("alias.org", "=", scope.org)
            .where("alias.project", "=", scope.project)
            .where("alias.namespace", "=", name.namespace)
            .where("alias.action", "=", name.action),
        ),
      ]),
    )
    .executeTakeFirst();
  return row === undefined ? undefined : capabilityOf(row);
}

function removeCapability({ db, clock }: StoreContext, id: string): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await lockLibrary(trx);
    const { numUpdatedRows } = await trx
      .updateTable("capabilities")
      .set({ deleted_at: clock.now() })
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    await trx.deleteFrom("capability_aliases").where("capability_id", "=", id).execute();
    await growRevision(trx);
    return true;
  });
}

/** Adds in the database, so that uses by many processes are all counted. */
async function recordUse(
  { db, clock }: StoreContext,
  id: string,
  use: { success: boolean; elapsedMs: number },
): Promise<void> {
  await db
    .updateTable("capabilities")
    .set((eb) => ({
      usage_count: eb("usage_count", "+", 1),
      success_count: eb("success_count", "+", use.success ? 1 : 0),
      total_ms: eb("total_ms", "+", use.elapsedMs),
      last_used_at: clock.now(),
    }))
    .where("id", "=", id)
    .execute();
}
