/** Secrets of gateways that share a database. SQLite stands for it here: the store is one text for both. */
import { randomBytes, randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { silentLog } from "../core/log.ts";
import type { Store } from "../core/store.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { loadSecretKeys } from "./secret-key.ts";
import { openSealedSecrets, type SealedSecretsDeps } from "./sealed-secrets.ts";

export const newKey = (): string => randomBytes(32).toString("base64url");

/** Closed after the test. */
export async function openDatabase(home: string): Promise<Store> {
  const store = await openSqliteStore({ home, busyLimitMs: 60_000 });
  onTestFinished(() => store.close());
  return store;
}

export interface TestKeys {
  readonly key?: string;
  readonly previous?: string;
}

/** As one gateway has them. */
export function openSealed(
  store: Pick<Store, "secrets" | "locks">,
  { key, previous }: TestKeys,
  deps: Partial<SealedSecretsDeps> = {},
) {
  const env = {
    ...(key !== undefined && { REPERTOIRE_SECRET_KEY: key }),
    ...(previous !== undefined && { REPERTOIRE_SECRET_KEY_PREVIOUS: previous }),
  };
  const own = { rows: store.secrets, locks: store.locks, owner: randomUUID(), log: silentLog };
  return openSealedSecrets({ ...own, keys: loadSecretKeys(env), ...deps });
}
