/** Wishes to end a run, for the process that owns it: it alone knows what is under way. */
import type { RunStore } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";

export function createCancelRequests({
  db,
}: StoreContext): Pick<RunStore, "requestCancel" | "cancelRequests"> {
  return {
    async requestCancel(runId, by) {
      const { numUpdatedRows } = await db
        .updateTable("runs")
        .set((eb) => ({ cancel_by: eb.fn.coalesce("cancel_by", eb.val(by)) }))
        .where("id", "=", runId)
        .where("status", "=", "running")
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async cancelRequests(owner) {
      const rows = await db
        .selectFrom("runs")
        .select(["id", "cancel_by"])
        .where("lease_owner", "=", owner)
        .where("cancel_by", "is not", null)
        .where("status", "=", "running")
        .execute();
      return rows.map(({ id, cancel_by: by }) => ({ runId: id, by: by! }));
    },
  };
}
