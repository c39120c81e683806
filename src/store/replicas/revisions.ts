/**
 * How often each topic has changed. The library and the pins have rows of their own, which their changes lock; all other
 * topics share a table.
 */
import { sql, type Transaction } from "kysely";
import { REVISION_TOPICS, type RevisionStore, type RevisionTopic } from "../../core/replica-store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database } from "../database.ts";

type Revisions = Record<RevisionTopic, number>;
/** The library and the pins have rows of their own. */
export type Topic = Exclude<RevisionTopic, "library" | "pins">;

export function createRevisionStore({ db }: Pick<StoreContext, "db">): RevisionStore {
  return {
    async read() {
      const rows = await db
        .selectFrom("library_revision")
        .select([sql.lit("library").as("topic"), "revision"])
        .unionAll(db.selectFrom("pin_revision").select([sql.lit("pins").as("topic"), "revision"]))
        .unionAll(db.selectFrom("revisions").select(["topic", "revision"]))
        .execute();
      const found = new Map<string, number>(rows.map(({ topic, revision }) => [topic, revision]));
      return Object.fromEntries(REVISION_TOPICS.map((topic) => [topic, found.get(topic) ?? 0])) as Revisions;
    },
  };
}

/** In the transaction of the change, so that who sees the number sees the change. It also makes such changes wait for each other. */
export async function growRevision(trx: Transaction<Database>, topic: Topic): Promise<void> {
  await trx
    .updateTable("revisions")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("topic", "=", topic)
    .execute();
}
