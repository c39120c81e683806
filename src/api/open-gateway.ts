/** Opens a gateway in the process of the program that uses it. */
import { randomUUID } from "node:crypto";
import { openApp, type App } from "../app.ts";
import { formatProblem } from "../config/problem.ts";
import { messageOf, RepertoireError, tellThrown } from "../core/errors.ts";
import { findJsonProblem, isJsonObject, type JsonObject } from "../core/json.ts";
import type { RegistryEvent } from "../core/registry-event.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { ToolAnswer } from "../core/tool.ts";
import { errorAnswer, withTrace } from "../gateway/answer.ts";
import { openConfigSource } from "../inputs.ts";
import { createLog } from "../log.ts";
import { toAnthropicTools } from "../registry/anthropic-tool.ts";
import { unwrapAnswer } from "../runs/unwrap.ts";
import { createArgumentCheck } from "../sandbox/argument-check.ts";
import type {
  CallOptions,
  DiscoverOptions,
  Discovered,
  Gateway,
  GatewayEventKind,
  GatewayEventOf,
  GatewayOptions,
  RegisteredResource,
  RegisteredServer,
  RegisteredTool,
  ToolCallResult,
} from "./public-gateway.ts";
import { createStaticTools, type StaticTools } from "./static-tools.ts";

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

const contextOf = ({ traceId = randomUUID(), signal, onProgress }: CallOptions = {}) => ({
  traceId,
  signal: signal ?? new AbortController().signal,
  ...(onProgress !== undefined && { onProgress }),
});
type Context = ReturnType<typeof contextOf>;

/** Throws `RepertoireError` where the config, the home or the static tools cannot be used. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { staticTools = [], log: sink, ...place } = options;
  const argumentCheck = createArgumentCheck();
  const ownTools = createStaticTools(staticTools, argumentCheck);
  const opened = await openConfigSource(place);
  if (!opened.ok) {
    throw new RepertoireError("CONFIG_INVALID", opened.problems.map(formatProblem).join("\n"));
  }
  const config = opened.source;
  const log = openLog(config.current(), sink);
  try {
    const app = await openApp({ config, log, staticNames: ownTools.definitions.map(({ name }) => name) });
    // Its tool definitions are asked for without waiting, and what was kept is among them.
    await app.freshenLibrary();
    return createPublicGateway(app, ownTools, async () => {
      config.close();
      await app.close();
      await argumentCheck.close();
      await log.close();
    });
  } catch (error) {
    config.close();
    throw error;
  }
}

/** A library prints nothing unless it is asked to. */
function openLog(
  config: {
    readonly log: { readonly level: LogOptions["level"]; readonly file?: string | undefined };
  } & Pick<LogOptions, "secrets">,
  sink: GatewayOptions["log"],
) {
  const { secrets } = config;
  if (typeof sink === "function") return createLog({ level: "debug", secrets, receive: sink });
  if (sink !== undefined) return createLog({ level: sink, secrets });
  const { level, file } = config.log;
  return createLog({ level: file === undefined ? "silent" : level, file, secrets });
}
type LogOptions = Parameters<typeof createLog>[0];

