/**
 * The one row that every change of the library touches. Locking it first makes changes wait for each other on
 * PostgreSQL, where transactions would otherwise run side by side; on SQLite the transaction already has the write
 * lock.
 */
import type { Kysely, Transaction } from "kysely";
import type { Scope } from "../../core/names.ts";
import type { Database } from "../database.ts";
import { chooseListed } from "./listed-choice.ts";

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
