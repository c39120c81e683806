import type { Kysely } from "kysely";
import type { Scope } from "../../core/names.ts";
import type { CapabilityKey, CurrentCapability } from "../../core/store.ts";
import { capabilityOf, capabilityVersionOf } from "./capability-rows.ts";
import type { Database } from "../database.ts";

/** A join, because two statements could see the current number of one moment and the versions of another. */
export async function listCurrent(
  db: Kysely<Database>,
  scope: Scope,
  ids?: readonly string[],
): Promise<CurrentCapability[]> {
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

export async function listKeys(db: Kysely<Database>, scope: Scope): Promise<CapabilityKey[]> {
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
