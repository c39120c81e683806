import { localActor, openStore } from "../app/app.ts";
import { locateConfig } from "../config/locate.ts";
import { messageOf } from "../core/errors.ts";
import type { AuditEntry, Store } from "../core/store.ts";
import type { GlobalOptions } from "./global-options.ts";
import { escapeLines, tell, yellow } from "./terminal/terminal.ts";

/** Uses the store alone: no server, no config, no gateway. */
export async function useStore<T>(options: GlobalOptions, use: (store: Store) => Promise<T>): Promise<T> {
  const { home } = locateConfig({ configPath: options.config, home: options.home });
  const store = await openStore(home);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
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