function createPublicGateway(app: App, ownTools: StaticTools, end: () => Promise<void>): Gateway {
  const { registry, gateway } = app;
  const isOwn = new Set(ownTools.definitions.map(({ name }) => name));
  let closed: Promise<void> | undefined;

  const toolsOfServers = (): RegisteredTool[] =>
    registry.catalogue().components.map(({ name, source, definition }) => ({
      name,
      server: source,
      originalName: definition.name,
      definition: { ...definition, name },
    }));

  const tools = (server?: string | null): RegisteredTool[] => {
    const own = ownTools.definitions.map((definition) => ({
      name: definition.name,
      server: null,
      originalName: definition.name,
      definition,
    }));
    const all = [...own, ...toolsOfServers()].sort(byName);
    return server === undefined ? all : all.filter((tool) => tool.server === server);
  };

  async function call(name: string, args: JsonObject, context: Context): Promise<ToolAnswer> {
    const problem = findCallProblem(name, args, closed !== undefined);
    if (problem !== undefined) return failure(problem, context);
    const result = ownTools.call(name, args, context);
    if (result === undefined) return gateway.callTool(name, args, context);
    const settled = await result;
    return settled.success ? withTrace(settled.data, context) : failure(settled, context);
  }

  async function read(
    server: string | undefined,
    { waitMs = DISCOVER_WAIT_MS, traceId = randomUUID() }: DiscoverOptions,
    force: boolean,
  ): Promise<ToolResult<Discovered>> {
    if (closed !== undefined) return fail("TOOL_UNAVAILABLE", CLOSED, { retryable: false });
    if (force) await app.followConfig();
    const known = servers().map(({ id }) => id);
    if (server !== undefined && !known.includes(server)) {
      return fail("TOOL_NOT_FOUND", `There is no server ${JSON.stringify(server)}.`, {
        hint: `The servers are ${known.join(", ") || "none"}.`,
      });
    }
    const asked = server === undefined ? known : [server];
    await registry.discover({ waitMs, servers: asked, force }, contextOf({ traceId }));
    return summarise(servers().filter(({ id }) => asked.includes(id)));
  }

  function servers(): RegisteredServer[] {
    const { components, pending, stale, failed, rejected } = registry.catalogue();
    return app.usableServers().map((id) => {
      const failedNow = failed.find(({ source }) => source === id);
      const state =
        failedNow !== undefined
          ? "failed"
          : pending.includes(id)
            ? "pending"
            : stale.includes(id)
              ? "stale"
              : "ready";
      return {
        id,
        state,
        toolCount: components.filter(({ source }) => source === id).length,
        ...(failedNow !== undefined && { error: { code: failedNow.code, message: failedNow.reason } }),
        rejected: rejected
          .filter(({ source }) => source === id)
          .map(({ code, kind, name, reason }) => ({ code, kind, name, reason })),
      };
    });
  }

  const close = (): Promise<void> => (closed ??= end());
  return {
    async listTools() {
      const listed = await gateway.listTools();
      return [...listed.filter(({ name }) => !isOwn.has(name)), ...ownTools.definitions];
    },
    getToolDefinitions: () =>
      [...gateway.getToolDefinitions(), ...toAnthropicTools(ownTools.definitions, [])].sort(byName),
    tools,
    findTool: (name) => tools().find((tool) => tool.name === name),
    resources(server) {
      const { resources, resourceTemplates } = registry.catalogue();
      const entryOf =
        (isTemplate: boolean) =>
        ({ name: uri, source, original: originalUri, definition }: Entry): RegisteredResource => ({
          uri,
          isTemplate,
          server: source,
          originalUri,
          definition,
        });
      return [...resources.map(entryOf(false)), ...resourceTemplates.map(entryOf(true))].filter(
        (resource) => server === undefined || resource.server === server,
      );
    },
    async readResource(uri, options) {
      if (closed !== undefined) return fail("TOOL_UNAVAILABLE", CLOSED, { retryable: false });
      if (typeof uri !== "string") return fail("TOOL_INVALID_INPUT", "A resource is named by its URI.");
      return guarded(() => gateway.pass("resources/read", { uri }, contextOf(options)));
    },
    servers,
    async callTool(name, args = {}, options) {
      const context = contextOf(options);
      const answer = await call(name, args, context).catch((error: unknown) =>
        failure(unexpected(error), context),
      );
      return resultOf(answer);
    },
    discover: (server, options = {}) => guarded(() => read(server, options, false)),
    refresh: (server, options = {}) => guarded(() => read(server, options, true)),
    on(kind, listener) {
      if (!Object.hasOwn(EVENT_KINDS, kind)) {
        throw new TypeError(
          `There is no event ${kind}. The events are ${Object.keys(EVENT_KINDS).join(", ")}.`,
        );
      }
      return registry.subscribe((event) => {
        if (isOf(event, kind)) listener(event);
      });
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

type Entry = ReturnType<App["registry"]["catalogue"]>["resources"][number];
type Failure = Extract<ToolResult<never>, { success: false }>;

const CLOSED = "The gateway is closed.";

/** Callers without types pass anything. */
function findCallProblem(name: unknown, args: unknown, isClosed: boolean): Failure | undefined {
  if (isClosed) return fail("TOOL_UNAVAILABLE", CLOSED, { retryable: false });
  if (typeof name !== "string")
    return fail("TOOL_INVALID_INPUT", "The name of a tool is a string.", { field: "name" });
  if (!isJsonObject(args))
    return fail("TOOL_INVALID_INPUT", "The arguments of a tool are an object.", { field: "args" });
  const problem = findJsonProblem(args);
  if (problem === undefined) return undefined;
  return fail("TOOL_INVALID_INPUT", `The arguments are refused: ${problem}.`, { field: "args" });
}

function failure({ error }: Failure, context: Context): ToolAnswer {
  return withTrace(errorAnswer(error, true), context);
}

function resultOf(answer: ToolAnswer): ToolCallResult {
  return { ...unwrapAnswer(answer), answer };
}

function unexpected(error: unknown): Failure {
  return fail("TOOL_EXECUTION_FAILED", tellThrown(error) ?? `The gateway failed: ${messageOf(error)}`);
}

async function guarded<T>(work: () => Promise<ToolResult<T>>): Promise<ToolResult<T>> {
  try {
    return await work();
  } catch (error) {
    return unexpected(error);
  }
}

/** One server that cannot be read is a failure, with all of them named; what the others have is there all the same. */
function summarise(asked: readonly RegisteredServer[]): ToolResult<Discovered> {
  const failed = asked.filter(({ state }) => state === "failed" || state === "pending");
  if (failed.length === 0)
    return succeed({ toolCount: asked.reduce((sum, { toolCount }) => sum + toolCount, 0) });
  const problems = failed.map(({ id, error }) => ({
    server: id,
    code: error?.code ?? "TOOL_UNAVAILABLE",
    message: error?.message ?? `The server ${id} has not answered yet.`,
  }));
  const message = problems.map((problem) => problem.message).join(" ");
  return fail(problems[0]!.code, message, { retryable: true, problems });
}

function isOf<Kind extends GatewayEventKind>(
  event: RegistryEvent,
  kind: Kind,
): event is GatewayEventOf<Kind> & RegistryEvent {
  return event.kind === kind;
}
