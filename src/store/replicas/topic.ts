/**
 * A row of `revisions` for each kind of state that processes read again when another has changed it. Locking it first makes
 * the changes of one topic follow each other on PostgreSQL; on SQLite the transaction already has the write lock.
 */
import type { Kysely, Transaction } from "kysely";
import type { Database } from "../database.ts";
import { growRevision, type Topic } from "./revisions.ts";

interface Changed<T> {
  readonly result: T;
  readonly isChanged: boolean;
}

/** Runs the work alone among those of this topic, in one transaction; the revision grows where it changed something. */
export function changeTopic<T>(
  db: Kysely<Database>,
  topic: Topic,
  work: (trx: Transaction<Database>) => Promise<Changed<T>>,
): Promise<T> {
  return db.transaction().execute(async (trx) => {
    // An update that changes nothing is the row lock that both databases know.
    await trx
      .updateTable("revisions")
      .set((eb) => ({ revision: eb.ref("revision") }))
      .where("topic", "=", topic)
      .execute();
    const { result, isChanged } = await work(trx);
    if (isChanged) await growRevision(trx, topic);
    return result;
  });
}
