import type { Transaction, Kysely } from "kysely";
import type {
  CapabilityStore,
  AliasOutcome,
  RenameOutcome,
  CapabilityKey,
  CurrentCapability,
} from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { findExample } from "./capability-examples.ts";
import {
  capabilityOf,
  capabilityVersionOf,
  findByAnyName,
  findLiveById,
  findLive,
  readCapability,
  removeAlias,
} from "./capability-rows.ts";
import { addUse } from "./capability-use.ts";
import { growRevision, lockLibrary, readRevision } from "./library-revision.ts";
import { saveCapability } from "./save-capability.ts";
import type { CapabilityName, Scope } from "../../core/names.ts";
import type { CapabilityRow, Database } from "../database.ts";

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

function aliasCapability(
  { db, clock }: StoreContext,
  id: string,
  { namespace, action }: CapabilityName,
): Promise<AliasOutcome> {
  return db.transaction().execute(async (trx): Promise<AliasOutcome> => {
    await lockLibrary(trx);
    const live = await findLiveById(trx, id);
    if (live === undefined) return { kind: "missing" };
    const scope = { org: live.org, project: live.project };
    const holder = await findByAnyName(trx, scope, { namespace, action });
    if (holder?.id === id) return { kind: "added" };
    if (holder !== undefined) return { kind: "taken", capability: capabilityOf(holder) };
    await trx
      .insertInto("capability_aliases")
      .values({ ...scope, namespace, action, capability_id: id, created_at: clock.now() })
      .execute();
    await growRevision(trx, scope);
    return { kind: "added" };
  });
}

function renameCapability(
  { db, clock }: StoreContext,
  id: string,
  to: CapabilityName,
): Promise<RenameOutcome> {
  return db.transaction().execute(async (trx): Promise<RenameOutcome> => {
    await lockLibrary(trx);
    const live = await findLiveById(trx, id);
    if (live === undefined) return { kind: "missing" };
    const scope = { org: live.org, project: live.project };
    const holder = await findLive(trx, scope, to);
    // Its own name again: there is nothing to keep as an alias.
    if (holder?.id === id) return { kind: "renamed", capability: capabilityOf(live) };
    if (holder !== undefined) return { kind: "taken", capability: capabilityOf(holder) };
    await moveName(trx, live, to, clock.now());
    await growRevision(trx, scope);
    return { kind: "renamed", capability: await readCapability(trx, id) };
  });
}

async function moveName(
  trx: Transaction<Database>,
  live: CapabilityRow,
  to: CapabilityName,
  now: number,
): Promise<void> {
  const { org, project, namespace, action } = live;
  await removeAlias(trx, { org, project }, to);
  await trx
    .insertInto("capability_aliases")
    .values({ org, project, namespace, action, capability_id: live.id, created_at: now })
    .execute();
  await trx
    .updateTable("capabilities")
    .set({ namespace: to.namespace, action: to.action, updated_at: now })
    .where("id", "=", live.id)
    .execute();
}

/** A join, because two statements could see the current number of one moment and the versions of another. */
async function listCurrent(
  db: Kysely<Database>,
  scope: Scope,
  ids?: readonly string[],
): Promise<CurrentCapability[]> {
  // PostgreSQL knows no empty list.
  if (ids?.length === 0) return [];
  const rows = await db
    .selectFrom("capabilities")
    .innerJoin("capability_versions as current", (join) =>
      join
        .onRef("current.capability_id", "=", "capabilities.id")
        .onRef("current.version", "=", "capabilities.current_version"),
    )
    .selectAll("capabilities")
    .select([
      "current.capability_id",
      "current.version",
      "current.source",
      "current.source_hash",
      "current.short_hash",
      "current.input_schema",
      "current.output_schema",
      "current.tools_used",
      "current.from_run_id",
      // Both tables have these two names; what `selectAll` gives is the capability's.
      "current.author as version_author",
      "current.created_at as version_created_at",
    ])
    .where("capabilities.org", "=", scope.org)
    .where("capabilities.project", "=", scope.project)
    .where("capabilities.deleted_at", "is", null)
    .$if(ids !== undefined, (query) => query.where("capabilities.id", "in", ids ?? []))
    .orderBy("capabilities.namespace")
    .orderBy("capabilities.action")
    .execute();
  return rows.map((row) => ({
    capability: capabilityOf(row),
    version: {
      ...capabilityVersionOf(row),
      author: row.version_author,
      createdAt: row.version_created_at,
    },
  }));
}

async function listKeys(db: Kysely<Database>, scope: Scope): Promise<CapabilityKey[]> {
  const rows = await db
    .selectFrom("capabilities")
    .select(["id", "namespace", "action", "current_version", "updated_at", "listed"])
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where("deleted_at", "is", null)
    .orderBy("namespace")
    .orderBy("action")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    namespace: row.namespace,
    action: row.action,
    currentVersion: row.current_version,
    updatedAt: row.updated_at,
    isListed: row.listed === 1,
  }));
}
