/**
 * The composition root: a Config becomes a running gateway. This is the only file that knows every room; rooms meet
 * through what they are handed here.
 */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import type { Readable } from "node:stream";
import { createAuditTrail } from "../telemetry/audit-trail.ts";
import {
  createCodeDirectory,
  createToolLookUp,
  declareCatalogue,
  type CodeDirectoryParts,
  type Declarations,
} from "./code-directory.ts";
import type { ConfigSource } from "../config/source.ts";
import { createEmbeddings } from "../search/embeddings/embeddings.ts";
import { createExperience } from "../search/experience.ts";
import type { JsonObject } from "../core/json.ts";
import { createKnownSecrets } from "../secrets/known-secrets.ts";
import type { ConfigurableLog } from "../telemetry/log.ts";
import { META_TOOL_NAMES } from "../core/meta-tool-names.ts";
import { CAPABILITIES_ID } from "../core/names.ts";
import type { Catalogue } from "../registry/catalogue.ts";
import type { Output } from "../process/output.ts";
import { findPlatformProblem } from "../process/platform.ts";
import { createRedactors } from "../text/redactors.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import { WHOLE_START_MS } from "../process/starting.ts";
import type { Store } from "../core/store.ts";
import type { CallContext, ToolDefinition } from "../core/tool.ts";
import { createGateway, type Gateway, type GatewayParts } from "../gateway/gateway.ts";
import { createReachFinder } from "../gateway/meta-tools/run-view.ts";
import { createHeldCalls } from "../gateway/held-calls.ts";
import { createSealedStates } from "../gateway/sealed-state.ts";
import { createDrafts } from "../library/drafts.ts";
import { createExchange, type Exchange } from "../library/exchange.ts";
import { createKeeper } from "../library/keep.ts";
import { createCurator, type Curator } from "../library/curate.ts";
import { createLibrary, type Library } from "../library/library.ts";
import { createLibrarySource } from "../library/library-source.ts";
import { createSourceFinder } from "../library/named-source.ts";
import { createNodeTypes } from "../nodes/node-types.ts";
import { systemAfter } from "../timing/pace.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import { createRuns, type Runs, type RunsParts } from "../runs/runs.ts";
import { createTraces, type Traces } from "../runs/trace.ts";
import { createCallsUnderWay } from "../runs/journal/under-way.ts";
import { createCodeAnalysis } from "../sandbox/analysis/analysis.ts";
import { createArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createTypeCheck } from "../sandbox/types/type-check.ts";
import type { HttpAddress, HttpFront } from "./http-front.ts";
import type { StdioConnection } from "../server/stdio/serve-stdio.ts";
import {
  explainAbsent,
  idleServers,
  nodePolicyOf,
  onVisibleChange,
  refuseProfile,
  usableServers,
} from "./config-view.ts";
import { createProfiles, type FindGateway } from "./profiles.ts";
import { createLogins, type Logins } from "../servers/logins.ts";
import { openSecretStore } from "../secrets/secrets.ts";
import { createServers } from "../servers/configured-servers.ts";
import { createTokenCounts } from "../gateway/token-counts.ts";
import { createTokenReports, type TokenReports } from "../gateway/token-report.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { launch } from "../process/launch.ts";
import { drawText } from "../workflows/drawing/text-drawing.ts";
import { openLive, readLive } from "./live.ts";
import { liveServerOf, viewServer, withGateways, withLatency, type ServerView } from "./server-view.ts";
import { VERSION } from "../core/version.ts";
import { openWatching } from "./watching.ts";

export { checkSandbox, type SandboxCheck } from "./sandbox-check.ts";
export { findProgramProblem, type ServerView, type ViewCause } from "./server-view.ts";
export { examineLive } from "./live.ts";
export { shortRunIds } from "../runs/resume/run-reference.ts";
export { openSecretStore } from "../secrets/secrets.ts";
export { copyDatabase } from "../store/sqlite/copy-database.ts";
export type { TokenReport } from "../gateway/token-report.ts";
export type { AuthorizationWay, LoginView, LogoutView } from "../servers/logins.ts";
export { openTokens, type ShownToken, type Tokens } from "../server/auth/tokens.ts";
export type { TokenEntry } from "../server/auth/token.ts";

