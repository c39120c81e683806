/**
 * The server that a URI leads to. An exposed URI names it. Any other leads to the one server that offers it, among those
 * that the caller may see: a page of an App asks by its server's own URIs, because it knows no others.
 *
 * Where several offer it, none is asked: the caller is told under which exposed URIs they have it. What is held, denied or
 * not shown offers nothing and is not named.
 */
import { fail, type ToolResult } from "../core/result.ts";
import type { ToolView } from "../core/tool.ts";
import { quote } from "../text/quote.ts";
import { exposeUri, parseExposedUri } from "./exposed-uri.ts";
import type { Listing } from "./listing.ts";
import { offersUri } from "./offered-uris.ts";

interface UriRoute {
  readonly source: string;
  /** The URI that the server knows. */
  readonly uri: string;
}

/** Undefined where no server has it. */
export type FindUri = (uri: string, view?: ToolView) => ToolResult<UriRoute> | undefined;

/** Only we give URIs of this scheme: a server's own is always wrapped, and never taken bare. */
const OWN_SCHEME = /^repertoire:/i;
/** Enough to see which servers there are to choose from. */
const CANDIDATES_SHOWN_MAX = 5;

export interface UriRouteDeps {
  readonly isKnown: (source: string) => boolean;
  readonly listings: () => ReadonlyMap<string, Listing>;
}

export function createUriFinder({ isKnown, listings }: UriRouteDeps): FindUri {
  function findBare(uri: string, view: ToolView | undefined): ToolResult<UriRoute> | undefined {
    if (uri === "" || OWN_SCHEME.test(uri)) return undefined;
    const allows = (tool: string) => view?.allows(tool) !== false;
    const owners = [...listings()]
      .filter(([id]) => view?.allowsServer(id) !== false)
      .filter(([, listing]) => offersUri(listing, uri, allows))
      .map(([id]) => id);
    const [source] = owners;
    if (source === undefined) return undefined;
    return owners.length === 1 ? { success: true, data: { source, uri } } : severalHave(uri, owners);
  }

  return (uri, view) => {
    const exposed = parseExposedUri(uri);
    return exposed !== undefined && isKnown(exposed.source)
      ? { success: true, data: exposed }
      : findBare(uri, view);
  };
}

function severalHave(uri: string, owners: readonly string[]): ToolResult<never> {
  const candidates = owners.toSorted().map((id) => exposeUri(id, uri));
  const shown = candidates.slice(0, CANDIDATES_SHOWN_MAX);
  return fail("TOOL_INVALID_INPUT", `Several servers have the resource ${quote(uri, 200)}.`, {
    field: "uri",
    nearest: shown,
    hint: `Name one of them: ${shown.join(", ")}${candidates.length > shown.length ? ", …" : ""}`,
  });
}
