import { canonicalJson, type JsonLimits, type JsonObject } from "../core/json.ts";
import type { ServerCache } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";
import { fromColumn } from "./json-column.ts";

/**
 * A server has at most 1,000 tools; the largest seen has 60 KB of schemas, and a hostile one is cut before it comes
 * here.
 */
const DEFINITIONS_LIMITS: JsonLimits = { depthMax: 64, keyCountMax: 1_000_000, bytesMax: 64 * 1024 * 1024 };

export function createServerCache({ db }: StoreContext): ServerCache {
  return {
    async put(entry) {
      const columns = {
        definitions: canonicalJson(entry.definitions, DEFINITIONS_LIMITS),
        hash: entry.hash,
        fetched_at: entry.fetchedAt,
        ttl_ms: entry.ttlMs,
      };
      await db
        .insertInto("server_cache")
        .values({ server: entry.server, ...columns })
        .onConflict((conflict) => conflict.column("server").doUpdateSet(columns))
        .execute();
    },
    async list() {
      const rows = await db.selectFrom("server_cache").selectAll().orderBy("server").execute();
      return rows.map((row) => ({
        server: row.server,
        definitions: fromColumn(row.definitions) as JsonObject,
        hash: row.hash,
        fetchedAt: row.fetched_at,
        ttlMs: row.ttl_ms,
      }));
    },
    async remove(server) {
      await db.deleteFrom("server_cache").where("server", "=", server).execute();
    },
  };
}