export interface App extends Exchange, TokenReports {
  readonly gateway: Gateway;
  readonly registry: Registry;
  readonly store: Store;
  readonly library: Library;
  readonly runs: Runs;
  readonly traces: Traces;
  /** Reads the library again where it has changed. */
  freshenLibrary(): Promise<void>;
  /** Changes and tests what was kept. */
  readonly curator: Curator;
  /** Logs in to remote servers, and out of them. */
  readonly logins: Logins;
  /** Serves one client over a pair of streams. */
  connectStdio(input: Readable, output: Output, profile?: string): Promise<StdioConnection>;
  /** The gateway as a profile shows it; undefined where there is no such profile. */
  readonly gatewayFor: FindGateway;
  /** Serves many clients over HTTP. */
  listenHttp(address: HttpAddress, profile?: string): Promise<HttpFront>;
  /** The configured servers, or some, as they are; with `start`, each is started, asked anew and timed first. */
  viewServers(
    start: boolean,
    only?: readonly string[],
    /** Hears of each server that was started and asked, as it comes. */
    asked?: (id: string) => void,
  ): Promise<ServerView[]>;
  /** The ids of the servers that are enabled and trusted. */
  usableServers(): readonly string[];
  /** Takes over the config as it is on disk now; resolves when servers that are gone have ended. */
  followConfig(): Promise<void>;
  /** A tool by its exposed name, or why it cannot be called: unknown, denied, its server is not to be had. Nothing is called. */
  lookUpTool(name: string): Promise<ToolResult<ToolDefinition>>;
  /** What can be called, of all servers or of some, each asked where nothing is known of it yet; after `waitMs`, what is known. */
  findTools(options: FindTools): Promise<FoundTools>;
  /** The same from what is known already: no server is asked. */
  knownTools(): Promise<FoundTools>;
  /** Reads a workflow, looks up its node types and checks it; nothing runs. */
  checkWorkflow(text: string): Promise<ToolResult<CheckedWorkflow>>;
  /** Lets calls under way end and be recorded, and ends every run where it stands, to be resumed. */
  leave(): Promise<void>;
  /** The TypeScript of what code can call, of all servers or of some, each asked where nothing is known of it yet. */
  declareTools(servers: readonly string[]): Promise<Declarations>;
  close(): Promise<void>;
}

interface FindTools extends Pick<CallContext, "onProgress"> {
  readonly servers?: readonly string[];
  readonly waitMs: number;
}

/** Tools of servers, and what was kept, whose source is `CAPABILITIES_ID`. */
export interface FoundTools {
  readonly tools: Catalogue["components"];
  /** Servers that have not answered yet. */
  readonly pending: Catalogue["pending"];
  readonly failed: Catalogue["failed"];
}

/** A workflow that could run, and its plan as a drawing. */
interface CheckedWorkflow {
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  readonly nodeCount: number;
  readonly levels: readonly (readonly string[])[];
  /** What is doubtful in the code of its nodes. */
  readonly warnings: readonly string[];
  drawText(): string;
  drawSvg(): Promise<string>;
}

export interface AppParts {
  readonly config: ConfigSource;
  readonly log: ConfigurableLog;
  /** What the process is for, where that is to serve clients: what it does is then watched, and over HTTP counted. */
  readonly serves?: "stdio" | "http";
  /** Names of tools that the program has beside the meta-tools; they win over those of servers. */
  readonly staticNames?: readonly string[];
}

/** Longer than any server may take to start and answer without a sign of work. */
const VIEW_WAIT_MS = 130_000;
/** A server that is up answers sooner; one that does not is shown without a time. */
const PING_WAIT_MS = 5_000;

/** A call that is answered sooner is not told to other processes. */
const CALL_SHOWN_MS = 500;

const ownContext = () => ({ traceId: randomUUID(), signal: new AbortController().signal });

