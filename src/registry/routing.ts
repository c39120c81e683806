/** The way of a call from an exposed name to its source. */
import type { JsonObject } from "../core/json.ts";
import { CAPABILITIES_ID, parseToolName } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, CallTool } from "../core/tool.ts";
import type { Route } from "./catalogue.ts";
import { noServer, type Discovery } from "./discovery.ts";
import { attempt } from "./flight.ts";
import type { Shelf } from "./shelf.ts";
import type { Stock } from "./stock.ts";
import { deniedTool, unknownTool, unreadServer } from "./unknown-tool.ts";

/** Connecting may take 5 s and finding out the era 1.5 s; a call waits for both and for the list. */
const CALL_WAIT_MS = 10_000;
const NEAR_BY_WORDS_MAX = 50;

export interface Routing {
  readonly call: CallTool;
  find(this: void, name: string, context: CallContext): Promise<ToolResult<Route>>;
  request(
    this: void,
    id: string,
    method: string,
    params: JsonObject,
    context: CallContext,
  ): Promise<ToolResult<JsonObject>>;
}

export function createRouting({ stock, discovery }: { stock: Stock; discovery: Discovery }): Routing {
  const { listings, shelves } = stock;

  function call(...[name, args, context]: Parameters<CallTool>): ReturnType<CallTool> {
    const route = routeFor(name, context);
    if (route === undefined) return callUnlisted(name, args, context);
    return attempt(() => route.source.call(route.original, args, context));
  }

  /** What is hidden is there for capabilities alone. */
  function routeFor(name: string, { path = [] }: CallContext): Route | undefined {
    return listings.route(name) ?? (path.length > 0 ? listings.hiddenRoute(name) : undefined);
  }

  async function callUnlisted(...[name, args, context]: Parameters<CallTool>): ReturnType<CallTool> {
    const found = await find(name, context);
    return found.success ? attempt(() => found.data.source.call(found.data.original, args, context)) : found;
  }

  /** The server may have the tool and not be read yet, or not since the tool came. */
  async function find(name: string, context: CallContext): Promise<ToolResult<Route>> {
    const known = routeFor(name, context);
    if (known !== undefined) return succeed(known);
    const denier = listings.denier(name);
    if (denier !== undefined) return deniedTool(name, denier);
    const shelf = findShelf(name);
    if (shelf !== undefined) await discovery.settle(shelf, CALL_WAIT_MS, context);
    const route = routeFor(name, context);
    if (route !== undefined) return succeed(route);
    if (listings.denier(name) !== undefined) return deniedTool(name, listings.denier(name)!);
    if (shelf !== undefined && shelf.reading === undefined) return unreadServer(shelf);
    return unknownTool(name, [...listings.names()], findByWords);
  }

  /** The split is a hint at the server to ask, and no route. */
  function findShelf(name: string): Shelf | undefined {
    const parsed = parseToolName(name);
    if (parsed.kind === "capability") return shelves.get(CAPABILITIES_ID);
    return parsed.kind === "upstream" ? shelves.get(parsed.server) : undefined;
  }

  function findByWords(text: string): string[] {
    return stock.search.search(text, NEAR_BY_WORDS_MAX).hits.map((hit) => hit.component.name);
  }

  return {
    call,
    find,
    async request(id, method, params, context) {
      const source = shelves.get(id)?.source;
      if (source === undefined) return noServer(id, stock);
      if (source.request === undefined) {
        return fail(
          "TOOL_NOT_IMPLEMENTED",
          `The server "${id}" has only tools and does not answer ${method}.`,
        );
      }
      return attempt(() => source.request!(method, params, context));
    },
  };
}
