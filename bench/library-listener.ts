/** A client that hears when the list of tools has changed, and a hand that saves into the library it listens to. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ListToolsResultSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Store } from "../src/core/store.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { LibraryHome } from "./library-home.ts";

/** News that take longer are lost, and the bench should say so instead of waiting on. */
const NEWS_MS_MAX = 10_000;

/** The library is looked at so often by each gateway. */
export const LOOK_MS = 400;

export interface Listener {
  readonly client: Client;
  /** Reads the list, as clients do: only what they have not seen is news. */
  readonly list: () => Promise<void>;
  /** Resolves with the next `list_changed`. */
  readonly news: () => Promise<void>;
}

export async function withListener(
  { serveArgs, home }: LibraryHome,
  run: (listener: Listener, store: Store) => Promise<void>,
): Promise<void> {
  const store = await openSqliteStore({ home });
  const listener = await openListener(serveArgs);
  try {
    await listener.list();
    await run(listener, store);
  } finally {
    await listener.client.close();
    await store.close();
  }
}

async function openListener(args: readonly string[]): Promise<Listener> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  let hear: () => void = () => {};
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => hear());
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "inherit" }),
  );
  return {
    client,
    // Not `listTools`, which compiles the schema of every tool and holds up the clock.
    list: async () => void (await client.request({ method: "tools/list" }, ListToolsResultSchema)),
    news() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const late = () => reject(new Error(`no list_changed within ${NEWS_MS_MAX} ms of a save`));
      const timer = setTimeout(late, NEWS_MS_MAX);
      hear = () => {
        clearTimeout(timer);
        resolve();
      };
      return promise;
    },
  };
}
