/**
 * The composition root: a Config becomes a running gateway. This is the only file that knows every room; rooms meet
 * through what they are handed here.
 */
import type { Readable, Writable } from "node:stream";
import type { Config } from "./config/config.ts";
import type { ConfigSource } from "./config/source.ts";
import type { Log } from "./core/log.ts";
import type { Store } from "./core/store.ts";
import { createGateway, type Gateway } from "./gateway/gateway.ts";
import { createDrafts } from "./library/drafts.ts";
import { createLibrary } from "./library/library.ts";
import { createRegistry } from "./registry/registry.ts";
import type { StdioConnection } from "./server/serve-stdio.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import { VERSION } from "./version.ts";

export interface App {
  readonly gateway: Gateway;
  readonly store: Store;
  /** Serves one client over a pair of streams. */
  connectStdio(input: Readable, output: Writable): Promise<StdioConnection>;
  close(): Promise<void>;
}

export interface AppParts {
  readonly config: ConfigSource;
  readonly log: Log;
}

export async function openApp({ config, log }: AppParts): Promise<App> {
  const { home, draftsFolder } = config.current();
  const store = await openSqliteStore({ home });
  const registry = createRegistry();
  const library = createLibrary(store.capabilities, () => config.current().scope);
  const gateway = createGateway({
    registry,
    library,
    drafts: createDrafts(draftsFolder),
    servers: () => enabledServers(config.current()),
    waiting: () => enabledServers(config.current()),
    serversChanged: (listener) => onServersChanged(config, listener),
    log,
  });
  return {
    gateway,
    store,
    async connectStdio(input, output) {
      const { connectStdio } = await import("./server/serve-stdio.ts");
      return connectStdio({ gateway, version: VERSION, log }, input, output);
    },
    async close() {
      await registry.close();
      await store.close();
    },
  };
}

function enabledServers(config: Config): string[] {
  return config.servers.filter((server) => server.enabled && server.trusted).map((server) => server.id);
}

/** Only a change that clients can see is passed on. */
function onServersChanged(config: ConfigSource, listener: () => void): () => void {
  let last = enabledServers(config.current()).join();
  return config.subscribe((event) => {
    if (event.kind !== "changed") return;
    const next = enabledServers(event.config).join();
    if (next === last) return;
    last = next;
    listener();
  });
}

/** Opens the store alone, for whoever wants to look at it without a gateway. */
export function openStore(home: string): Promise<Store> {
  return openSqliteStore({ home });
}
