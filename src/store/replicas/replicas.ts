/**
 * The processes that own runs on a database of several machines. A row's time is the database's, so that their clocks
 * need not agree. `seen_at` 0 says that the process has left by itself: its row stays for as long as a run names it.
 */
import { sql, type RawBuilder } from "kysely";
import { DEAD_AFTER_MS, type ReplicaStore, type SeenReplica } from "../../core/replica-store.ts";
import type { StoreContext } from "../backend.ts";
import type { ReplicaRow } from "../database.ts";
import { SUMMARY_COLUMNS, summaryOf } from "../runs/run-rows.ts";

/** The time of a replica that has left. */
export const LEFT_AT = 0;
/** Long after everything that it left behind was taken over. */
const UNSEEN_MS = 60 * 60_000;
/** Part of the text, so that the index of running runs is used. */
const RUNNING = sql.lit("running" as const);

export function createReplicaStore(context: StoreContext): ReplicaStore {
  const { db, isShared } = context;
  const select = () =>
    db
      .selectFrom("replicas")
      .selectAll()
      .select(sql<number>`${context.databaseNow} - replicas.seen_at`.as("age_ms"));
  return {
    isShared,
    async beat({ id, owner, place, url, version, isDraining }) {
      const now = context.databaseNow;
      const said = { owner, place, url, version, draining: isDraining ? 1 : 0, seen_at: now };
      await db
        .insertInto("replicas")
        .values({ id, ...said, started_at: now })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(said))
        .execute();
    },
    async leave(id) {
      await db.updateTable("replicas").set({ seen_at: LEFT_AT }).where("id", "=", id).execute();
      await removeUnseen(context, id);
    },
    async list() {
      const rows = await select()
        .where("seen_at", ">", ago(context, UNSEEN_MS))
        .orderBy("started_at", "desc")
        .orderBy("id")
        .execute();
      return rows.map(replicaOf);
    },
    async find(id) {
      const row = await select().where("id", "=", id).executeTakeFirst();
      return row === undefined ? undefined : replicaOf(row);
    },
    async ages() {
      const rows = await select().execute();
      return new Map(rows.map(({ owner, age_ms: ageMs }) => [owner, ageMs]));
    },
    async listAbandoned(limit) {
      const rows = await db
        .selectFrom("runs")
        .leftJoin("replicas", "replicas.owner", "runs.lease_owner")
        .select(SUMMARY_COLUMNS.map((column) => `runs.${column}` as const))
        .where("runs.status", "=", RUNNING)
        .where((eb) =>
          eb.or([
            eb("replicas.seen_at", "<=", ago(context, DEAD_AFTER_MS)),
            eb.and([eb("replicas.owner", "is", null), eb("runs.lease_until", "<=", context.databaseNow)]),
          ]),
        )
        .orderBy("runs.id")
        .limit(limit)
        .execute();
      return rows.map(summaryOf);
    },
    removeUnseen: () => removeUnseen(context),
  };
}

/** An instant so long before now, by the database's clock. */
export function ago({ databaseNow }: Pick<StoreContext, "databaseNow">, ms: number): RawBuilder<number> {
  return sql<number>`${databaseNow} - ${ms}`;
}

/** While a run names the owner, its row says that the owner is dead: without it, only the lease would. */
async function removeUnseen(context: StoreContext, id?: string): Promise<void> {
  const query = context.db
    .deleteFrom("replicas")
    .where("seen_at", "<=", ago(context, UNSEEN_MS))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("runs")
            .select("runs.id")
            .whereRef("runs.lease_owner", "=", "replicas.owner")
            .where("runs.status", "=", RUNNING),
        ),
      ),
    );
  await (id === undefined ? query : query.where("id", "=", id)).execute();
}

function replicaOf(row: ReplicaRow & { readonly age_ms: number }): SeenReplica {
  const { id, owner, place, url, version, draining, started_at: startedAt, age_ms: ageMs } = row;
  return { id, owner, place, url, version, isDraining: draining === 1, startedAt, ageMs };
}
