/** When tokens were last used, as the store has it. */
import { join } from "node:path";
import type { Store } from "../core/store.ts";
import { isPresent } from "../store/sqlite/database-file.ts";
import { DATABASE_NAME } from "../store/sqlite/home.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";

/** In ms since 1970, by the name of the token. */
export type LastUses = ReadonlyMap<string, number>;

const NONE: LastUses = new Map();

export async function lastUsesOf(store: Store): Promise<LastUses> {
  return store.tokenUses.list();
}

/** The same for a command that needs no gateway. A list of tokens is worth showing without it, so it never throws. */
export async function readLastUses(home: string): Promise<LastUses> {
  if (!isPresent(join(home, DATABASE_NAME))) return NONE;
  try {
    const store = await openSqliteStore({ home });
    try {
      return await lastUsesOf(store);
    } finally {
      await store.close();
    }
  } catch {
    return NONE;
  }
}
