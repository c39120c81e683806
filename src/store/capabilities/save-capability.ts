/**
 * Saving is one transaction that holds the library's lock: the name is looked up, the version number is the next one,
 * and its rows are written all or none. Savers of one name therefore get 1, 2, 3 … without a gap.
 */
import type { Transaction } from "kysely";
import { canonicalJson, hashText } from "../../core/json.ts";
import { shortHashOf } from "../../core/names.ts";
import type { CapabilityDraft, SaveOutcome, ToolUse } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { exampleColumnsOf, insertExample } from "./capability-examples.ts";
import {
  capabilityOf,
  capabilityVersionOf,
  findLive,
  readCapability,
  removeAlias,
} from "./capability-rows.ts";
import type { CapabilityRow, CapabilityVersionRow, Database } from "../database.ts";
import { toColumn, toRequiredColumn } from "../json-column.ts";
import { growRevision, lockLibrary } from "./library-revision.ts";

type PreparedVersion = Omit<CapabilityVersionRow, "capability_id" | "version" | "short_hash">;

export async function saveCapability(
  { db, clock, newId }: StoreContext,
  draft: CapabilityDraft,
): Promise<SaveOutcome> {
  // Before the transaction, because it may be large: other processes should not wait for our JSON.
  const example = exampleColumnsOf(draft.example);
  return db.transaction().execute(async (trx): Promise<SaveOutcome> => {
    await lockLibrary(trx);
    // The time is read under the lock, so that versions are as old as their numbers say.
    const now = clock.now();
    const live = await findLive(trx, draft.scope, draft);
    if (live !== undefined && draft.overwrite !== true)
      return { kind: "taken", capability: capabilityOf(live) };
    const capability =
      live === undefined
        ? await insertCapability(trx, draft, newId(), now)
        : await updateCapability(trx, draft, live, now);
    const version = await insertVersion(trx, capability, prepareVersion(draft, now));
    if (example !== undefined) await insertExample(trx, version, example);
    await growRevision(trx, draft.scope);
    return {
      kind: "saved",
      capability: await readCapability(trx, capability.id),
      version: capabilityVersionOf(version),
    };
  });
}

async function insertCapability(
  trx: Transaction<Database>,
  draft: CapabilityDraft,
  id: string,
  now: number,
): Promise<CapabilityRow> {
  await removeAlias(trx, draft.scope, draft);
  return trx
    .insertInto("capabilities")
    .values({
      id,
      org: draft.scope.org,
      project: draft.scope.project,
      namespace: draft.namespace,
      action: draft.action,
      kind: draft.kind,
      description: draft.description,
      tags: canonicalJson(draft.tags ?? []),
      visibility: draft.visibility ?? "private",
      author: draft.author,
      current_version: 1,
      usage_count: 0,
      success_count: 0,
      total_ms: 0,
      last_used_at: null,
      created_at: now,
      updated_at: now,
      deleted_at: null,
      listed: 1,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** What the draft leaves out stays as it was; the author of the capability is who made it first. */
async function updateCapability(
  trx: Transaction<Database>,
  draft: CapabilityDraft,
  live: CapabilityRow,
  now: number,
): Promise<CapabilityRow> {
  return trx
    .updateTable("capabilities")
    .set({
      kind: draft.kind,
      description: draft.description,
      tags: draft.tags === undefined ? live.tags : canonicalJson(draft.tags),
      visibility: draft.visibility ?? live.visibility,
      current_version: live.current_version + 1,
      updated_at: now,
    })
    .where("id", "=", live.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

function prepareVersion(draft: CapabilityDraft, now: number): PreparedVersion {
  return {
    source: draft.source,
    source_hash: hashText(draft.source),
    input_schema: canonicalJson(draft.inputSchema),
    output_schema: toColumn(draft.outputSchema),
    tools_used: toRequiredColumn((draft.toolsUsed ?? []).map(plainToolUseOf)),
    from_run_id: draft.fromRunId ?? null,
    author: draft.author,
    created_at: now,
  };
}

/** A field that is there but undefined is no JSON; it means the same as none. */
function plainToolUseOf({ tool, hash, definition, source }: ToolUse): ToolUse {
  return {
    tool,
    hash,
    ...(definition !== undefined && { definition }),
    ...(source !== undefined && { source }),
  };
}

async function insertVersion(
  trx: Transaction<Database>,
  capability: CapabilityRow,
  version: PreparedVersion,
): Promise<CapabilityVersionRow> {
  const others = await trx
    .selectFrom("capability_versions")
    .select("source_hash")
    .where("capability_id", "=", capability.id)
    .execute();
  return trx
    .insertInto("capability_versions")
    .values({
      ...version,
      capability_id: capability.id,
      version: capability.current_version,
      short_hash: shortHashOf(
        version.source_hash,
        others.map((other) => other.source_hash),
      ),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
