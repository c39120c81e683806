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

/** Whether a URI is among the server's resources, or can come from one of its templates. */
export function listsUri(listing: Listing, uri: string): boolean {
  if (uri.length > URI_LENGTH_MAX) return false;
  const { listed, templates } = offeredBy(listing);
  return listed.has(uri) || templates.some((template) => matchesTemplate(template, uri));
}

/** The same, or whether it is the page of a tool that the caller may see. */
export function offersUri(listing: Listing, uri: string, allows: (tool: string) => boolean): boolean {
  return listsUri(listing, uri) || offeredBy(listing).pages.get(uri)?.some(allows) === true;
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
