import type { Transaction } from "kysely";
import type { CapabilityName } from "../core/names.ts";
import type { RenameOutcome } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import { capabilityOf, findLive, removeAlias } from "./capability-rows.ts";
import type { CapabilityRow, Database } from "./database.ts";
import { growRevision, lockLibrary } from "./library-revision.ts";

export function renameCapability(
  { db, clock }: StoreContext,
  id: string,
  to: CapabilityName,
): Promise<RenameOutcome> {
  return db.transaction().execute(async (trx): Promise<RenameOutcome> => {
    await lockLibrary(trx);
    const live = await findLiveById(trx, id);
    if (live === undefined) return { kind: "missing" };
    const holder = await findLive(trx, { org: live.org, project: live.project }, to);
    // Its own name again: there is nothing to keep as an alias.
    if (holder?.id === id) return { kind: "renamed", capability: capabilityOf(live) };
    if (holder !== undefined) return { kind: "taken", capability: capabilityOf(holder) };
    const renamed = await moveName(trx, live, to, clock.now());
    await growRevision(trx);
    return { kind: "renamed", capability: capabilityOf(renamed) };
  });
}

function findLiveById(trx: Transaction<Database>, id: string): Promise<CapabilityRow | undefined> {
  return trx
    .selectFrom("capabilities")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

async function moveName(
  trx: Transaction<Database>,
  live: CapabilityRow,
  to: CapabilityName,
  now: number,
): Promise<CapabilityRow> {
  const { org, project, namespace, action } = live;
  await removeAlias(trx, { org, project }, to);
  await trx
    .insertInto("capability_aliases")
    .values({ org, project, namespace, action, capability_id: live.id, created_at: now })
    .execute();
  return trx
    .updateTable("capabilities")
    .set({ namespace: to.namespace, action: to.action, updated_at: now })
    .where("id", "=", live.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}
