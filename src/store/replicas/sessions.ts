import type { JsonObject } from "../../core/json.ts";
import type { SessionStore, StoredSession } from "../../core/replica-store.ts";
import type { StoreContext } from "../backend.ts";
import type { SessionRow } from "../database.ts";
import { fromColumn, toRequiredColumn } from "../json-column.ts";

/** Hashes in one statement: both databases take thousands of parameters, and a replica has a thousand sessions. */
const TOUCHED_AT_ONCE = 500;

export function createSessionStore(context: StoreContext): SessionStore {
  const { db } = context;

  async function isAt(idHash: string, replica: string): Promise<boolean> {
    const row = await db
      .selectFrom("sessions")
      .select("replica")
      .where("id_hash", "=", idHash)
      .executeTakeFirst();
    return row?.replica === replica;
  }

  async function touchSome(replica: string, idHashes: readonly string[]): Promise<string[]> {
    const rows = await db
      .updateTable("sessions")
      .set({ seen_at: context.databaseNow })
      .where("replica", "=", replica)
      .where("id_hash", "in", idHashes)
      .returning("id_hash")
      .execute();
    const own = new Set(rows.map(({ id_hash }) => id_hash));
    return idHashes.filter((idHash) => !own.has(idHash));
  }

  return {
    async put(session) {
      const row = await db
        .insertInto("sessions")
        .values({ ...rowOf(session), created_at: context.databaseNow, seen_at: context.databaseNow })
        .onConflict((conflict) =>
          conflict
            .column("id_hash")
            .doUpdateSet({ settings: toRequiredColumn(session.settings), seen_at: context.databaseNow })
            .where("sessions.replica", "=", session.replica),
        )
        .returning("id_hash")
        .executeTakeFirst();
      return row !== undefined;
    },
    async find(idHash) {
      const row = await db
        .selectFrom("sessions")
        .selectAll()
        .where("id_hash", "=", idHash)
        .executeTakeFirst();
      return row && sessionOf(row);
    },
    adopt: (idHash, from, to) =>
      // Moved already counts where the answer to the first attempt was lost: only `to` itself writes its name there.
      context.attempt(async (count) => {
        const row = await db
          .updateTable("sessions")
          .set({ replica: to, seen_at: context.databaseNow })
          .where("id_hash", "=", idHash)
          .where("replica", "=", from)
          .returning("id_hash")
          .executeTakeFirst();
        return row !== undefined || (count > 1 && (await isAt(idHash, to)));
      }),
    async remove(idHash, replica) {
      await db.deleteFrom("sessions").where("id_hash", "=", idHash).where("replica", "=", replica).execute();
    },
    async touch(replica, idHashes) {
      const lost: string[] = [];
      // In one order, so that two that touch the same rows never wait for each other in a circle.
      const sorted = idHashes.toSorted();
      for (let at = 0; at < sorted.length; at += TOUCHED_AT_ONCE)
        lost.push(...(await touchSome(replica, sorted.slice(at, at + TOUCHED_AT_ONCE))));
      return lost;
    },
    async removeIdle(ms) {
      await db
        .deleteFrom("sessions")
        .where((eb) => eb("seen_at", "<", eb(context.databaseNow, "-", ms)))
        .execute();
    },
  };
}

function rowOf(session: StoredSession): Omit<SessionRow, "created_at" | "seen_at"> {
  return {
    id_hash: session.idHash,
    replica: session.replica,
    principal: session.principal,
    profile: session.profile,
    initialize: toRequiredColumn(session.initialize),
    session: session.session,
    settings: toRequiredColumn(session.settings),
  };
}

function sessionOf(row: SessionRow): StoredSession {
  return {
    idHash: row.id_hash,
    replica: row.replica,
    principal: row.principal,
    profile: row.profile,
    initialize: fromColumn(row.initialize) as JsonObject,
    session: row.session,
    settings: fromColumn(row.settings) as JsonObject,
  };
}
