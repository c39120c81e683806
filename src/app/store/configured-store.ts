/** The store that the config names: a PostgreSQL database, or a file of the home. */
import type { StorePlace } from "../../config/locate-store.ts";
import type { Store } from "../../core/store.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";

export async function openConfiguredStore(
  { home, store }: StorePlace,
  waitMs: number = store.waitMs,
): Promise<Store> {
  const { url, poolSize, pooler } = store;
  if (url === undefined) return openSqliteStore({ home });
  // A gateway on a file has no use for the driver.
  const { openPostgresStore } = await import("../../store/postgres/postgres-store.ts");
  return openPostgresStore({ url, poolSize, pooler, waitMs });
}
