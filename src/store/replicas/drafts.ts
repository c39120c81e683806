import type { DraftStore, StoredDraft } from "../../core/replica-store.ts";
import type { StoreContext } from "../backend.ts";
import type { DraftRow } from "../database.ts";

export function createDraftStore({ db, clock }: StoreContext): DraftStore {
  return {
    async find(scope, name) {
      const row = await db
        .selectFrom("drafts")
        .select(["name", "kind", "text", "updated_at"])
        .where("org", "=", scope.org)
        .where("project", "=", scope.project)
        .where("name", "=", name)
        .executeTakeFirst();
      return row && { ...listedOf(row), text: row.text };
    },
    async list(scope) {
      const rows = await db
        .selectFrom("drafts")
        .select(["name", "kind", "updated_at"])
        .where("org", "=", scope.org)
        .where("project", "=", scope.project)
        .orderBy("updated_at", "desc")
        .orderBy("name")
        .execute();
      return rows.map(listedOf);
    },
    async put({ org, project }, { name, kind, text }) {
      const now = clock.now();
      await db
        .insertInto("drafts")
        .values({ org, project, name, kind, text, created_at: now, updated_at: now })
        .onConflict((conflict) => conflict.columns(["org", "project", "name"]).doNothing())
        .execute();
    },
    async remove(scope, name, text) {
      const { numDeletedRows } = await db
        .deleteFrom("drafts")
        .where("org", "=", scope.org)
        .where("project", "=", scope.project)
        .where("name", "=", name)
        .where("text", "=", text)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function listedOf({
  name,
  kind,
  updated_at: updatedAt,
}: Pick<DraftRow, "name" | "kind" | "updated_at">): Omit<StoredDraft, "text"> {
  return { name, kind, updatedAt };
}
