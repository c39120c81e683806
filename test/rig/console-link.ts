/** A way into the console of a gateway, without its command line. */
import { createConsoleSessions } from "../../src/server/auth/console-session.ts";
import { openHomeTokens } from "../../src/server/auth/tokens.testkit.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

export interface ConsolePlace {
  readonly home: string;
  /** Of the MCP endpoint. */
  readonly url: URL;
}

/** A one-time link, as `repertoire console` makes it. */
export async function linkTo({ home, url }: ConsolePlace, token = "default"): Promise<string> {
  const store = await openSqliteStore({ home });
  try {
    const entry = openHomeTokens(home).find(token);
    if (!entry.success) throw new Error(entry.error.message);
    const { profiles, hash } = entry.data;
    const sessions = createConsoleSessions(store.seals, { now: Date.now });
    const { link } = await sessions.makeLink({ digest: hash, profile: profiles?.[0] ?? null });
    return new URL(`/console#link=${link}`, url).href;
  } finally {
    await store.close();
  }
}
