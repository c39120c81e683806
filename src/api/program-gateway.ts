/**
 * The gateway as a program uses it. What callers without types pass, and what breaks inside, is answered and never
 * thrown.
 */
import { randomUUID } from "node:crypto";
import type { App } from "../app/app.ts";
import { messageOf, tellThrown } from "../core/errors.ts";
import { findJsonProblem, isJsonObject } from "../core/json.ts";
import type { RegistryEvent } from "../core/registry-event.ts";
import { fail, type ToolResult, succeed } from "../core/result.ts";
import type { ToolAnswer, ToolDefinition } from "../core/tool.ts";
import { errorAnswer, withTrace } from "../gateway/answer.ts";
import { toAnthropicTools } from "../registry/anthropic-tool.ts";
import { unwrapAnswer } from "../runs/unwrap.ts";
import type {
  CallOptions,
  Discovered,
  DiscoverOptions,
  Gateway,
  GatewayEventKind,
  GatewayEventOf,
  RegisteredResource,
  RegisteredServer,
  RegisteredTool,
} from "./public-gateway.ts";
import type { StaticTools } from "./static-tools.ts";

/** Longer than a server that is installed already takes to start and answer. */
const DISCOVER_WAIT_MS = 60_000;

const EVENT_KINDS: Readonly<Record<GatewayEventKind, true>> = {
  "capability.tool.registered": true,
  "capability.tool.updated": true,
  "capability.tool.removed": true,
  "capability.resource.registered": true,
  "capability.resource.updated": true,
  "capability.resource.removed": true,
  "capability.cache.updated": true,
  "capability.cache.invalidated": true,
};

export interface ProgramGatewayDeps {
  readonly app: App;
  readonly staticTools: StaticTools;
  /** Ends everything that was opened for the gateway. */
  readonly close: () => Promise<void>;
}

