/**
 * What clients see, without a transport: which tools there are, and what a call answers.
 *
 * `callTool` never throws. A failure is a result with `isError`, for the reader is a model that can act on it; what
 * went wrong inside is logged under the trace id that the result carries, and nothing of it is shown.
 */
import { randomUUID } from "node:crypto";
import type { ToolError } from "../core/errors.ts";
import { isDenial } from "../core/guard.ts";
import { findJsonProblem, isJsonObject, type JsonObject } from "../core/json.ts";
import { isMetaToolName } from "../core/meta-tool-names.ts";
import { CAPABILITIES_ID, parseReference, parseToolName, toolNameOf } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { meantTools, nearestTools } from "../text/tool-spelling.ts";
import { RPC_ERROR, type CallContext, type ListKind, type ToolAnswer } from "../core/tool.ts";
import type { Route } from "../registry/route.ts";
import type { Exposed } from "../registry/listing.ts";
import { quote } from "../text/quote.ts";
import { refusalOf } from "./rpc-refusal.ts";
import { errorAnswer, toAnswer, unexpected, withTrace } from "./answer.ts";
import { findAppTool, hasApps, severalHave } from "./apps.ts";
import { askInAnswer, enterRound } from "./approval-round.ts";
import { createAskedCalls, executeAsking, type AskedCall } from "./asked-call.ts";
import { heldRequestOf, type HeldRequest } from "./held-calls.ts";
import { nextHop } from "./hops.ts";
import {
  completeLibrary,
  isLibraryReference,
  isLibraryUri,
  LIBRARY_TEMPLATE,
  readLibraryResource,
} from "./library-resources.ts";
import { viewLibrary } from "./meta-tools/library-view.ts";
import { createMetaTools, describeGateway } from "./meta-tools/meta-tools.ts";
import { exposeNotification, forwardTo, type ForwardedMethod } from "./forwarding.ts";
import { isRunUri, readRunResource, RUN_LIST, RUN_TEMPLATES } from "./run-resources.ts";
import { CALL_AGAIN, checkNoState, refuseState } from "./sealed-state.ts";
import { isPause } from "../runs/workflow/pause.ts";
import { viewTraces } from "./meta-tools/run-view.ts";
import { isLibrarySkillUri } from "./skills/library-skills.ts";
import { isSkillMethod } from "./skills/skill.ts";
import { createSkills } from "./skills/skills.ts";
import { answerOrTask, taskOfQueued, taskOfWaiting } from "./tasks/detached-call.ts";
import { exposeTask, passingTasks } from "./tasks/server-tasks.ts";
import { isTaskMethod } from "./tasks/task.ts";
import { answerTask } from "./tasks/task-methods.ts";
import { createToolListReader, LIST_WAIT_MS } from "./tool-list.ts";
import type { ListMethod, Gateway, ListPage } from "./gateway.ts";
import type { GatewayDeps } from "./gateway-deps.ts";

