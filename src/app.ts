/**
 * The composition root: a Config becomes a running gateway. This is the only file that knows every room; rooms meet
 * through what they are handed here.
 */
import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { createAuditTrail } from "./audit-trail.ts";
import { createCodeDirectory, declareCatalogue, type Declarations } from "./code-directory.ts";
import type { Config } from "./config/config.ts";
import type { ConfigSource } from "./config/source.ts";
import type { Log } from "./core/log.ts";
import { parseToolName } from "./core/names.ts";
import type { Output } from "./core/output.ts";
import type { Store } from "./core/store.ts";
import type { ToolDefinition } from "./core/tool.ts";
import { createGateway, type Gateway } from "./gateway/gateway.ts";
import { createDrafts } from "./library/drafts.ts";
import { createLibrary } from "./library/library.ts";
import { createRegistry, type Registry } from "./registry/registry.ts";
import { createRuns, type Runs } from "./runs/runs.ts";
import { createCodeAnalysis } from "./sandbox/analysis.ts";
import { createArgumentCheck } from "./sandbox/argument-check.ts";
import { createSandbox } from "./sandbox/sandbox.ts";
import { createTypeCheck } from "./sandbox/type-check.ts";
import type { StdioConnection } from "./server/serve-stdio.ts";
import { createServers } from "./servers.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import { launch } from "./upstream/process/launch.ts";
import { viewServer, type ServerView } from "./server-view.ts";
import { VERSION } from "./version.ts";

export { checkSandbox, type SandboxCheck } from "./sandbox-check.ts";
export type { ServerView } from "./server-view.ts";

export interface App {
  readonly gateway: Gateway;
  readonly store: Store;
  /** Serves one client over a pair of streams. */
  connectStdio(input: Readable, output: Output): Promise<StdioConnection>;
  /** The configured servers as they are; with `start`, each is started and asked anew first. */
  viewServers(start: boolean): Promise<ServerView[]>;
  /** The definition of an upstream tool, asking its server where nothing is known of it yet. */
  findTool(name: string): Promise<ToolDefinition | undefined>;
  /** The TypeScript of what code can call, of all servers or of some, each asked where nothing is known of it yet. */
  declareTools(servers: readonly string[]): Promise<Declarations>;
  close(): Promise<void>;
}

export interface AppParts {
  readonly config: ConfigSource;
  readonly log: Log;
}

/** Longer than any server may take to start and answer. */
const VIEW_WAIT_MS = 60_000;

export async function openApp({ config, log }: AppParts): Promise<App> {
  const { home, draftsFolder } = config.current();
  const store = await openSqliteStore({ home });
  const registry = createRegistry({ cache: store.serverCache, log });
  const trail = createAuditTrail(store.audit, log);
  registry.subscribe((event) => trail.recordEvent(event));
  await registry.load();
  let connection: StdioConnection | undefined;
  const servers = createServers({
    registry,
    log,
    version: VERSION,
    client: () => connection?.client(),
    prefersModern: () => connection?.era() === "modern",
  });
  await servers.reconcile(config.current());
  const leave = config.subscribe((event) => {
    if (event.kind === "changed") void servers.reconcile(event.config);
  });
  const runs = openRuns(config, store, registry, log);
  const gateway = createGateway({
    registry,
    runs,
    library: createLibrary(store.capabilities, () => config.current().scope),
    drafts: createDrafts(draftsFolder),
    servers: () => usableServers(config.current()),
    configChanged: (listener) => onVisibleChange(config, listener),
    exposure: () => config.current().exposure,
    serverNotified: (listener) => servers.notified(listener),
    tellServers: (method, params) => servers.tell(method, params),
    setLogLevel: (level) => servers.setLogLevel(level),
    denied: (tool, details) => trail.recordDenial(tool, details),
    // Whoever looks for tools will run code next; a command that lists them will not.
    metaToolAnswered: () => connection !== undefined && runs.warm(),
    log,
  });
  const ownContext = () => ({ traceId: randomUUID(), signal: new AbortController().signal });
  return {
    gateway,
    store,
    async connectStdio(input, output) {
      const { connectStdio } = await import("./server/serve-stdio.ts");
      connection = connectStdio({ gateway, version: VERSION, log }, input, output);
      return connection;
    },
    async viewServers(start) {
      if (start) await registry.discover({ waitMs: VIEW_WAIT_MS, force: true }, ownContext());
      const catalogue = registry.catalogue();
      return config
        .current()
        .servers.map((server) => viewServer(server, servers.status(server.id), catalogue));
    },
    async findTool(name) {
      const parsed = parseToolName(name);
      if (parsed.kind !== "upstream") return undefined;
      const known = registry.resolve(name);
      if (known !== undefined) return known.definition;
      await registry.discover({ waitMs: VIEW_WAIT_MS, servers: [parsed.server] }, ownContext());
      return registry.resolve(name)?.definition;
    },
    async declareTools(chosen) {
      const wanted = chosen.length === 0 ? usableServers(config.current()) : chosen;
      const catalogue = await registry.discover({ waitMs: VIEW_WAIT_MS, servers: wanted }, ownContext());
      return declareCatalogue(catalogue, wanted, usableServers(config.current()));
    },
    async close() {
      leave();
      await runs.close();
      await registry.close();
      await trail.settle();
      await store.close();
    },
  };
}

function openRuns(config: ConfigSource, store: Store, registry: Registry, log: Log): Runs {
  const limits = () => config.current().sandbox;
  return createRuns({
    store: store.runs,
    sandbox: createSandbox({ launch, memoryMb: () => limits().memoryMb }),
    analysis: createCodeAnalysis(),
    types: createTypeCheck(),
    args: createArgumentCheck(),
    directory: createCodeDirectory({ registry, servers: () => usableServers(config.current()) }),
    callTool: registry.call,
    scope: () => config.current().scope,
    limits,
    log,
  });
}

function usableServers(config: Config): string[] {
  return config.servers.filter((server) => server.enabled && server.trusted).map((server) => server.id);
}

/** Only a change that clients can see is passed on: the servers that descriptions name, and what is listed. */
function onVisibleChange(config: ConfigSource, listener: () => void): () => void {
  const visible = (current: Config) => JSON.stringify([usableServers(current), current.exposure]);
  let last = visible(config.current());
  return config.subscribe((event) => {
    if (event.kind !== "changed") return;
    const next = visible(event.config);
    if (next === last) return;
    last = next;
    listener();
  });
}

/** Opens the store alone, for whoever wants to look at it without a gateway. */
export function openStore(home: string): Promise<Store> {
  return openSqliteStore({ home });
}
