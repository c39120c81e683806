/**
 * One server as it is: its own names and URIs, its pages, its description of itself, its errors, and what it says unasked. For what
 * stands in front of it (who may come in, what is measured and audited) and not for what is shown of it.
 *
 * Some things are not passed. A tool that the server's config denies is neither listed nor called. An entry that the door refuses
 * (no name, a schema over the limits or no JSON Schema) is left out and logged, and so is a field of the wrong kind, because one of
 * them can cost a client its whole list; texts that the door would merely shorten are passed as they are. And the arguments of a call are held to the limits of any JSON here.
 */
import { randomUUID } from "node:crypto";
import type { ToolError } from "../../core/errors.ts";
import { findJsonProblem, isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { paramHeadersOf } from "../../net/param-headers.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import {
  RPC_ERROR,
  type CallContext,
  type ListKind,
  type ToolAnswer,
  type ToolDefinition,
} from "../../core/tool.ts";
import { toAnthropicTools } from "../../registry/anthropic-tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { refusalOf } from "../rpc-refusal.ts";
import { errorAnswer, unexpected, withTrace } from "../answer.ts";
import type { Gateway, GatewayDeps, ListMethod } from "../gateway.ts";
import { heldRequestOf } from "../held-calls.ts";
import { nextHop } from "../hops.ts";
import { checkNoState } from "../sealed-state.ts";
import { quote } from "../../text/quote.ts";
import { createPageCheck, LIST_KEYS } from "./transparent-page.ts";

export interface TransparentDeps extends Pick<GatewayDeps, "configChanged" | "denied" | "heldCalls"> {
  readonly registry: Pick<Registry, "request" | "describe" | "permits" | "sourceChanged" | "catalogue">;
  /** The name of the profile. */
  readonly profile: string;
  /** The id of the one server. */
  readonly server: string;
  /** Whether the profile fronts this server still; without it, for good. */
  readonly isFronted?: () => boolean;
  readonly log: Log;
}

const LIST_KINDS: readonly ListKind[] = ["tools", "resources", "prompts"];
/** No real server comes near; one that does is broken or hostile. */
const PAGE_COUNT_MAX = 100;

