import type { Transaction } from "kysely";
import type { CapabilityName } from "../../core/names.ts";
import type { RenameOutcome } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { capabilityOf, findLive, findLiveById, readCapability, removeAlias } from "./capability-rows.ts";
import type { CapabilityRow, Database } from "../database.ts";
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
