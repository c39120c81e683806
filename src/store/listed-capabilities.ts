import type { Transaction } from "kysely";
import type { Scope } from "../core/names.ts";
import { LISTED_COUNT_MAX } from "../core/store.ts";
import type { Database } from "./database.ts";

/**
 * Marks the most used of a scope as listed, then by name, and the others as not. One statement that writes only the rows that
 * differ. `capabilities_most_used` has this very order, so that a large library is not sorted with every change.
 */
export async function chooseListed(trx: Transaction<Database>, { org, project }: Scope): Promise<void> {
  await trx
    .updateTable("capabilities")
    .set((eb) => ({ listed: eb(eb.val(1), "-", eb.ref("listed")) }))
    .where("org", "=", org)
    .where("project", "=", project)
    .where("deleted_at", "is", null)
    .where((eb) => {
      const chosen = eb
        .selectFrom("capabilities as other")
        .select("other.id")
        .where("other.org", "=", org)
        .where("other.project", "=", project)
        .where("other.deleted_at", "is", null)
        .orderBy("other.usage_count", "desc")
        .orderBy("other.namespace")
        .orderBy("other.action")
        .limit(LISTED_COUNT_MAX);
      return eb("listed", "!=", eb.case().when("id", "in", chosen).then(1).else(0).end());
    })
    .execute();
}
