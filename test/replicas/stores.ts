/** Stores on one PostgreSQL, as replicas have them: each with connections of its own. */
import type { Store } from "../../src/core/store.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../../src/store/postgres/postgres-store.ts";
import { startFaultProxy, type PostgresProxy } from "../rig/fault-proxy.ts";
import type { Postgres } from "../rig/postgres.ts";

/** Gives up on a silent socket sooner than a gateway does: what is tried is that it does, not for how long it waits. */
const STATEMENT_MS = 2_000;

export interface Stand {
  readonly url: string;
  readonly stores: readonly [Store, Store, Store];
}

export interface ProxiedStand {
  readonly proxy: PostgresProxy;
  /** Through the proxy. */
  readonly faulty: Store;
  readonly beside: Store;
}

export function openStore(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  return openPostgresStore({ url, statementMs: STATEMENT_MS, ...options });
}

/** Three stores on a database of their own; all is gone when the work has ended. */
export async function withStores<T>(postgres: Postgres, work: (stand: Stand) => Promise<T>): Promise<T> {
  const url = await postgres.createDatabase();
  const stores = [await openStore(url), await openStore(url), await openStore(url)] as const;
  try {
    return await work({ url, stores });
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await postgres.dropDatabase(url);
  }
}

/** A store that loses what the proxy loses, and one that does not. */
export async function withProxy<T>(
  postgres: Postgres,
  options: Partial<PostgresStoreOptions>,
  work: (stand: ProxiedStand) => Promise<T>,
): Promise<T> {
  const url = await postgres.createDatabase();
  const beside = await openStore(url);
  const proxy = await startFaultProxy(postgres.port);
  const faulty = await openStore(proxy.urlOf(url), options);
  try {
    return await work({ proxy, faulty, beside });
  } finally {
    await Promise.all([faulty.close(), beside.close()]);
    proxy.close();
    await postgres.dropDatabase(url);
  }
}
