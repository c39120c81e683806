/** The real gateway over a real store and a real sandbox, with sources in memory in place of servers. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { contextOf, type FixtureSource } from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { silentLog } from "../core/log.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { NO_SECRETS } from "../text/redactors.ts";
import type { CapabilityDraft, Store } from "../core/store.ts";
import { createDraftFolder } from "../library/draft-folder.ts";
import { createDrafts } from "../library/drafts.ts";
import { createCapabilitySaver } from "../library/save-capability.ts";
import { createLibrary } from "../library/library.ts";
import { createLibrarySource } from "../library/library-source.ts";
import { createCodeDirectory, createToolLookUp } from "../app/code-directory.ts";
import { createRegistry, type Registry } from "../registry/registry.ts";
import { createTraces } from "../runs/trace.ts";
import { createSourceFinder } from "../library/named-source.ts";
import { createRuns } from "../runs/runs.ts";
import { createCodeAnalysis } from "../sandbox/analysis/analysis.ts";
import { createArgumentCheck } from "../sandbox/schema/argument-check.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createTypeCheck } from "../sandbox/types/type-check.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { launch } from "../process/launch.ts";
import { createGateway } from "./whole-gateway.ts";
import type { Gateway } from "./gateway.ts";
import type { GatewayDeps } from "./gateway-deps.ts";
import { createHeldCalls } from "./held-calls.ts";
import { createSealedStates } from "./sealed-state.ts";
import { createTaskIds } from "./tasks/task-id.ts";
import type { ServerEvents } from "./server-events.ts";

/** In their order. */
export const META_TOOLS = [
  "browse_components",
  "list_library",
  "describe_workflow",
  "execute",
  "save_to_library",
];

export interface Rig {
  readonly gateway: Gateway;
  readonly registry: Registry;
  readonly store: Store;
  readonly draftsFolder: string;
  readonly call: (name: string, args?: JsonObject) => Promise<Record<string, unknown>>;
  /** A server that is configured later. */
  readonly addServer: (source: FixtureSource) => void;
  readonly removeServer: (id: string) => Promise<void>;
}

/** A workflow that needs no server. */
export const WORKFLOW = JSON.stringify({
  ir_version: "1.0",
  outputs: { sum: { source: "${add}" } },
  nodes: [{ id: "add", type: "code", params: { code: "return 1 + 1;" } }],
});

/** What runs code, shared by all rigs: it starts with the first run. */
export const bench = {
  sandbox: createSandbox({ launch, memoryMb: () => 64 }),
  analysis: createCodeAnalysis(),
  types: createTypeCheck(),
  args: createArgumentCheck(),
};
afterAll(() => Promise.all(Object.values(bench).map((part) => part.close())));
/** The calls that were refused because the config denies them. */
export const denied: string[] = [];

/** The real gateway over a real store, with sources in memory in place of servers. */
export async function openRig(...sources: FixtureSource[]): Promise<Rig> {
  const home = temporaryFolder();
  const draftsFolder = join(home, "drafts");
  const store = await openSqliteStore({ home });
  onTestFinished(() => store.close());
  mkdirSync(draftsFolder);
  const registry = createRegistry();
  const configured = new Set(sources.map(({ id }) => id));
  for (const source of sources) registry.add(source);
  onTestFinished(() => registry.close());
  const deps = depsOf({ store, registry, draftsFolder, servers: () => [...configured] });
  const gateway = createGateway({ ...deps, denied: (_context, tool) => void denied.push(tool) });
  const call = async (name: string, args: JsonObject = {}) => {
    const answer = await gateway.callTool(name, args);
    expect(answer.content).toEqual([{ type: "text", text: JSON.stringify(answer.structuredContent) }]);
    return { isError: answer.isError ?? false, ...answer.structuredContent };
  };
  const addServer = (source: FixtureSource): void => {
    registry.add(source);
    configured.add(source.id);
  };
  const removeServer = async (id: string): Promise<void> => {
    configured.delete(id);
    await registry.remove(id);
  };
  return { gateway, registry, store, draftsFolder, call, addServer, removeServer };
}

interface TestDeps extends Pick<GatewayDeps, "registry" | "servers"> {
  readonly store: Store;
  readonly draftsFolder: string;
}

/** What a gateway is made of: real runs and a real library over a store, with the sources that the registry has. */
export function depsOf({ store, registry, draftsFolder, servers }: TestDeps): GatewayDeps {
  const scope = () => DEFAULT_SCOPE;
  const library = createLibrary(store.capabilities, scope);
  const drafts = createDrafts({ place: createDraftFolder(draftsFolder) });
  const named = createSourceFinder({ library, drafts, capabilities: store.capabilities });
  const liveName = (tool: string): string => source.liveName(tool);
  const capabilityId = (tool: string): string | undefined => source.idOf(tool);
  const freshenLibrary = async (): Promise<void> => {
    if (await source.lookForChanges()) await registry.refresh(source.id, contextOf());
  };
  const runs = createRuns({
    ...bench,
    store: store.runs,
    directory: createCodeDirectory({ registry, liveName, capabilityId, freshenLibrary, servers }),
    callTool: registry.call,
    nodes: [],
    findSource: (name) => named.find(name),
    findVersion: (id, version) => named.version(id, version),
    recordApproval: () => {},
    scope,
    limits: () => ({ timeoutMs: 30_000, memoryMb: 64, callsMax: 200, callsAtOnceMax: 16 }),
  });
  const lookUpTool = createToolLookUp({ registry, liveName, capabilityId, servers });
  const source = createLibrarySource({
    capabilities: store.capabilities,
    scope,
    runs,
    lookUpTool,
    changedTools: () => "warn",
  });
  registry.add(source, { isOwn: true });
  const states = createSealedStates({ store: store.seals });
  const heldCalls = createHeldCalls({ states });
  onTestFinished(() => heldCalls.close());
  return {
    registry,
    runs,
    library,
    drafts,
    lookUpTool,
    freshenLibrary,
    servers,
    traces: createTraces({ store: store.runs, scope, redactors: NO_SECRETS }),
    capabilitySaver: createCapabilitySaver({
      store,
      runs,
      scope,
      author: () => "ann",
      redactors: NO_SECRETS,
      record: () => {},
    }),
    isListed: (tool) => source.isListed(tool),
    checkContracts: (current) => source.checkContracts(current),
    effectSaid: ({ definition: { annotations } }) =>
      annotations?.readOnlyHint === true
        ? "read"
        : annotations?.destructiveHint === true
          ? "destroy"
          : undefined,
    configChanged: () => () => {},
    exposure: () => "lean",
    serverNotified: () => () => {},
    states,
    taskIds: createTaskIds(store.seals),
    heldCalls,
    denied: () => {},
    metaToolAnswered: () => {},
    version: "0",
    log: silentLog,
  };
}

/** Of servers that say nothing. */
export const noEvents: ServerEvents = { notified: () => () => {}, tell() {}, setLogLevel() {} };

/** Something kept. */
export const sum: CapabilityDraft = {
  scope: DEFAULT_SCOPE,
  namespace: "math",
  action: "sum",
  kind: "code",
  description: "Adds two numbers.",
  author: "ann",
  source: "return args.a + args.b;",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number", description: "The first." }, b: { type: "number", default: 1 } },
    required: ["a"],
  },
  outputSchema: { type: "number" },
  toolsUsed: [{ tool: "calc__add", hash: "abc" }],
};
