/**
 * The links in what a server gives to a client of an aggregated endpoint: each becomes a URI that the same client can read
 * back through us, and that leads to this server and to no other.
 *
 * Links are looked for where the protocol has them: blocks of content, the contents of a read, the page of a tool. Nothing
 * else is walked. What has no link is passed on as the very same object, and what has an odd shape as it is.
 *
 * One kind of link stays: http and https, unless the server lists that very URI as a resource. By the protocol such a link
 * is one that a client fetches itself; where a server lists it, it is read through us like any other. Templates do not count:
 * comparing each link with each of them is work that a server could make us do without end.
 */
import { FLAT_PAGE_KEY, uiOf } from "./app-tool.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { ToolAnswer, ToolDefinition } from "../core/tool.ts";
import { exposeUri } from "./exposed-uri.ts";
import type { Listing } from "./listing.ts";
import { listsUri } from "./offered-uris.ts";

const WEB = /^https?:/i;

/** By the id of the source that gave it. What a source of our own gives is passed on as it is. */
export interface ExposedLinks {
  answer(source: string, answer: ToolAnswer): ToolAnswer;
  /** The messages of a prompt. */
  prompt(source: string, result: JsonObject): JsonObject;
  /** The contents of a read; the one that was asked for keeps the URI by which its client asked. */
  contents(source: string, result: JsonObject, read: ReadUri): JsonObject;
  tool(source: string, definition: ToolDefinition): ToolDefinition;
}

/** A URI that is read: as the client says it, and as the server knows it. */
interface ReadUri {
  readonly asked: string;
  readonly uri: string;
}

export interface ExposedLinksDeps {
  readonly isOwn: (source: string) => boolean;
  readonly listingOf: (source: string) => Listing;
}

export function createExposedLinks({ isOwn, listingOf }: ExposedLinksDeps): ExposedLinks {
  const expose = (source: string, uri: string): string => {
    if (uri === "" || isOwn(source)) return uri;
    return WEB.test(uri) && !listsUri(listingOf(source), uri) ? uri : exposeUri(source, uri);
  };
  return {
    answer: (source, answer) => withChanged(answer, "content", (block) => exposeBlock(block, source, expose)),
    prompt: (source, result) =>
      withChanged(result, "messages", (message) => exposeMessage(message, source, expose)),
    contents: (source, result, { asked, uri }) =>
      withChanged(result, "contents", (item) =>
        withUri(item, (given) => (given === uri ? asked : expose(source, given))),
      ),
    tool: (source, definition) => exposePage(definition, (uri) => expose(source, uri)),
  };
}

type Expose = (source: string, uri: string) => string;

function exposeBlock(block: unknown, source: string, expose: Expose): unknown {
  if (!isJsonObject(block)) return block;
  if (block["type"] === "resource_link") return withUri(block, (uri) => expose(source, uri));
  if (block["type"] !== "resource") return block;
  const resource = withUri(block["resource"], (uri) => expose(source, uri));
  return resource === block["resource"] ? block : { ...block, resource };
}

/** Its content is one block; a list of them is taken as well. */
function exposeMessage(message: unknown, source: string, expose: Expose): unknown {
  if (!isJsonObject(message)) return message;
  const { content } = message;
  if (Array.isArray(content))
    return withChanged(message, "content", (block) => exposeBlock(block, source, expose));
  const block = exposeBlock(content, source, expose);
  return block === content ? message : { ...message, content: block };
}

function withUri(item: unknown, change: (uri: string) => string): unknown {
  if (!isJsonObject(item) || typeof item["uri"] !== "string") return item;
  const uri = change(item["uri"]);
  return uri === item["uri"] ? item : { ...item, uri };
}

/** In its place of today, and in the one from before. */
function exposePage(definition: ToolDefinition, change: (uri: string) => string): ToolDefinition {
  const { _meta: meta } = definition;
  if (!isJsonObject(meta)) return definition;
  const ui = uiOf(meta);
  const page = ui?.["resourceUri"];
  const flat = meta[FLAT_PAGE_KEY];
  if (typeof page !== "string" && typeof flat !== "string") return definition;
  return {
    ...definition,
    _meta: {
      ...meta,
      ...(typeof page === "string" && { ui: { ...ui, resourceUri: change(page) } }),
      ...(typeof flat === "string" && { [FLAT_PAGE_KEY]: change(flat) }),
    },
  };
}

/** The object with the items of one list changed; the very same one where none is. */
function withChanged<T extends object>(holder: T, key: string, change: (item: unknown) => unknown): T {
  const items: unknown = (holder as JsonObject)[key];
  if (!Array.isArray(items)) return holder;
  let changed: unknown[] | undefined;
  for (const [at, item] of (items as unknown[]).entries()) {
    const next = change(item);
    if (next !== item) (changed ??= [...(items as unknown[])])[at] = next;
  }
  return changed === undefined ? holder : { ...holder, [key]: changed };
}