export function createGateway(deps: GatewayDeps): Gateway {
  const { registry } = deps;
  const { execute, all: metaTools } = createMetaTools(deps);
  // A program that uses the gateway directly is one client.
  const session = `gateway:${randomUUID()}`;
  const contextOf = (partial: Partial<CallContext> = {}): CallContext =>
    isComplete(partial)
      ? partial
      : { traceId: randomUUID(), signal: new AbortController().signal, session, ...partial };
  const turns = new Set<() => void>();
  const turned = () => turns.forEach((tell) => tell());
  const toolList = createToolListReader({ ...deps, metaTools, turned });
  const asked = createAskedCalls(deps);
  const skills = createSkills(deps);

  /** A meta-tool, or something saved by any of its names. */
  async function routeOwn(
    name: string,
    args: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>> {
    if (name === execute.name) return callExecute(args, context);
    const metaTool = metaTools.find((tool) => tool.name === name);
    if (metaTool !== undefined) {
      const stateless = checkNoState(context);
      if (!stateless.success) return stateless;
      const result = await metaTool.call(args, context);
      deps.metaToolAnswered();
      return toAnswer(result);
    }
    return callCapability(name, args, context);
  }

  async function callOwnTool(name: string, args: JsonObject, context: CallContext): Promise<ToolAnswer> {
    const result = await routeOwn(name, args, context).catch((error: unknown) =>
      unexpected(error, name, context, deps.log),
    );
    return result.success ? withTrace(result.data, context) : failed(result.error, context);
  }

  /** A modern client is asked in the answer, and repeats the same call with what the person said. */
  async function callExecute(given: JsonObject, context: CallContext): Promise<ToolResult<ToolAnswer>> {
    const request = { method: "tools/call", name: execute.name, args: given };
    const state = await deps.states.open(request, context);
    if (!state.success) return state;
    const args = await enterRound(deps, given, state.data, context);
    if (!args.success) return args;
    const result = await executeAsking(deps, execute, args.data, context);
    deps.metaToolAnswered();
    if (!result.success) return result;
    const later =
      (await taskOfPaused(result.data, args.data, context)) ??
      (await askInAnswer(deps, result.data, request, context)) ??
      (await taskOfQueued(deps, result.data, args.data, context));
    return later === undefined ? toAnswer(result) : succeed(later);
  }

  /** The tool of a server that an App calls by that server's own name. Names of the gateway's own come first. */
  async function findCalledByApp(
    name: string,
    context: CallContext,
  ): Promise<ToolResult<string> | undefined> {
    const { view } = context;
    if (isMetaToolName(name) || parseToolName(name).kind !== "static") return undefined;
    const found = findAppTool(registry.tools(), name, view);
    const reference = found?.success === true ? parseReference(name) : undefined;
    if (found?.success !== true || reference?.success !== true) return found;
    await deps.freshenLibrary();
    const saved = await viewLibrary(deps.library, view).find(reference.data);
    return saved === undefined ? found : severalHave(name, [found.data, toolNameOf(saved)], view);
  }

  /** What is kept when it succeeds must be seen to succeed. */
  async function taskOfPaused(
    { run_id: runId, error }: JsonObject,
    args: JsonObject,
    context: CallContext,
  ): Promise<ToolAnswer | undefined> {
    const isPaused = isJsonObject(error) && isPause(error) && typeof runId === "string";
    return isPaused && args["save_as"] == null ? taskOfWaiting(deps, runId, context) : undefined;
  }

  /** By any of its names; what another process has just kept is there too. */
  async function callCapability(
    name: string,
    args: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>> {
    await deps.freshenLibrary();
    if (registry.route(name) !== undefined) return callOwn(name, args, context);
    const library = viewLibrary(deps.library, context.view);
    const reference = parseReference(name);
    const found = reference.success ? await library.find(reference.data) : undefined;
    if (!reference.success || found === undefined) return unknownTool(name, context);
    const tool = toolNameOf(found);
    if (reference.data.kind !== "fqdn" && reference.data.version === undefined)
      return callOwn(tool, args, context);
    const details = await library.describe(name);
    if (!details.success) return details;
    return callOwn(tool, args, { ...context, capabilityVersion: details.data.version.version });
  }

  /** A capability by its name, with the questions that rules ask. */
  async function callOwn(
    name: string,
    args: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>> {
    const called = await callHeld(name, args, context);
    return called.success ? called : asked.ask(called, askedCallOf(name, args), context);
  }

  /** The names that are told are those that this caller can call. */
  async function unknownTool(name: string, context: CallContext): Promise<ToolResult<never>> {
    const missed = await registry.find(name, context);
    if (!missed.success && missed.error.code !== "TOOL_NOT_FOUND") return missed;
    const near = missed.success ? [name] : (missed.error.nearest ?? []);
    const own = metaTools.map((tool) => tool.name).filter((tool) => context.view?.allows(tool) !== false);
    const names = nearestTools(name, [...own, ...near]);
    const details = {
      nearest: names,
      hint: "A tool is server__tool, mcp__namespace__action or a meta-tool; browse_components finds them.",
    };
    const meant = meantTools(name, names);
    switch (parseToolName(name).kind) {
      case "capability":
        return fail("TOOL_NOT_FOUND", `Capability not found: ${name}${meant && `.${meant}`}`, details);
      case "invalid":
        return fail("TOOL_INVALID_INPUT", `Invalid tool name format${meant && `.${meant}`}`, details);
      default:
        return fail("TOOL_NOT_FOUND", `There is no tool ${quote(name)}.${meant}`, details);
    }
  }

  function callRegistry(
    name: string,
    args: JsonObject,
    context: CallContext,
    route?: Route,
  ): Promise<ToolResult<ToolAnswer>> {
    const meta = nextHop(context.meta);
    if (!meta.success) return Promise.resolve(meta);
    const next = { ...context, meta: meta.data };
    return route === undefined ? registry.call(name, args, next) : route.call(args, next);
  }

  /** A modern client is asked in the answer; a capability pauses instead, and is resumed. */
  function callHeld(
    name: string,
    args: JsonObject,
    context: CallContext,
    route?: Route,
  ): Promise<ToolResult<ToolAnswer>> {
    const { modern } = context;
    if (modern === undefined) return callRegistry(name, args, context, route);
    if (isCapability(name, route)) return callOrDecide(name, args, context, route);
    const server = () => (route ?? registry.route(name))?.source.id;
    const decided: HeldRequest["decided"] = (state) =>
      asked.decide(state, askedCallOf(name, args, route), context) as never;
    const request = { method: "tools/call", name, args, server, decided } as const;
    // A state is opened with a wait, and after a wait a route may be out of date.
    const current = modern.requestState === undefined ? route : undefined;
    const broken = (error: unknown) => unexpected(error, name, context, deps.log);
    const send = async (next: CallContext) => {
      const answer = await callRegistry(name, args, passingTasks(next), current);
      return exposeTask(deps, answer, { server: server()!, tool: name }, context);
    };
    const sent = (next: CallContext) => send(next).catch(broken);
    return deps.heldCalls.answer(request, context, sent as never) as Promise<ToolResult<ToolAnswer>>;
  }

  /** Nothing is held open for a capability: a state that comes with a call of one brings the answer to a rule's question. */
  async function callOrDecide(
    name: string,
    args: JsonObject,
    context: CallContext,
    route?: Route,
  ): Promise<ToolResult<ToolAnswer>> {
    const request = { method: "tools/call", name, args };
    const state = await deps.states.open(request, context);
    if (!state.success) return state;
    if (state.data === undefined) return callRegistry(name, args, context, route);
    if (state.data.kind !== "approval") return refuseState("was given for another call", CALL_AGAIN);
    return asked.decide(state.data, askedCallOf(name, args, route), context);
  }

  const askedCallOf = (name: string, args: JsonObject, route?: Route): AskedCall => ({
    method: "tools/call",
    name,
    tool: name,
    args,
    definition: () => (route ?? registry.route(name))?.definition,
  });

  async function callAsking(
    name: string,
    args: JsonObject,
    context: CallContext,
    route?: Route,
  ): Promise<ToolResult<ToolAnswer>> {
    try {
      const answer = await callHeld(name, args, context, route);
      return answer.success ? answer : await asked.ask(answer, askedCallOf(name, args, route), context);
    } catch (error) {
      return unexpected(error, name, context, deps.log);
    }
  }

  async function callRouted(
    name: string,
    args: JsonObject,
    context: CallContext,
    route?: Route,
  ): Promise<ToolAnswer> {
    const result = await callAsking(name, args, context, route);
    if (result.success) {
      if (result.data.isError !== true) deps.toolCalled?.(name);
      return result.data;
    }
    if (isDenial(result.error)) {
      const { tool = name } = result.error;
      deps.denied(context, tool, { traceId: context.traceId, ...(tool !== name && { by: name }) });
    }
    // A server may have been listed for this very call.
    return failed(
      result.error,
      context,
      isCapability(name, route) ? undefined : (route ?? registry.route(name)),
    );
  }

  /**
   * The schemas of the meta-tools admit a failure, those of capabilities any object; those of servers are their own.
   */
  function failed(error: ToolError, context: CallContext, route?: Route): ToolAnswer {
    // What is wrong with a client's state is for the author of the client; everything else a model can act on.
    if (error.reason === "request_state_refused")
      return { [RPC_ERROR]: refusalOf(error)!, isError: true, content: [] };
    return withTrace(errorAnswer(error, route?.definition.outputSchema === undefined), context);
  }

  function serverOf(method: ForwardedMethod, name: string, { view }: CallContext): string | undefined {
    if (method === "prompts/get") return registry.resolvePrompt(name)?.source;
    const found = registry.findUri(name, view);
    return found?.success === true ? found.data.source : undefined;
  }

  /** A client that subscribes by the server's own URI hears of updates under that one. */
  function noteBare(given: unknown, { view }: CallContext): void {
    const found = typeof given === "string" ? registry.findUri(given, view) : undefined;
    if (found?.success !== true) return;
    const { source, uri } = found.data;
    if (uri === given) deps.bareSubscriptions?.note(source, uri);
  }

  async function listOffer(
    method: Exclude<ListMethod, "tools/list">,
    context: CallContext,
  ): Promise<JsonObject> {
    // Clients ask for these as soon as they connect; only where everything is to be shown does that start servers.
    const isFull = deps.exposure() === "full";
    const known = isFull ? await registry.discover({ waitMs: LIST_WAIT_MS }, context) : registry.catalogue();
    const shown = (entries: readonly Exposed[]) => entries.map(({ definition }) => definition);
    if (method === "resources/list") return { resources: [RUN_LIST, ...shown(known.resources)] };
    if (method === "prompts/list") return { prompts: shown(known.prompts) };
    return { resourceTemplates: [LIBRARY_TEMPLATE, ...RUN_TEMPLATES, ...shown(known.resourceTemplates)] };
  }

  async function forwardRequest(
    method: ForwardedMethod,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>> {
    if (isTaskMethod(method)) return answerTask(deps, method, params, context);
    if (isSkillMethod(method)) {
      const stateless = checkNoState(context);
      return stateless.success ? skills.answer(method, params, context) : stateless;
    }
    const { uri } = params;
    const request = heldRequestOf(method, params, (name) => serverOf(method, name, context));
    const isOurs = isLibraryUri(uri) || isRunUri(uri) || isLibrarySkillUri(uri);
    const isOwn = method === "resources/read" && isOurs;
    const stateless = request === undefined || isOwn ? checkNoState(context) : succeed(undefined);
    if (!stateless.success) return stateless;
    if (isOwn && isLibrarySkillUri(uri)) return skills.readOwn(uri, context);
    if (method === "resources/read" && isLibraryUri(params["uri"])) {
      return readLibraryResource(deps.library, params["uri"]);
    }
    if (method === "resources/read" && isRunUri(params["uri"])) {
      return readRunResource(viewTraces(deps.traces, context, deps.findReach), params["uri"]);
    }
    if (method === "completion/complete" && isLibraryReference(params["ref"])) {
      return completeLibrary(deps.library, params);
    }
    // Before the request: the first update may come with its answer.
    if (method === "resources/subscribe") noteBare(uri, context);
    const forward = (next: CallContext) => forwardTo(registry, method, params, next);
    const isRead = method === "resources/read" && typeof uri === "string";
    const send = isRead ? (next: CallContext) => skills.readServers(uri, next, forward) : forward;
    return request === undefined ? send(context) : deps.heldCalls.answer(request, context, send);
  }

  async function list(
    method: ListMethod,
    { cursor }: JsonObject,
    partial?: Partial<CallContext>,
  ): Promise<ToolResult<ListPage>> {
    if (cursor !== undefined) return fail("TOOL_INVALID_INPUT", "Unknown cursor: the list has one page.");
    const context = contextOf(partial);
    if (method === "tools/list") {
      deps.toolsListed?.(context);
      return succeed(await toolList.read(context));
    }
    return succeed({ page: await listOffer(method, context) });
  }

  deps.serverNotified((server, method, params, client) => {
    if (client === undefined || !deps.heldCalls.isHandle(client)) return;
    client.notify(method, exposeNotification(server, method, params));
  });

  return {
    async describe({ view } = {}) {
      const servers = deps.servers().filter((id) => view?.allowsServer(id) !== false);
      return succeed(
        describeGateway({ version: deps.version, servers, hasApps: hasApps(registry.tools(), view) }),
      );
    },
    list,
    find(name) {
      const route = registry.route(name);
      return (
        route && {
          definition: route.definition,
          call: (args, context) =>
            isCapability(name, route)
              ? answerOrTask(deps, context, (next) => callRouted(name, args, next, route))
              : callRouted(name, args, context, route),
        }
      );
    },
    async callTool(name, args, partial) {
      const context = contextOf(partial);
      const isUpstream = parseToolName(name).kind === "upstream";
      const route = isUpstream ? registry.route(name) : undefined;
      const problem = findJsonProblem(args);
      if (problem !== undefined) {
        const { error } = fail("TOOL_INVALID_INPUT", `The arguments are refused: ${problem}.`);
        return failed(error, context, route);
      }
      if (isUpstream) return callRouted(name, args, context, route);
      const app = await findCalledByApp(name, context);
      if (app?.success === false) return failed(app.error, context);
      if (app !== undefined) return callRouted(app.data, args, context, registry.route(app.data));
      // What is kept when it succeeds must be seen to succeed.
      const isKept = name === execute.name && args["save_as"] != null;
      if (isKept) return callOwnTool(name, args, context);
      return answerOrTask(deps, context, (next) => callOwnTool(name, args, next));
    },
    forward: (method, params, context) =>
      forwardRequest(method, params, context).catch((error: unknown) =>
        unexpected(error, method, context, deps.log),
      ),
    watch(listener) {
      const tell = () => listener("tools");
      turns.add(tell);
      const stops = [
        () => turns.delete(tell),
        registry.changed((kinds) => {
          for (const what of listsOf(kinds)) listener(what);
        }),
        deps.configChanged(tell),
      ];
      return {
        toolsVersion: () => toolList.current().version,
        stop: () => stops.forEach((stop) => stop()),
      };
    },
  };
}

/** One that is complete is not copied. */
function isComplete(context: Partial<CallContext>): context is CallContext {
  return context.traceId !== undefined && context.signal !== undefined && context.session !== undefined;
}

/** Also for a name that is not known. */
function isCapability(name: string, route: Route | undefined): boolean {
  return route === undefined ? parseToolName(name).kind !== "upstream" : route.source.id === CAPABILITIES_ID;
}

/** Templates have no notification of their own: a client reads them with the resources. */
function listsOf(kinds: ReadonlySet<string>): Set<ListKind> {
  const lists = new Set<ListKind>();
  if (kinds.has("tools")) lists.add("tools");
  if (kinds.has("resources") || kinds.has("resourceTemplates")) lists.add("resources");
  if (kinds.has("prompts")) lists.add("prompts");
  return lists;
}
