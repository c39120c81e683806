/** Finds the tool that a name means, and says why there is none. */
import { isDeepStrictEqual } from "node:util";
import { admitSelf } from "../admission/admission.ts";
import type { CallWatch } from "../telemetry/call-watch.ts";
import type { Guard, GuardedCall } from "../core/guard.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { CAPABILITIES_ID, exposeTools, parseToolName } from "../core/names.ts";
import { foldName } from "../text/nearest.ts";
import type { PinCheck } from "../core/pin-check.ts";
import { attempt, fail, succeed, type ToolResult } from "../core/result.ts";
import type {
  CallContext,
  CallTool,
  Component,
  SourceDescription,
  ToolSource,
  ToolView,
} from "../core/tool.ts";
import { isInsideCapability, viewOf } from "../core/tool-view.ts";
import { quote } from "../text/quote.ts";
import { stillStarting } from "../process/starting.ts";
import { meantTools, nearestTools, respeltTools } from "../text/tool-spelling.ts";
import { noServer, type Discovery } from "./discovery.ts";
import { exposeUri } from "./exposed-uri.ts";
import { refuseHeld, requestedThing } from "./held.ts";
import { isRevoked, revoked, type Route, type RouteDeps, type ToolRoute } from "./route.ts";
import type { RegisteredSource } from "./registered-source.ts";
import type { SourceTable } from "./source-table.ts";

/**
 * Connecting may take 5 s and finding out the era 1.5 s; a call waits for both and for the list. A process may take
 * longer to start.
 */
const CALL_WAIT_MS = 10_000;
const NEAR_BY_WORDS_MAX = 50;

