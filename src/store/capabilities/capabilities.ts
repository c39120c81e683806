import type { CapabilityStore } from "../../core/store.ts";
import { aliasCapability } from "./alias-capability.ts";
import type { StoreContext } from "../backend.ts";
import { findExample } from "./capability-examples.ts";
import { capabilityOf, capabilityVersionOf, findByAnyName } from "./capability-rows.ts";
import { addUse } from "./capability-use.ts";
import { listCurrent, listKeys } from "./current-capabilities.ts";
import { growRevision, lockLibrary, readRevision } from "./library-revision.ts";
import { renameCapability } from "./rename-capability.ts";
import { saveCapability } from "./save-capability.ts";

export function createCapabilityStore(context: StoreContext): CapabilityStore {
  const { db } = context;
  return {
    save: (draft) => saveCapability(context, draft),
    rename: (id, to) => renameCapability(context, id, to),
    remove: (id) => removeCapability(context, id),
    alias: (id, name) => aliasCapability(context, id, name),
    recordUse: (id, use) => addUse(db, id, use, context.clock.now()),
    revision: () => readRevision(db),
    listCurrent: (scope, ids) => listCurrent(db, scope, ids),
    listKeys: (scope) => listKeys(db, scope),
    example: (id, version) => findExample(db, id, version),
    async find(scope, name) {
      const row = await findByAnyName(db, scope, name);
      return row === undefined ? undefined : capabilityOf(row);
    },
    async get(id) {
      const row = await db.selectFrom("capabilities").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : capabilityOf(row);
    },
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
    async listAliases(scope) {
      const rows = await db
        .selectFrom("capability_aliases as alias")
        .innerJoin("capabilities as capability", "capability.id", "alias.capability_id")
        .select([
          "alias.namespace as aliasNamespace",
          "alias.action as aliasAction",
          "capability.namespace",
          "capability.action",
        ])
        .where("alias.org", "=", scope.org)
        .where("alias.project", "=", scope.project)
        .where("capability.deleted_at", "is", null)
        .orderBy("alias.namespace")
        .orderBy("alias.action")
        .execute();
      return rows.map(({ aliasNamespace, aliasAction, namespace, action }) => ({
        alias: { namespace: aliasNamespace, action: aliasAction },
        name: { namespace, action },
      }));
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

function removeCapability({ db, clock }: StoreContext, id: string): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await lockLibrary(trx);
    const scope = await trx
      .updateTable("capabilities")
      .set({ deleted_at: clock.now(), listed: 0 })
      .where("id", "=", id)
      .where("deleted_at", "is", null)
      .returning(["org", "project"])
      .executeTakeFirst();
    if (scope === undefined) return false;
    await trx.deleteFrom("capability_aliases").where("capability_id", "=", id).execute();
    await growRevision(trx, scope);
    return true;
  });
}