export function createTransparentGateway(deps: TransparentDeps): Gateway {
  const { registry, server, profile } = deps;
  const isFronted = () => deps.isFronted?.() !== false;
  const pages = createPageCheck(deps);
  let changeCount = 0;
  // Before any client is told, so that the version differs when it asks.
  registry.sourceChanged((id) => id === server && changeCount++);
  deps.configChanged(() => changeCount++);

  /** What `_meta` is the server's goes along in the context. */
  const request = (method: string, given: JsonObject, context: CallContext) => {
    const { _meta: _own, ...params } = given;
    return isFronted() ? registry.request(server, method, params, context) : Promise.resolve(notFronted());
  };

  async function listPage(
    method: ListMethod,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> {
    const page = await request(method, params, context);
    return page.success ? succeed(pages.check(method, page.data, params["cursor"] === undefined)) : page;
  }

  /** The whole of a list, for those who do not ask page by page; as much as there is of one that fails half-way. */
  async function listAll(method: ListMethod, context: CallContext): Promise<JsonObject[]> {
    const entries: JsonObject[] = [];
    const seen = new Set<string>();
    let params: JsonObject = {};
    for (let count = 0; count < PAGE_COUNT_MAX; count++) {
      const page = await listPage(method, params, context);
      if (!page.success) break;
      const listed = page.data[LIST_KEYS[method]];
      if (Array.isArray(listed)) entries.push(...listed.filter(isJsonObject));
      const cursor = page.data["nextCursor"];
      if (typeof cursor !== "string" || seen.has(cursor)) break;
      seen.add(cursor);
      params = { cursor };
    }
    return entries;
  }

  const listTools: Gateway["listTools"] = async (partial) =>
    (await listAll("tools/list", contextOf(partial))) as unknown as ToolDefinition[];

  async function callTool(name: string, args: JsonObject, context: CallContext): Promise<ToolAnswer> {
    if (!registry.permits(server, name)) {
      deps.denied(name, { server, traceId: context.traceId });
      return failed(name, deniedTool(name, server), context);
    }
    const problem = findJsonProblem(args);
    if (problem !== undefined) {
      const { error } = fail("TOOL_INVALID_INPUT", `The arguments are refused: ${problem}.`);
      return failed(name, error, context);
    }
    const meta = nextHop(context.meta);
    if (!meta.success) return failed(name, meta.error, context);
    const held = { method: "tools/call", name, args, profile, server: () => server } as const;
    const definition = knownTools().find((tool) => tool.name === name);
    const headers = definition === undefined ? undefined : paramHeadersOf(definition.inputSchema, args);
    const below = { ...context, meta: meta.data, ...(headers !== undefined && { headers }) };
    const send = (next: CallContext) => request("tools/call", { name, arguments: args }, next);
    const broken = (error: unknown) => unexpected(error, name, context, deps.log);
    const result = await deps.heldCalls.answer(held, below, send).catch(broken);
    if (result.success) return result.data as unknown as ToolAnswer;
    const upstream = refusalOf(result.error);
    // What the server itself refuses is its own error; what goes wrong on the way is a result that a model can read.
    if (upstream !== undefined) return { [RPC_ERROR]: upstream, isError: true, content: [] };
    return failed(name, result.error, context);
  }

  function failed(name: string, error: ToolError, context: CallContext): ToolAnswer {
    const { outputSchema } = knownTools().find((tool) => tool.name === name) ?? {};
    return withTrace(errorAnswer(error, outputSchema === undefined), context);
  }

  function knownTools(): ToolDefinition[] {
    const listed = pages.tools();
    if (listed.length > 0) return listed;
    const own = registry.catalogue().components.filter(({ source }) => source === server);
    return own.map(({ definition }) => definition);
  }

  return {
    async describe(partial) {
      const told = isFronted() ? await registry.describe(server, contextOf(partial)) : notFronted();
      if (!told.success) return told;
      // A client that is promised tasks asks for them in a call, and that is not passed.
      const { tasks: _tasks, ...capabilities } = told.data.capabilities;
      return succeed({ ...told.data, capabilities });
    },
    listPage,
    findTool: (name) => knownTools().find((tool) => tool.name === name),
    listTools,
    getToolDefinitions: () => toAnthropicTools(knownTools(), []),
    callTool: (name, args, partial) => callTool(name, args, contextOf(partial)),
    callUpstream: callTool,
    async executeWorkflow(_text, _args, partial) {
      const { error } = fail(
        "TOOL_NOT_IMPLEMENTED",
        `This profile fronts the server "${server}" and runs nothing.`,
      );
      return withTrace(errorAnswer(error, true), contextOf(partial));
    },
    async listOffers(partial) {
      const context = contextOf(partial);
      const [resources, resourceTemplates, prompts] = await Promise.all([
        listAll("resources/list", context),
        listAll("resources/templates/list", context),
        listAll("prompts/list", context),
      ]);
      return { resources, resourceTemplates, prompts };
    },
    forward(method, params, context) {
      const held = heldRequestOf(method, params, () => server);
      const send = (next: CallContext) => request(method, params, next);
      if (held === undefined) {
        const stateless = checkNoState(context);
        return stateless.success ? send(context) : Promise.resolve(stateless);
      }
      const broken = (error: unknown) => unexpected(error, method, context, deps.log);
      return deps.heldCalls.answer({ ...held, profile }, context, send).catch(broken);
    },
    toolsVersion: () => String(changeCount),
    changed(listener) {
      const tellAll = () => LIST_KINDS.forEach(listener);
      const stops = [
        registry.sourceChanged((id, what) => {
          if (id !== server) return;
          if (what === undefined) tellAll();
          else listener(what);
        }),
        deps.configChanged(tellAll),
      ];
      return () => stops.forEach((stop) => stop());
    },
  };
}

/** A client that came in while it was has to come in anew. */
function notFronted(): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", "The profile has changed and does not front this server any more.", {
    retryable: false,
    hint: "Connect again.",
  });
}

function deniedTool(name: string, server: string) {
  const message = `The tool ${quote(name)} is denied by the config of the server "${server}".`;
  return fail("SECURITY_ERROR", message, {
    hint: `Use another tool, or have it allowed under mcpServers.${server}.tools in repertoire.json.`,
  }).error;
}

function contextOf(partial: Partial<CallContext> = {}): CallContext {
  return { traceId: randomUUID(), signal: new AbortController().signal, ...partial };
}
