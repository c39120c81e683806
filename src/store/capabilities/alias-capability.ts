import type { CapabilityName } from "../../core/names.ts";
import type { AliasOutcome } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import { capabilityOf, findByAnyName, findLiveById } from "./capability-rows.ts";
import { growRevision, lockLibrary } from "./library-revision.ts";

export function aliasCapability(
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