export interface Routing {
  readonly call: CallTool;
  find(this: void, name: string, context: CallContext): Promise<ToolResult<Route>>;
  readonly refuse: RouteDeps["refuse"];
  readonly verify: NonNullable<RouteDeps["verify"]>;
  request(
    this: void,
    id: string,
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>>;
  describe(this: void, id: string, context: CallContext): Promise<ToolResult<SourceDescription>>;
  refuseHeldPrompt(
    this: void,
    name: string,
    shows?: (server: string) => boolean,
  ): Promise<ToolResult<never> | undefined>;
}

export interface RoutingDeps {
  readonly table: SourceTable;
  readonly discovery: Discovery;
  readonly watch?: CallWatch | undefined;
  readonly guard?: Guard | undefined;
  readonly pins?: PinCheck | undefined;
  readonly explainAbsent?: ((id: string) => ToolResult<never> | undefined) | undefined;
}

export function createRouting(deps: RoutingDeps): Routing {
  const { table, discovery, watch, guard, pins, explainAbsent } = deps;
  const { listings, sources } = table;

  function call(...[name, args, context]: Parameters<CallTool>): ReturnType<CallTool> {
    const route = routeFor(name, context);
    return route === undefined ? callUnlisted(name, args, context) : route.call(args, context);
  }

  /** What is hidden is there for capabilities alone, and what a profile does not show is not there at all. */
  function routeFor(name: string, context: CallContext): ToolRoute | undefined {
    if (viewOf(context)?.allows(name) === false) return undefined;
    return listings.route(name) ?? (isInsideCapability(context) ? listings.hiddenRoute(name) : undefined);
  }

  async function callUnlisted(...[name, args, context]: Parameters<CallTool>): ReturnType<CallTool> {
    if (isRevoked(context)) return revoked();
    const found = await find(name, context);
    return found.success ? found.data.call(args, context) : found;
  }

  /** The server may have the tool and not be read yet, or not since the tool came. */
  async function find(name: string, context: CallContext): Promise<ToolResult<Route>> {
    const known = routeFor(name, context);
    if (known !== undefined) return succeed(known);
    const view = viewOf(context);
    if (view?.allows(name) === false) return refuse(name, context);
    const denier = deniedFor(name, context);
    if (denier !== undefined) return deniedTool(name, denier);
    const registered = findSource(name);
    if (registered !== undefined) {
      await discovery.settle(registered, CALL_WAIT_MS, context);
      await putOnRecord(registered);
    }
    const route = routeFor(name, context);
    if (route !== undefined) return succeed(route);
    if (listings.heldTool(name) !== undefined) return findHeld(name, context);
    if (listings.denier(name) !== undefined) return deniedTool(name, listings.denier(name)!);
    if (registered !== undefined && registered.list === undefined) return unreadServer(registered);
    // A profile says nothing of servers that it would not show.
    const why = registered === undefined && view === undefined ? absentServer(name) : undefined;
    if (why !== undefined) return why;
    await readNamed(name, context, view);
    return unknown(name, view);
  }

  /** A capability is told that a tool is held, where it could use it otherwise. */
  function deniedFor(name: string, context: CallContext): string | undefined {
    const isForCapability = listings.heldTool(name) !== undefined && isInsideCapability(context);
    return isForCapability ? undefined : listings.denier(name);
  }

  /** Another process may have approved it a moment ago, or may have been offered something else. */
  async function findHeld(name: string, context: CallContext): Promise<ToolResult<ToolRoute>> {
    await lookAtPins(listings.heldTool(name)!.source);
    const route = routeFor(name, context);
    if (route !== undefined) return succeed(route);
    const held = listings.heldTool(name);
    if (held === undefined) return unknown(name, viewOf(context));
    return refuseHeld({ server: held.source, shown: name, name: held.original }, held.hold);
  }

  /** A store that cannot be read changes nothing: what is held stays held. */
  async function lookAtPins(id: string): Promise<void> {
    await pins?.freshen().catch(() => {});
    await table.seeAgain(id);
  }

  /** Whether what is known of a server is what its program, as it runs now, has served. */
  function isSure(registered: RegisteredSource): boolean {
    const { id } = registered.source;
    return !pins!.mayHold(id) || (registered.isSure() && listings.has(id));
  }

  /** Asks a server whose list is not sure. Afterwards the last one that its program served counts. */
  async function makeSure(registered: RegisteredSource, context: CallContext): Promise<ToolResult<void>> {
    if (isSure(registered)) return succeed(undefined);
    await discovery.verify(registered, CALL_WAIT_MS, context);
    await putOnRecord(registered);
    const isKnown = registered.isServed() && listings.has(registered.source.id);
    return isSure(registered) || isKnown ? succeed(undefined) : unreadServer(registered);
  }

  /** A server that was read while it was trusted may not be on record yet. */
  async function putOnRecord({ source: { id }, list }: RegisteredSource): Promise<void> {
    if (list !== undefined && !listings.has(id)) await table.seeAgain(id);
  }

  function verify(route: ToolRoute, context: CallContext): Promise<ToolResult<ToolRoute>> | undefined {
    const registered = pins === undefined ? undefined : sources.get(route.source.id);
    // A source that is gone is closed, and says so itself.
    if (registered === undefined || registered.isOwn || registered.source !== route.source) return undefined;
    if (routeFor(route.name, context) === route && isSure(registered)) return undefined;
    return findAgain(route, registered, context);
  }

  async function findAgain(
    route: ToolRoute,
    registered: RegisteredSource,
    context: CallContext,
  ): Promise<ToolResult<ToolRoute>> {
    const sure = await makeSure(registered, context);
    if (!sure.success) return sure;
    const now = routeFor(route.name, context);
    if (now !== undefined) return succeed(now);
    if (listings.heldTool(route.name) !== undefined) return findHeld(route.name, context);
    const isAllowed = pins!.trustOf(registered.source.id) === "allow";
    return isAllowed ? succeed(route) : unknown(route.name, viewOf(context));
  }

  /** Why a request may not be made: what it uses is held, or nobody could know what it is. */
  async function refuseRequest(
    registered: RegisteredSource,
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<void>> {
    const { source, isOwn } = registered;
    if (pins === undefined || isOwn || !PINNED_METHODS.has(method)) return succeed(undefined);
    const sure = await makeSure(registered, context);
    if (!sure.success) return sure;
    if (requestedThing(registered, method, params)?.hold !== undefined) await lookAtPins(source.id);
    const thing = requestedThing(registered, method, params);
    if (thing === undefined) return succeed(undefined);
    const { name, hold } = thing;
    if (hold !== undefined) return refuseHeld({ server: source.id, shown: name, name }, hold);
    if (thing.isListed || pins.trustOf(source.id) === "allow") return succeed(undefined);
    return fail("TOOL_NOT_FOUND", `The server "${source.id}" lists no ${quote(name)}.`);
  }

  /**
   * A name that begins with a server's, in whatever spelling, is told the right one: that server is asked for its tools
   * first.
   */
  async function readNamed(name: string, context: CallContext, view: ToolView | undefined): Promise<void> {
    const folded = foldName(name.replace(/^mcp__/, ""));
    const isNamed = ({ source: { id } }: RegisteredSource): boolean =>
      id === CAPABILITIES_ID || (view?.allowsServer(id) !== false && folded.startsWith(foldName(id)));
    const named = [...sources.values()].filter(
      (registered) => registered.list === undefined && isNamed(registered),
    );
    await Promise.all(named.map((registered) => discovery.settle(registered, CALL_WAIT_MS, context)));
  }

  /** The names that are near are those that the caller can use, as it calls them. */
  function unknown(name: string, view: ToolView | undefined): ToolResult<never> {
    if (view === undefined) return unknownTool(name, [...listings.names()], findByWords);
    const shown = (tools: Iterable<string>) =>
      [...tools].filter((tool) => view.allows(tool)).map((tool) => view.nameOf(tool));
    return unknownTool(name, shown(listings.names()), (text) => shown(findByWords(text)));
  }

  /** A tool that the profile does not show is answered like one that does not exist. */
  async function refuse(name: string, context: CallContext): Promise<ToolResult<never>> {
    const view = viewOf(context);
    await readNamed(name, context, view);
    const told = unknown(name, view);
    return told.success ? told : { success: false, error: { ...told.error, reason: "not_granted" } };
  }

  /** The split is a hint at the server to ask, and no route. */
  function findSource(name: string): RegisteredSource | undefined {
    const parsed = parseToolName(name);
    if (parsed.kind === "capability") return sources.get(CAPABILITIES_ID);
    return parsed.kind === "upstream" ? sources.get(parsed.server) : undefined;
  }

  function absentServer(name: string): ToolResult<never> | undefined {
    const parsed = parseToolName(name);
    return parsed.kind === "upstream" ? explainAbsent?.(parsed.server) : undefined;
  }

  function findByWords(text: string): string[] {
    return table.search.search(text, { limit: NEAR_BY_WORDS_MAX }).hits.map((hit) => hit.component.name);
  }

  function sendRequest(source: ToolSource, method: string, params: JsonObject, context: CallContext) {
    if (watch === undefined) return attempt(() => source.request!(method, params, context));
    const { name } = params;
    const asked = { server: source.id, method, ...(typeof name === "string" && { target: name }) };
    return watch(asked, context, (below) => attempt(() => source.request!(method, params, below)));
  }

  /** What is asked for, as the rules see it; undefined where nothing is used, such as for a list. */
  function guardedRequest(id: string, method: string, params: JsonObject): GuardedCall | undefined {
    const args = isJsonObject(params["arguments"]) ? params["arguments"] : {};
    const name = textOf(params["name"]);
    switch (method) {
      case "tools/call": {
        const { components, appOnly } = listings.of(id);
        const isNamed = ({ definition }: Component) => definition.name === name;
        const component = components.find(isNamed) ?? appOnly.find(isNamed);
        const exposed = component?.name ?? exposedName(id, name);
        return { kind: "tool", name: exposed, source: id, definition: component?.definition, args };
      }
      case "prompts/get": {
        const prompt = listings.of(id).prompts.find(({ original }) => original === name);
        return { kind: "prompt", name: prompt?.name ?? exposedName(id, name), source: id, args };
      }
      case "resources/read":
      case "resources/subscribe":
      case "skills/get":
        return { kind: "resource", name: exposeUri(id, textOf(params["uri"])), source: id, args: {} };
      case "completion/complete":
        return guardedCompletion(id, isJsonObject(params["ref"]) ? params["ref"] : {});
      default:
        return undefined;
    }
  }

  /** Its values go to the server and come from it: whoever may not use the prompt or the resource has none. */
  function guardedCompletion(id: string, ref: JsonObject): GuardedCall | undefined {
    return ref["type"] === "ref/prompt"
      ? guardedRequest(id, "prompts/get", { name: ref["name"] ?? "" })
      : guardedRequest(id, "resources/read", { uri: ref["uri"] ?? "" });
  }

  /** Instructions that are held are not told, and so are those of which nothing is on record. */
  async function describeServer(
    registered: RegisteredSource,
    context: CallContext,
  ): Promise<ToolResult<SourceDescription>> {
    const { source, isOwn } = registered;
    const sure = pins === undefined || isOwn ? succeed(undefined) : await makeSure(registered, context);
    const told = await attempt(() => source.describe!(context));
    if (pins === undefined || isOwn || !told.success) return told;
    const self = admitSelf(told.data);
    const isNew = registered.list !== undefined && !isDeepStrictEqual(registered.list.admitted.self, self);
    if (isNew) table.served(source.id, (admitted) => ({ ...admitted, self }));
    const isTold = sure.success && registered.holds.of("instructions", "") === undefined;
    if (isTold) return told;
    const { instructions: _, ...rest } = told.data;
    return succeed(rest);
  }

  return {
    call,
    find,
    refuse,
    verify,
    async refuseHeldPrompt(name, shows) {
      const source = listings.heldPrompt(name)?.source;
      if (source === undefined || shows?.(source) === false) return undefined;
      await lookAtPins(source);
      const held = listings.heldPrompt(name);
      return held && refuseHeld({ server: held.source, shown: name, name: held.original }, held.hold);
    },
    async request(id, method, params, context) {
      if (context.view?.allowsServer(id) === false) return notShown(id, context.view);
      const registered = sources.get(id);
      if (registered === undefined) return explainAbsent?.(id) ?? noServer(id, table);
      const { source } = registered;
      if (source.request === undefined) {
        return fail(
          "TOOL_NOT_IMPLEMENTED",
          `The server "${id}" has only tools and does not answer ${method}.`,
        );
      }
      const allowed = await refuseRequest(registered, method, params, context);
      if (!allowed.success) return allowed;
      const send = (next: CallContext) => sendRequest(source, method, params, next);
      const guarded = guard === undefined ? undefined : guardedRequest(id, method, params);
      return guarded === undefined ? send(context) : guard!.pass(guarded, context, send);
    },
    async describe(id, context) {
      const registered = sources.get(id);
      if (registered === undefined) return noServer(id, table);
      const { source } = registered;
      if (source.describe !== undefined) return describeServer(registered, context);
      return fail("TOOL_NOT_IMPLEMENTED", `The server "${id}" does not describe itself.`);
    },
  };
}

/** The name that it would have in the list, where that was not read or does not have it. */
function exposedName(id: string, name: string): string {
  const [exposed] = exposeTools(id, [name]).originals.keys();
  return exposed ?? `${id}__`;
}
/** Requests that use something that has a pin, or show it. */
const PINNED_METHODS: ReadonlySet<string> = new Set([
  "tools/call",
  "tools/list",
  "prompts/get",
  "prompts/list",
  "resources/read",
  "resources/subscribe",
  "resources/list",
  "resources/templates/list",
  "completion/complete",
  "skills/get",
  "skills/list",
]);

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function notShown(id: string, { profile }: ToolView): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `The profile "${profile}" has no server ${quote(id)}.`, {
    reason: "not_granted",
  });
}

