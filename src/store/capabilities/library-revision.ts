/**
 * The one row that every change of the library touches. Locking it first makes changes wait for each other on
 * PostgreSQL, where transactions would otherwise run side by side; on SQLite the transaction already has the write
 * lock.
 */
import type { Kysely, Transaction, ExpressionBuilder } from "kysely";
import type { Scope } from "../../core/names.ts";
import type { Database } from "../database.ts";
import { LISTED_COUNT_MAX } from "../../core/store.ts";

/** An update that changes nothing is the row lock that both databases know. */
export async function lockLibrary(trx: Transaction<Database>): Promise<void> {
  await trx
    .updateTable("library_revision")
    .set((eb) => ({ revision: eb.ref("revision") }))
    .execute();
}

/** The last thing of a change: what is listed follows from the scope as it is now. */
export async function growRevision(trx: Transaction<Database>, scope: Scope): Promise<void> {
  await chooseListed(trx, scope);
  await trx
    .updateTable("library_revision")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .execute();
}

export async function readRevision(db: Kysely<Database>): Promise<number> {
  const row = await db.selectFrom("library_revision").select("revision").executeTakeFirstOrThrow();
  return row.revision;
}

/**
 * How many places are for those that were kept last, used or not: what was just kept is listed at once, and for a
 * while.
 */
const NEWEST_COUNT = 10;

/**
 * Marks as listed the newest of a scope and, in the places that are left, the most used; of equally used ones the
 * newer. The others are marked as not. One statement that writes only the rows that differ. `capabilities_most_used`
 * gives them by use, so that only those of equal use are compared.
 */
async function chooseListed(trx: Transaction<Database>, scope: Scope): Promise<void> {
  const { org, project } = scope;
  await trx
    .updateTable("capabilities")
    .set((eb) => ({ listed: eb(eb.val(1), "-", eb.ref("listed")) }))
    .where("org", "=", org)
    .where("project", "=", project)
    .where("deleted_at", "is", null)
    .where((eb) => {
      const newest = liveOf(eb, scope)
        .orderBy("other.updated_at", "desc")
        .orderBy("other.id", "desc")
        .limit(NEWEST_COUNT);
      const mostUsed = liveOf(eb, scope)
        .where("other.id", "not in", newest)
        .orderBy("other.usage_count", "desc")
        .orderBy("other.updated_at", "desc")
        .orderBy("other.id", "desc")
        .limit(LISTED_COUNT_MAX - NEWEST_COUNT);
      const chosen = eb.or([eb("id", "in", newest), eb("id", "in", mostUsed)]);
      return eb("listed", "!=", eb.case().when(chosen).then(1).else(0).end());
    })
    .execute();
}

function liveOf(eb: ExpressionBuilder<Database, "capabilities">, { org, project }: Scope) {
  return eb
    .selectFrom("capabilities as other")
    .select("other.id")
    .where("other.org", "=", org)
    .where("other.project", "=", project)
    .where("other.deleted_at", "is", null);
}
