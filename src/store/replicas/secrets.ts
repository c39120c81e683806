/** Secrets as they were sealed, and the locks under which they are obtained again. */
import { sql } from "kysely";
import {
  DEAD_AFTER_MS,
  type LockStore,
  type SealedSecret,
  type SecretRows,
} from "../../core/replica-store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database } from "../database.ts";
import { changeTopic } from "./topic.ts";

export function createSecretRows({ db, clock }: StoreContext): SecretRows {
  return {
    async get(name) {
      const row = await db.selectFrom("secrets").selectAll().where("name", "=", name).executeTakeFirst();
      return row === undefined ? undefined : secretOf(row);
    },
    put: ({ name, sealed, keyId }) =>
      changeTopic(db, "secrets", async (trx) => {
        const columns = { sealed, key_id: keyId, updated_at: clock.now() };
        await trx
          .insertInto("secrets")
          .values({ name, ...columns })
          .onConflict((conflict) => conflict.column("name").doUpdateSet(columns))
          .execute();
        return { result: undefined, isChanged: true };
      }),
    async replace(before, { sealed, keyId }) {
      const { numUpdatedRows } = await db
        .updateTable("secrets")
        .set({ sealed, key_id: keyId })
        .where("name", "=", before.name)
        .where("sealed", "=", before.sealed)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    delete: (name) =>
      changeTopic(db, "secrets", async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("secrets")
          .where("name", "=", name)
          .executeTakeFirst();
        return { result: numDeletedRows > 0n, isChanged: numDeletedRows > 0n };
      }),
    async list(prefix) {
      const rows = await db
        .selectFrom("secrets")
        .selectAll()
        .where("name", ">=", prefix)
        .orderBy("name")
        .execute();
      return rows.filter(({ name }) => name.startsWith(prefix)).map(secretOf);
    },
  };
}

function secretOf({ name, sealed, key_id: keyId }: Database["secrets"]): SealedSecret {
  return { name, sealed, keyId };
}

/**
 * A lock is a row: who holds it, and until when. It is taken by one statement, which on a conflict looks at the row as it is
 * after the other has committed. A holder that was killed renews nothing, and its row is free when its time is over.
 */
export function createLockStore(context: StoreContext): LockStore {
  const { db } = context;
  const endOf = (ms: number) => sql<number>`${context.databaseNow} + ${ms}`;

  /** Dead is an owner whose row is old. One without a row does not beat, and lives for as long as it has asked for. */
  const isDead = () => sql<boolean>`exists (
    select 1 from replicas
    where replicas.owner = locks.owner and replicas.seen_at <= ${context.databaseNow} - ${DEAD_AFTER_MS})`;

  return {
    async take(name, owner, ms, { fromDead = false } = {}) {
      const taken = await db
        .insertInto("locks")
        .values({ name, owner, until: endOf(ms) })
        .onConflict((conflict) =>
          conflict
            .column("name")
            .doUpdateSet({ owner, until: endOf(ms) })
            .where((eb) =>
              eb.or([
                eb("locks.owner", "=", owner),
                eb("locks.until", "<=", context.databaseNow),
                ...(fromDead ? [isDead()] : []),
              ]),
            ),
        )
        .returning("name")
        .executeTakeFirst();
      return taken !== undefined;
    },
    async renew(name, owner, ms) {
      const { numUpdatedRows } = await db
        .updateTable("locks")
        .set({ until: endOf(ms) })
        .where("name", "=", name)
        .where("owner", "=", owner)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async release(name, owner) {
      await db.deleteFrom("locks").where("name", "=", name).where("owner", "=", owner).execute();
    },
  };
}