/**
 * Comparing letter by letter costs 10 µs for each name; of a larger catalogue only those that share a word are
 * compared.
 */
const COMPARED_MAX = 2000;

/** A name that leads nowhere, with the names that were probably meant. */
function unknownTool(
  name: string,
  known: readonly string[],
  findByWords: (text: string) => readonly string[],
): ToolResult<never> {
  const near = nearestTools(
    name,
    known.length <= COMPARED_MAX ? known : candidatesFor(name, known, findByWords),
  );
  return fail("TOOL_NOT_FOUND", `There is no tool ${quote(name)}.${meantTools(name, near)}`, {
    nearest: near,
    hint: "browse_components lists the tools that can be called.",
  });
}

function candidatesFor(
  name: string,
  known: readonly string[],
  findByWords: (text: string) => readonly string[],
): string[] {
  const server = name.slice(0, name.indexOf("__") + 2);
  const siblings = server === "" ? [] : known.filter((other) => other.startsWith(server));
  return [...respeltTools(name, known), ...siblings.slice(0, COMPARED_MAX), ...findByWords(name)];
}

/** A tool that the server has and the person who set up the gateway does not want used. */
function deniedTool(name: string, server: string): ToolResult<never> {
  return fail(
    "SECURITY_ERROR",
    `The tool ${quote(name)} is denied by the config of the server "${server}".`,
    {
      tool: name,
      hint: `Use another tool, or have it allowed under mcpServers.${server}.tools in repertoire.json.`,
    },
  );
}

/** A server whose list was not read yet: whether it has the tool is unknown. */
function unreadServer({ source, refresh: { failure } }: RegisteredSource): ToolResult<never> {
  const starting = source.starting?.();
  if (starting !== undefined) return stillStarting(source.id, starting);
  if (failure === undefined) {
    return fail("TOOL_UNAVAILABLE", `The tools of the server "${source.id}" are not known yet.`, {
      hint: "It may still be starting; call again in a few seconds.",
    });
  }
  const { error } = failure;
  // A source that gives a reason (a login is needed, it is too busy) knows the next step better.
  if (error.reason !== undefined) return { success: false, error };
  return fail("TOOL_UNAVAILABLE", withServer(source.id, error.message), {
    hint: "The gateway tries again after a pause; other servers are not affected.",
  });
}

/** Most sources name themselves in their errors; once is enough. */
function withServer(id: string, message: string): string {
  return message.includes(id) ? message : `The server "${id}" cannot be reached: ${message}`;
}