export function createProgramGateway({ app, staticTools, close: end }: ProgramGatewayDeps): Gateway {
  const { registry, gateway } = app;
  let closed: Promise<void> | undefined;
  const closing = new AbortController();
  const close = (): Promise<void> => {
    // Nothing else ends a static tool that waits.
    closing.abort();
    return (closed ??= end());
  };
  const servers = () => app.usableServers().map((id) => serverOf(id, registry.catalogue()));

  /** Fails once the gateway is closed, and where something breaks. */
  async function answered<T>(work: () => Promise<ToolResult<T>>): Promise<ToolResult<T>> {
    if (closed !== undefined) return fail("TOOL_UNAVAILABLE", "The gateway is closed.", { retryable: false });
    try {
      return await work();
    } catch (error) {
      return fail("TOOL_EXECUTION_FAILED", tellThrown(error) ?? `The gateway failed: ${messageOf(error)}`);
    }
  }

  async function read(server: string | undefined, options: DiscoverOptions | null, force: boolean) {
    if (force) await app.followConfig();
    const known = app.usableServers();
    if (server !== undefined && !known.includes(server)) {
      return fail("TOOL_NOT_FOUND", `There is no server ${JSON.stringify(server)}.`, {
        hint: `The servers are ${known.join(", ") || "none"}.`,
      });
    }
    const asked = server === undefined ? known : [server];
    const { waitMs = DISCOVER_WAIT_MS, ...call } = options ?? {};
    await registry.discover({ waitMs, servers: asked, force }, contextOf(call));
    return summarise(servers().filter(({ id }) => asked.includes(id)));
  }

  return {
    async listTools() {
      return [...(await app.listTools()), ...staticTools.definitions];
    },
    getToolDefinitions: () =>
      [...app.toolDefinitions(), ...toAnthropicTools(staticTools.definitions, [])].sort(byName),
    tools: (server) =>
      toolsOf(registry.catalogue(), staticTools).filter(
        (tool) => server === undefined || tool.server === server,
      ),
    findTool: (name) => staticTools.find(name) ?? routedTool(name, registry.route(name)),
    resources: (server) =>
      resourcesOf(registry.catalogue()).filter(
        (resource) => server === undefined || resource.server === server,
      ),
    readResource: (uri, options) =>
      answered(async () => {
        if (typeof uri !== "string")
          return fail("TOOL_INVALID_INPUT", "The URI of a resource must be a string.");
        return gateway.forward("resources/read", { uri }, contextOf(options));
      }),
    servers,
    async callTool(name, args = {}, options) {
      let context = contextOf();
      const result = await answered<ToolAnswer>(async () => {
        context = contextOf(options);
        const problem = findCallProblem(name, args);
        if (problem !== undefined) return problem;
        if (staticTools.find(name) === undefined) {
          return { success: true, data: await gateway.callTool(name, args, context) };
        }
        const signal = AbortSignal.any([context.signal, closing.signal]);
        return staticTools.call(name, args, { ...context, signal });
      });
      const answer = withTrace(result.success ? result.data : errorAnswer(result.error, true), context);
      return { ...unwrapAnswer(answer), answer };
    },
    discover: (server, options = {}) => answered<Discovered>(() => read(server, options, false)),
    refresh: (server, options = {}) => answered<Discovered>(() => read(server, options, true)),
    on(kind, listener) {
      if (!Object.hasOwn(EVENT_KINDS, kind)) {
        const kinds = Object.keys(EVENT_KINDS).join(", ");
        throw new TypeError(`There is no event ${kind}. The events are ${kinds}.`);
      }
      return registry.subscribe((event) => {
        // An error in a listener, now or later, does not reach the gateway.
        if (isOf(event, kind)) Promise.resolve(listener(event) as unknown).catch(() => {});
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Callers without types pass null for what they leave out. */
function contextOf(options?: CallOptions | null) {
  const { traceId = randomUUID(), signal, onProgress } = options ?? {};
  return {
    traceId,
    signal: signal ?? new AbortController().signal,
    onProgress,
  };
}

/** Callers without types pass anything. */
function findCallProblem(name: unknown, args: unknown): ToolResult<never> | undefined {
  if (typeof name !== "string")
    return fail("TOOL_INVALID_INPUT", "The name of a tool must be a string.", { field: "name" });
  if (!isJsonObject(args))
    return fail("TOOL_INVALID_INPUT", "The arguments of a tool must be an object.", { field: "args" });
  const problem = findJsonProblem(args);
  if (problem === undefined) return undefined;
  return fail("TOOL_INVALID_INPUT", `The arguments are refused: ${problem}.`, { field: "args" });
}

function isOf<Kind extends GatewayEventKind>(
  event: RegistryEvent,
  kind: Kind,
): event is GatewayEventOf<Kind> & RegistryEvent {
  return event.kind === kind;
}

// ── what is known of servers, tools and resources; nothing here starts or asks a server ─────────────────────────────

type KnownCatalogue = ReturnType<App["registry"]["catalogue"]>;
type FoundRoute = ReturnType<App["registry"]["route"]>;

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

function toolsOf({ components }: KnownCatalogue, { registered }: StaticTools): RegisteredTool[] {
  const others = components.map(({ name, source, definition }) => registerTool(name, source, definition));
  return [...registered, ...others].sort(byName);
}

function routedTool(name: string, route: FoundRoute): RegisteredTool | undefined {
  return route && registerTool(name, route.source.id, route.definition);
}

function registerTool(name: string, server: string, definition: ToolDefinition): RegisteredTool {
  return { name, server, originalName: definition.name, definition: { ...definition, name } };
}

function resourcesOf({ resources, resourceTemplates }: KnownCatalogue): RegisteredResource[] {
  const entryOf =
    (isTemplate: boolean) =>
    ({
      name: uri,
      source: server,
      original: originalUri,
      definition,
    }: KnownCatalogue["resources"][number]) => ({
      uri,
      isTemplate,
      server,
      originalUri,
      definition,
    });
  return [...resources.map(entryOf(false)), ...resourceTemplates.map(entryOf(true))];
}

function serverOf(id: string, catalogue: KnownCatalogue): RegisteredServer {
  const failure = catalogue.failed.find(({ source }) => source === id);
  const rejected = catalogue.rejected.filter(({ source }) => source === id);
  return {
    id,
    state: stateOf(id, catalogue),
    toolCount: catalogue.components.filter(({ source }) => source === id).length,
    ...(failure !== undefined && { error: { code: failure.code, message: failure.reason } }),
    rejected: rejected.map(({ code, kind, name, reason }) => ({ code, kind, name, reason })),
  };
}

function stateOf(id: string, { failed, pending, stale }: KnownCatalogue): RegisteredServer["state"] {
  if (failed.some(({ source }) => source === id)) return "failed";
  if (pending.includes(id)) return "pending";
  return stale.includes(id) ? "stale" : "ready";
}

/** One server that cannot be read is a failure, with all of them named; what the others have is there all the same. */
function summarise(asked: readonly RegisteredServer[]): ToolResult<Discovered> {
  const unread = asked.filter(({ state }) => state === "failed" || state === "pending");
  if (unread.length === 0)
    return succeed({ toolCount: asked.reduce((sum, { toolCount }) => sum + toolCount, 0) });
  const problems = unread.map(({ id, error }) => ({
    server: id,
    code: error?.code ?? "TOOL_UNAVAILABLE",
    message: error?.message ?? `The server ${id} has not answered yet.`,
  }));
  const message = problems.map((problem) => problem.message).join(" ");
  return fail(problems[0]!.code, message, { retryable: true, problems });
}
