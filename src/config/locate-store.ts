/**
 * Where the store is, for a command that needs nothing else of the config: whatever else is wrong with it, such a command
 * works. Of a file that does not speak of a store only the text is read.
 */
import { readConfigText, trustedTexts, type ConfigText, type LoadOptions } from "./files/config-text.ts";
import type { Config } from "./config.ts";
import type { ConfigProblem } from "./problem.ts";
import { readStoreEnvironment } from "./store.ts";

/** What opening the store takes. */
export type StorePlace = Pick<Config, "home" | "store">;

export type StoreLocated =
  | ({ readonly ok: true; readonly secrets: readonly string[] } & StorePlace)
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

export async function locateStore(options: LoadOptions = {}): Promise<StoreLocated> {
  const text = readConfigText(options);
  const { env = process.env } = options;
  const { home } = text.location;
  const { url, problems } = readStoreEnvironment(env);
  // A variable for other replicas is none of this command's business.
  const isNamed = url !== undefined || problems.some(({ path }) => path.endsWith("DATABASE_URL"));
  if (!isNamed && !mentionsStore(text)) return { ok: true, home, store: OWN_FILE, secrets: [] };
  const { parseStoreText } = await import("./parse-store.ts");
  const parsed = parseStoreText(text, env);
  return parsed.ok ? { ...parsed, home } : parsed;
}

/** In the home; the numbers are for a database. */
const OWN_FILE: Config["store"] = { poolSize: 1, pooler: false, waitMs: 0 };

/** A key can be written with escapes. */
function mentionsStore(text: ConfigText): boolean {
  const hasUnread = text.files.some(({ trusted, problem }) => trusted && problem !== undefined);
  return hasUnread || trustedTexts(text).some((one) => /"store"|\\u/.test(one));
}