export async function openApp({ config, log, serves, staticNames = [] }: AppParts): Promise<App> {
  const platformProblem = findPlatformProblem();
  if (platformProblem !== undefined) log.warn("platform.unsupported", { problem: platformProblem });
  const { home, draftsFolder } = config.current();
  const knownSecrets = createKnownSecrets(() => config.current().secrets);
  const redactors = createRedactors(() => knownSecrets.all());
  const store = await openSqliteStore({ home });
  const watching = await openWatching({ config, log, serves });
  const scope = () => config.current().scope;
  const experience = createExperience({
    uses: store.pastUses,
    scope,
    learnt: (tools) => registry.learnt(tools),
    share: (tools, intent) => registry.shareIntent(tools, intent),
    log,
  });
  const embeddings = createEmbeddings({
    endpoint: () => config.current().search.embeddings,
    store: store.embeddings,
    log,
    after: systemAfter,
    version: VERSION,
  });
  // Nothing goes on starting once a command has ended, and a person can end it: it waits for the whole start.
  const startWaitMs = serves === undefined ? WHOLE_START_MS : undefined;
  const registry = createRegistry({
    startWaitMs,
    explainAbsent: (id) => explainAbsent(config.current(), id),
    cache: store.serverCache,
    log,
    reservedNames: [...META_TOOL_NAMES, ...staticNames],
    watch: watching.watchCall,
    suspicious: config.current().tools.suspicious,
    experienceOf: (tool) => experience.of(tool),
    meanings: embeddings,
  });
  const trail = createAuditTrail(store.audit, log, redactors);
  registry.subscribe((event) => trail.recordEvent(event));
  await registry.load();
  let connection: StdioConnection | undefined;
  let front: HttpFront | undefined;
  let isLeaving = false;
  const states = createSealedStates({ store: store.seals });
  const heldCalls = createHeldCalls({ states });
  const secrets = knownSecrets.watch(openSecretStore({ home }));
  const servers = createServers({
    startWaitMs,
    secrets,
    registry,
    log,
    version: VERSION,
    redactors,
    client: () => connection?.client(),
    modernCapabilities: () => connection?.modernCapabilities(),
    hasManyClients: () => serves === "http",
    // Over one modern line all modern clients can be asked; only a legacy line belongs to one client alone.
    prefersModern: () => serves === "http" || connection?.era() === "modern",
  });
  await servers.reconcile(config.current());
  const leave = config.subscribe((event) => {
    if (event.kind !== "changed") return;
    registry.screen(event.config.tools.suspicious);
    void servers.reconcile(event.config);
  });
  const usable = () => usableServers(config.current());
  const calls = createCallsUnderWay();
  const live = openLive({
    home,
    serves,
    servers: () =>
      config.current().servers.flatMap((server) => {
        const redactor = redactors.current();
        return liveServerOf(server, servers.status(server.id), (text) => redactor.text(text)) ?? [];
      }),
    calls: () => calls.list(CALL_SHOWN_MS),
  });
  const freshenLibrary = async (): Promise<void> => {
    if (await kept.lookForChanges()) await registry.refresh(CAPABILITIES_ID, ownContext());
  };
  const library = createLibrary(store.capabilities, scope);
  const drafts = createDrafts(draftsFolder, scope);
  const sources = createSourceFinder({ library, drafts, capabilities: store.capabilities });
  const nodes = createNodeTypes({
    policy: () => nodePolicyOf(config.current()),
    version: VERSION,
    startProcess: launch,
  });
  const keptNames = {
    liveName: (tool: string) => kept.liveName(tool),
    capabilityId: (tool: string) => kept.idOf(tool),
  };
  const runs = openRuns({
    config,
    store,
    registry,
    log,
    redactors,
    freshenLibrary,
    nodes,
    keptNames,
    findSource: (name) => sources.find(name),
    findVersion: (id, version) => sources.version(id, version),
    recordApproval: (runId, details) => trail.recordChange("run.approval", runId, details),
    person: authorName,
    runSucceeded: (tools, intent) => experience.noteRun(tools, intent),
    callBegun(call) {
      live.begin();
      return calls.begin(call);
    },
    ...watching,
  });
  const lookUpTool = createToolLookUp({ registry, servers: usable, ...keptNames });
  const kept = createLibrarySource({
    capabilities: store.capabilities,
    scope,
    runs,
    lookUpTool,
    changedTools: () => config.current().library.changedTools,
  });
  registry.add(kept, { isOwn: true });
  const keeping = {
    store,
    kept: (tool: string, intent: string) => experience.noteRun([tool], intent),
    runs,
    scope,
    author: authorName,
    redactors,
    record: (action: string, subject: string, details: JsonObject) =>
      trail.recordChange(action, subject, details),
  };
  const traces = createTraces({
    store: store.runs,
    scope,
    redactors,
    underWay: (runId) =>
      [
        ...calls.list(0),
        ...readLive(home).flatMap(({ pid, calls: made }) => (pid === process.pid ? [] : made)),
      ]
        .filter((call) => call.runId === runId)
        .toSorted((a, b) => a.seq - b.seq),
  });
  const curator = createCurator({
    ...keeping,
    library,
    servers: usable,
    hidesTools: () => config.current().servers.some(({ tools }) => tools.exceptCapabilities === true),
  });
  const toolTokens = createTokenCounts({ store, log });
  const gatewayParts: GatewayParts = {
    registry,
    runs,
    traces,
    findReach: createReachFinder({ runs: store.runs, capabilities: store.capabilities }),
    lookUpTool,
    freshenLibrary,
    freshenSearch: () => experience.freshen(),
    toolCalled: (tool) => experience.noteCall(tool),
    isListed: (tool) => kept.isListed(tool),
    checkContracts: (current) => kept.checkContracts(current),
    keeper: createKeeper(keeping),
    library,
    drafts,
    servers: usable,
    idle: () => idleServers(config.current()),
    configChanged: (listener) => onVisibleChange(config, listener),
    exposure: () => config.current().exposure,
    toolTokens,
    redactors,
    serverNotified: (listener) => servers.notified(listener),
    tellServers: (method, params, client) => servers.tell(method, params, client),
    setLogLevel: (level, client) => servers.setLogLevel(level, client),
    states,
    heldCalls,
    denied: (tool, details) => trail.recordDenial(tool, details),
    // Whoever looks for tools will run code next; a command that lists them will not.
    metaToolAnswered: () => (connection !== undefined || front !== undefined) && runs.warm(),
    version: VERSION,
    log,
  };
  const gatewayFor = createProfiles({
    config,
    core: createGateway(gatewayParts),
    parts: gatewayParts,
    redactors,
    tellServer: (server, method, params, client) => servers.tell(method, params, client, server),
  });
  return {
    gateway: gatewayFor(undefined)!.gateway,
    registry,
    gatewayFor,
    store,
    runs,
    traces,
    library,
    freshenLibrary,
    curator,
    logins: createLogins({
      config: () => config.current(),
      secrets,
      async countTools(server) {
        const options = { waitMs: VIEW_WAIT_MS, servers: [server], force: true };
        const { components, failed } = await registry.discover(options, ownContext());
        if (failed.some(({ source }) => source === server)) return undefined;
        return components.filter(({ source }) => source === server).length;
      },
    }),
    ...createExchange(library, curator, ownContext),
    ...createTokenReports({
      gateway: gatewayParts,
      counts: toolTokens,
      profiles: () => config.current().profiles,
    }),
    async connectStdio(input, output, profile) {
      const { connectStdio } = await import("../server/stdio/serve-stdio.ts");
      const found = gatewayFor(profile) ?? refuseProfile(profile, config.current());
      connection = connectStdio({ gateway: found.gateway, log, leave: () => runs.leave() }, input, output);
      return connection;
    },
    async listenHttp(address, profile) {
      const { openHttpFront } = await import("./http-front.ts");
      if (gatewayFor(profile) === undefined) refuseProfile(profile, config.current());
      front = await openHttpFront(
        {
          config,
          log,
          watching,
          openIssuerFetch: async (issuer) => {
            const { createGuardedFetch } = await import("../net/guarded-fetch.ts");
            return createGuardedFetch(issuer);
          },
          gatewayFor: (asked) => gatewayFor(asked ?? profile),
          profile,
          askStore: () =>
            store.check().catch((error: unknown) => {
              log.warn("store.check.failed", { error });
              throw error;
            }),
          isDraining: () => isLeaving,
          heldCallCount: () => heldCalls.heldCount(),
          runCount: () => runs.activeCount(),
          servers() {
            const { unusable } = idleServers(config.current());
            const stateOf = (id: string) =>
              unusable.includes(id) ? "unusable" : (servers.status(id)?.state ?? "idle");
            return usable().map((id) => ({ id, state: stateOf(id) }));
          },
        },
        address,
      );
      return front;
    },
    async viewServers(start, only, asked) {
      const { servers: configured } = config.current();
      const chosen = configured.filter(({ id }) => only?.includes(id) ?? true);
      const ids = chosen.map(({ id }) => id);
      const ask = async (some: readonly string[]): Promise<void> => {
        await registry.discover({ waitMs: VIEW_WAIT_MS, force: true, servers: some }, ownContext());
        for (const id of some) asked?.(id);
      };
      if (start) await (asked === undefined ? ask(ids) : Promise.all(ids.map((id) => ask([id]))));
      const catalogue = registry.catalogue();
      const redactor = redactors.current();
      const views = chosen.map((server) =>
        viewServer(server, servers.status(server.id), catalogue, (text) => redactor.text(text)),
      );
      if (!start) return withGateways(views, readLive(home));
      const timed = (view: ServerView) =>
        withLatency(view, (method) =>
          registry.request(
            view.id,
            method,
            {},
            { ...ownContext(), signal: AbortSignal.timeout(PING_WAIT_MS) },
          ),
        );
      return Promise.all(views.map(timed));
    },
    usableServers: usable,
    async followConfig() {
      await config.check();
      await servers.reconcile(config.current());
    },
    async lookUpTool(name) {
      const found = await registry.find(name, ownContext());
      return found.success ? succeed(found.data.definition) : found;
    },
    async findTools({ servers: chosen = usable(), waitMs, onProgress }) {
      await freshenLibrary();
      const wanted = [...chosen, CAPABILITIES_ID];
      const context = { ...ownContext(), ...(onProgress !== undefined && { onProgress }) };
      const catalogue = await registry.discover({ waitMs, servers: wanted }, context);
      return {
        tools: catalogue.components.filter(({ source }) => wanted.includes(source)),
        pending: catalogue.pending.filter((source) => wanted.includes(source)),
        failed: catalogue.failed.filter(({ source }) => wanted.includes(source)),
      };
    },
    async knownTools() {
      await freshenLibrary();
      const { components, pending, failed } = registry.catalogue();
      return { tools: components, pending, failed };
    },
    async declareTools(chosen) {
      await freshenLibrary();
      const wanted = chosen.length === 0 ? usableServers(config.current()) : chosen;
      const catalogue = await registry.discover({ waitMs: VIEW_WAIT_MS, servers: wanted }, ownContext());
      return declareCatalogue(catalogue, wanted, usableServers(config.current()));
    },
    leave() {
      isLeaving = true;
      return runs.leave();
    },
    async checkWorkflow(text) {
      const prepared = await runs.prepareWorkflow(text, undefined, ownContext());
      if (!prepared.success) return prepared;
      const { workflow, plan, inputSchema, outputSchema, warnings } = prepared.data;
      return succeed({
        warnings,
        inputSchema,
        outputSchema,
        nodeCount: workflow.nodes.length,
        levels: plan.levels,
        drawText: () => drawText(workflow, plan),
        async drawSvg() {
          const { drawSvg } = await import("../workflows/drawing/svg.ts");
          return drawSvg(workflow, plan);
        },
      });
    },
    async close() {
      leave();
      live.close();
      await runs.leave();
      await runs.close();
      heldCalls.close();
      await registry.close();
      await watching.close();
      await toolTokens.close();
      await embeddings.close();
      await experience.settle();
      await trail.settle();
      await store.close();
    },
  };
}

