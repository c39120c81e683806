/** Which URIs a server has, as far as it says so: what a client may ask for by the server's own URI. */
import { pageOf } from "./app-tool.ts";
import { matchesTemplate } from "./held.ts";
import type { Listing } from "./listing.ts";

/** As long as an admitted URI may be; no longer one is offered. */
const URI_LENGTH_MAX = 8 * 1024;

interface OfferedUris {
  /** Resources, and templates as they are written: completion asks by the latter. */
  readonly listed: ReadonlySet<string>;
  readonly templates: readonly string[];
  /** The pages of Apps, with the exposed names of their tools: servers need not list them as resources. */
  readonly pages: ReadonlyMap<string, readonly string[]>;
}

const known = new WeakMap<Listing, OfferedUris>();

/** Whether a URI is among the server's resources. */
export function listsUri(listing: Listing, uri: string): boolean {
  return offeredBy(listing).listed.has(uri);
}

/** The same, or whether it can come from a template, or is the page of a tool that the caller may see. */
export function offersUri(listing: Listing, uri: string, allows: (tool: string) => boolean): boolean {
  if (uri.length > URI_LENGTH_MAX) return false;
  const { listed, templates, pages } = offeredBy(listing);
  if (listed.has(uri) || pages.get(uri)?.some(allows) === true) return true;
  return templates.some((template) => matchesTemplate(template, uri));
}

/** Made once for each listing. */
function offeredBy(listing: Listing): OfferedUris {
  let offered = known.get(listing);
  if (offered === undefined) {
    const templates = listing.resourceTemplates.map(({ original }) => original);
    const resources = listing.resources.map(({ original }) => original);
    offered = { listed: new Set([...resources, ...templates]), templates, pages: pagesOf(listing) };
    known.set(listing, offered);
  }
  return offered;
}

function pagesOf({ components, appOnly }: Listing): Map<string, string[]> {
  const pages = new Map<string, string[]>();
  for (const { name, definition } of [...components, ...appOnly]) {
    const page = pageOf(definition);
    if (page !== undefined) pages.set(page, [...(pages.get(page) ?? []), name]);
  }
  return pages;
}
