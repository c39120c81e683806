import { openStore } from "../app/app.ts";
import { locateConfig } from "../config/locate.ts";
import type { Store } from "../core/store.ts";
import type { GlobalOptions } from "./global-options.ts";

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
