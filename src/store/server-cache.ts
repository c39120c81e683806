/**
 * What servers listed, for the next process and for the others that run now: one row for each server and config.
 *
 * A put that brings another list grows the topic `servers` in its transaction, so that others take it over. One that
 * brings the same again writes two numbers and wakes nobody.
 */
import type { Transaction } from "kysely";
import { canonicalJson, type JsonLimits, type JsonObject } from "../core/json.ts";
import type { CachedServer, ServerCache } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import type { Database, ServerCacheRow } from "./database.ts";
import { fromColumn } from "./json-column.ts";
import { growRevision } from "./replicas/revisions.ts";

/**
 * A server has at most 1,000 tools; the largest seen has 60 KB of schemas, and a hostile one is cut before it comes
 * here.
 */
const DEFINITIONS_LIMITS: JsonLimits = { depthMax: 64, keyCountMax: 1_000_000, bytesMax: 64 * 1024 * 1024 };
/** Each edit of a server's config leaves one behind; more than so many gateways with different configs are not expected. */
const CONFIGS_KEPT_MAX = 8;

export function createServerCache({ db, lockRows }: StoreContext): ServerCache {
  /** Undefined where there is no row. */
  async function hashOf(trx: Transaction<Database>, entry: CachedServer): Promise<string | undefined> {
    const query = trx
      .selectFrom("server_cache")
      .select("hash")
      .where("server", "=", entry.server)
      .where("config_hash", "=", entry.configHash);
    return (await lockRows(query).executeTakeFirst())?.hash;
  }

  return {
    put: (entry) =>
      db.transaction().execute(async (trx) => {
        const before = await hashOf(trx, entry);
        if (before === entry.hash) return touch(trx, entry);
        await replace(trx, entry);
        if (before === undefined) await removeOldConfigs(trx, entry.server);
        await growRevision(trx, "servers");
      }),
    async list() {
      const rows = await db
        .selectFrom("server_cache")
        .selectAll()
        .orderBy("server")
        .orderBy("fetched_at")
        .execute();
      return rows.map(entryOf);
    },
    async find(server, configHash) {
      const row = await db
        .selectFrom("server_cache")
        .selectAll()
        .where("server", "=", server)
        .where("config_hash", "=", configHash)
        .executeTakeFirst();
      return row && entryOf(row);
    },
    async marks() {
      const rows = await db.selectFrom("server_cache").select(["server", "config_hash", "hash"]).execute();
      return rows.map(({ server, config_hash: configHash, hash }) => ({ server, configHash, hash }));
    },
    async remove(server) {
      await db.deleteFrom("server_cache").where("server", "=", server).execute();
    },
  };
}

async function touch(trx: Transaction<Database>, entry: CachedServer): Promise<void> {
  await trx
    .updateTable("server_cache")
    .set({ fetched_at: entry.fetchedAt, ttl_ms: entry.ttlMs })
    .where("server", "=", entry.server)
    .where("config_hash", "=", entry.configHash)
    .execute();
}

async function replace(trx: Transaction<Database>, entry: CachedServer): Promise<void> {
  const columns = {
    definitions: canonicalJson(entry.definitions, DEFINITIONS_LIMITS),
    hash: entry.hash,
    fetched_at: entry.fetchedAt,
    ttl_ms: entry.ttlMs,
  };
  await trx
    .insertInto("server_cache")
    .values({ server: entry.server, config_hash: entry.configHash, ...columns })
    .onConflict((conflict) => conflict.columns(["server", "config_hash"]).doUpdateSet(columns))
    .execute();
}

async function removeOldConfigs(trx: Transaction<Database>, server: string): Promise<void> {
  const rows = await trx
    .selectFrom("server_cache")
    .select("config_hash")
    .where("server", "=", server)
    .orderBy("fetched_at", "desc")
    .execute();
  const old = rows.slice(CONFIGS_KEPT_MAX).map(({ config_hash: hash }) => hash);
  if (old.length === 0) return;
  await trx.deleteFrom("server_cache").where("server", "=", server).where("config_hash", "in", old).execute();
}

function entryOf(row: ServerCacheRow): CachedServer {
  return {
    server: row.server,
    configHash: row.config_hash,
    definitions: fromColumn(row.definitions) as JsonObject,
    hash: row.hash,
    fetchedAt: row.fetched_at,
    ttlMs: row.ttl_ms,
  };
}
