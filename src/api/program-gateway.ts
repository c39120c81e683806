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
import type { ToolAnswer } from "../core/tool.ts";
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
  Invalidated,
} from "./public-gateway.ts";
import { byName, createKnownEntries } from "./known-entries.ts";
import { serverOf, summarise } from "./known-servers.ts";
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
  const known = createKnownEntries(registry, staticTools);
  const { definitions, exposedName } = known;
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

  /** One server, or all. */
  function choose(server: string | null | undefined): ToolResult<readonly string[]> {
    const usable = app.usableServers();
    if (server === undefined || server === null) return succeed(usable);
    if (usable.includes(server)) return succeed([server]);
    return fail("TOOL_NOT_FOUND", `There is no server ${JSON.stringify(server)}.`, {
      hint: `The servers are ${usable.join(", ") || "none"}.`,
    });
  }

  async function read(server: string | undefined, options: DiscoverOptions | null, force: boolean) {
    if (force) await app.followConfig();
    const chosen = choose(server);
    if (!chosen.success) return chosen;
    const asked = chosen.data;
    const { waitMs = DISCOVER_WAIT_MS, ...call } = options ?? {};
    await registry.discover({ waitMs, servers: asked, force }, contextOf(call));
    return summarise(servers().filter(({ id }) => asked.includes(id)));
  }

  async function invalidate(server: string | undefined): Promise<ToolResult<Invalidated>> {
    const chosen = choose(server);
    if (!chosen.success) return chosen;
    const hadList = await Promise.all(chosen.data.map((id) => registry.invalidate(id)));
    return succeed({ servers: chosen.data.filter((_, index) => hadList[index]) });
  }

  return {
    registry: { tools: known.tools, resources: known.resources },
    async listTools() {
      return [...(await app.listTools()), ...definitions];
    },
    getToolDefinitions: () =>
      [
        ...app.toolDefinitions().filter(({ name }) => !known.isStatic(name)),
        ...toAnthropicTools(definitions, []),
      ].sort(byName),
    tools: (server) => known.tools.list(server),
    findTool: (name) => known.tools.get(name),
    resources: (server) => known.resources.list(server),
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
        const signal = known.isStatic(name)
          ? AbortSignal.any([context.signal, closing.signal])
          : context.signal;
        return succeed(await gateway.callTool(exposedName(name), args, { ...context, signal }));
      });
      const answer = withTrace(result.success ? result.data : errorAnswer(result.error, true), context);
      return { ...unwrapAnswer(answer), answer };
    },
    discover: (server, options = {}) => answered<Discovered>(() => read(server, options, false)),
    refresh: (server, options = {}) => answered<Discovered>(() => read(server, options, true)),
    invalidate: (server) => answered<Invalidated>(() => invalidate(server)),
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
