import { localActor, openConfiguredStore, openTokensOf, type Tokens } from "../app/app.ts";
import { locateStore, type StorePlace } from "../config/locate-store.ts";
import { messageOf } from "../core/errors.ts";
import type { AuditEntry, Store } from "../core/store.ts";
import { configError } from "../operator/servers/config-change.ts";
import type { GlobalOptions } from "./global-options.ts";
import { escapeLines, tell, yellow } from "./terminal/terminal.ts";

/** Where the store is; throws where what the config says of it is not valid, whatever else may be wrong with it. */
export async function storePlaceOf(options: GlobalOptions): Promise<StorePlace> {
  const located = await locateStore({ configPath: options.config, home: options.home });
  if (!located.ok) throw configError(located.problems);
  return located;
}

/** Uses the store alone: no server, no gateway, and of the config only where the store is. */
export async function useStore<T>(options: GlobalOptions, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openConfiguredStore(await storePlaceOf(options));
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Uses the tokens alone. The store is opened where they are in it. */
export async function useTokens<T>(options: GlobalOptions, use: (tokens: Tokens) => Promise<T>): Promise<T> {
  const { home, store: where } = await storePlaceOf(options);
  if (where.url === undefined) return use(openTokensOf({ home }));
  return useStore(options, (store) => use(openTokensOf({ home, store })));
}

/**
 * Puts on the audit trail what the person at this machine has done. It is done: where the trail cannot be written, the
 * person is told, and that is all.
 */
export async function auditChange(
  options: GlobalOptions,
  entry: Pick<AuditEntry, "action" | "subject"> & Partial<Pick<AuditEntry, "details">>,
): Promise<void> {
  try {
    await useStore(options, ({ audit }) => audit.append({ actor: localActor(), details: {}, ...entry }));
  } catch (error) {
    tell(`${yellow("warning")} this is not on the audit trail: ${escapeLines(messageOf(error))}`);
  }
}
