import type { Kysely } from "kysely";
import type { JsonObject } from "../../core/json.ts";
import type { CapabilityName, Scope } from "../../core/names.ts";
import type { Capability, CapabilityVersion, ToolUse } from "../../core/store.ts";
import type { CapabilityRow, CapabilityVersionRow, Database } from "../database.ts";
import { fromColumn } from "../json-column.ts";

export function capabilityOf(row: CapabilityRow): Capability {
  return {
    id: row.id,
    scope: { org: row.org, project: row.project },
    namespace: row.namespace,
    action: row.action,
    kind: row.kind,
    description: row.description,
    tags: fromColumn(row.tags) as readonly string[],
    visibility: row.visibility,
    author: row.author,
    currentVersion: row.current_version,
    usageCount: row.usage_count,
    successCount: row.success_count,
    totalMs: row.total_ms,
    lastUsedAt: row.last_used_at,
    isListed: row.listed === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function capabilityVersionOf(row: CapabilityVersionRow): CapabilityVersion {
  return {
    capabilityId: row.capability_id,
    version: row.version,
    source: row.source,
    sourceHash: row.source_hash,
    shortHash: row.short_hash,
    inputSchema: fromColumn(row.input_schema) as JsonObject,
    outputSchema: fromColumn(row.output_schema) as JsonObject | null,
    toolsUsed: JSON.parse(row.tools_used) as ToolUse[],
    fromRunId: row.from_run_id,
    author: row.author,
    createdAt: row.created_at,
  };
}

export function findLive(
  db: Kysely<Database>,
  scope: Scope,
  name: CapabilityName,
): Promise<CapabilityRow | undefined> {
  return db
    .selectFrom("capabilities")
    .selectAll()
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where("namespace", "=", name.namespace)
    .where("action", "=", name.action)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

export function findLiveById(db: Kysely<Database>, id: string): Promise<CapabilityRow | undefined> {
  return db
    .selectFrom("capabilities")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

/** As it is at the end of a change, when what is listed has been chosen. */
export async function readCapability(db: Kysely<Database>, id: string): Promise<Capability> {
  return capabilityOf(
    await db.selectFrom("capabilities").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
  );
}

/**
 * By live name or alias, in one statement, so that a rename cannot hide it between two. No alias has the spelling of a
 * live name.
 */
export function findByAnyName(
  db: Kysely<Database>,
  scope: Scope,
  name: CapabilityName,
): Promise<CapabilityRow | undefined> {
  return db
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
}

/** An alias never shadows a live name, so taking a name removes the alias of that spelling. */
export async function removeAlias(db: Kysely<Database>, scope: Scope, name: CapabilityName): Promise<void> {
  await db
    .deleteFrom("capability_aliases")
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where("namespace", "=", name.namespace)
    .where("action", "=", name.action)
    .execute();
}