function openRuns(
  parts: Pick<AppParts, "config" | "log"> &
    Pick<
      RunsParts,
      | "nodes"
      | "findSource"
      | "findVersion"
      | "recordApproval"
      | "person"
      | "runSucceeded"
      | "callBegun"
      | "redactors"
    > & {
      readonly store: Store;
      readonly registry: Registry;
      readonly freshenLibrary: () => Promise<void>;
      readonly keptNames: Pick<CodeDirectoryParts, "liveName" | "capabilityId">;
    },
): Runs {
  const { config, store, registry, log, freshenLibrary, keptNames } = parts;
  const limits = () => config.current().sandbox;
  return createRuns({
    ...parts,
    store: store.runs,
    sandbox: createSandbox({ launch, memoryMb: () => limits().memoryMb }),
    analysis: createCodeAnalysis(),
    types: createTypeCheck({ launch }),
    args: createArgumentCheck(),
    directory: createCodeDirectory({
      registry,
      freshenLibrary,
      ...keptNames,
      servers: () => usableServers(config.current()),
      absent: () => {
        const { untrusted, disabled } = idleServers(config.current());
        return [...untrusted, ...disabled];
      },
      explainAbsent: (id) => explainAbsent(config.current(), id),
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

/** Opens the store alone, for whoever wants to look at it without a gateway. */
export function openStore(home: string): Promise<Store> {
  return openSqliteStore({ home });
}
