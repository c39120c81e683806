/**
 * The composition root: a Config becomes a running gateway. This is the only file that knows every room; rooms meet
 * through what they are handed here.
 */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import type { Readable } from "node:stream";
import { createAuditTrail } from "./audit-trail.ts";
import {
  createCodeDirectory,
  createToolLookUp,
  declareCatalogue,
  type Declarations,
} from "./code-directory.ts";
import type { Config } from "./config/config.ts";
import type { ConfigSource } from "./config/source.ts";
import type { JsonObject } from "./core/json.ts";
import type { Log } from "./core/log.ts";
import { CAPABILITIES_ID, parseToolName } from "./core/names.ts";
import type { Output } from "./core/output.ts";
import { createRedactor } from "./core/redaction.ts";
import type { Store } from "./core/store.ts";
import type { ToolDefinition } from "./core/tool.ts";
import { createGateway, type Gateway } from "./gateway/gateway.ts";
import { createDrafts } from "./library/drafts.ts";
import { createExchange, type Exchange } from "./library/exchange.ts";
import { createKeeper } from "./library/keep.ts";
import { createCurator, type Curator } from "./library/curate.ts";
import { createLibrary, type Library } from "./library/library.ts";
import { createLibrarySource } from "./library/library-source.ts";
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

export interface App extends Exchange {
  readonly gateway: Gateway;
  readonly store: Store;
  readonly library: Library;
  /** Reads the library again where it has changed. */
  freshenLibrary(): Promise<void>;
  /** Changes and tests what was kept. */
  readonly curator: Curator;
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

const ownContext = () => ({ traceId: randomUUID(), signal: new AbortController().signal });

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
  const usable = () => usableServers(config.current());
  const freshenLibrary = async (): Promise<void> => {
    if (await kept.lookForChanges()) await registry.refresh(CAPABILITIES_ID, ownContext());
  };
  const runs = openRuns({
    config,
    store,
    registry,
    log,
    freshenLibrary,
    liveName: (tool) => kept.liveName(tool),
  });
  const lookUpTool = createToolLookUp(registry, (tool) => kept.liveName(tool));
  const kept = createLibrarySource({
    capabilities: store.capabilities,
    scope: () => config.current().scope,
    runs,
    lookUpTool,
    changedTools: () => config.current().library.changedTools,
  });
  registry.add(kept, { isOwn: true });
  const keeping = {
    store,
    runs,
    scope: () => config.current().scope,
    author: authorName,
    secrets: () => config.current().secrets,
    record: (action: string, subject: string, details: JsonObject) =>
      trail.recordChange(action, subject, details),
    redactor: () => createRedactor(config.current().secrets),
  };
  const library = createLibrary(store.capabilities, keeping.scope);
  const curator = createCurator({ ...keeping, library, servers: usable });
  const gateway = createGateway({
    registry,
    runs,
    lookUpTool,
    freshenLibrary,
    isListed: (tool) => kept.isListed(tool),
    checkContracts: (current) => kept.checkContracts(current),
    keeper: createKeeper(keeping),
    library,
    drafts: createDrafts(draftsFolder),
    servers: usable,
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
  return {
    gateway,
    store,
    library,
    freshenLibrary,
    curator,
    ...createExchange(library, curator),
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
      await freshenLibrary();
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

function openRuns(
  parts: Pick<AppParts, "config" | "log"> & {
    readonly store: Store;
    readonly registry: Registry;
    readonly freshenLibrary: () => Promise<void>;
    readonly liveName: (tool: string) => string;
  },
): Runs {
  const { config, store, registry, log, freshenLibrary, liveName } = parts;
  const limits = () => config.current().sandbox;
  return createRuns({
    store: store.runs,
    sandbox: createSandbox({ launch, memoryMb: () => limits().memoryMb }),
    analysis: createCodeAnalysis(),
    types: createTypeCheck(),
    args: createArgumentCheck(),
    directory: createCodeDirectory({
      registry,
      freshenLibrary,
      liveName,
      servers: () => usableServers(config.current()),
    }),
    callTool: registry.call,
    scope: () => config.current().scope,
    limits,
    log,
  });
}

/** Who keeps something: the user of this system, as it calls them. */
function authorName(): string {
  try {
    return userInfo().username;
  } catch {
    return "local";
  }
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
