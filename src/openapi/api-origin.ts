/**
 * Where the operations of a description go, and which origin gets the credentials of the config: the one that the config itself
 * wrote (`baseUrl`, else the address of the description), or for a file the first server that it names. What a description that
 * came over the network names beyond that is believed as much as a redirect: it is reached, and gets nothing.
 */
import { isIP } from "node:net";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { isOwnOrigin } from "../net/address-policy.ts";
import { kindOfAddress } from "../net/addresses.ts";
import { parseTarget } from "../net/redirects.ts";
import { quote } from "../text/quote.ts";
import type { CallPlan } from "./api-description.ts";
import { isAddress, type ReadDescription } from "./description-place.ts";

export interface OriginConfig {
  readonly location: string;
  readonly baseUrl?: string;
}

export interface ApiOrigin {
  /** The one that the config or the user's own file wrote. */
  readonly own: URL;
  /** Where the paths of an operation begin. */
  baseOf(plan: CallPlan): ToolResult<URL>;
  isOwn(url: URL): boolean;
}

export function originOf(config: OriginConfig, read: ReadDescription): ToolResult<ApiOrigin> {
  const base = resolveBase(config, read, read.description.server);
  if (!base.success) return base;
  const own =
    config.baseUrl !== undefined || !isAddress(config.location) ? base.data : new URL(config.location);
  return succeed({
    own,
    baseOf: ({ server }) =>
      server === undefined || config.baseUrl !== undefined ? base : resolveBase(config, read, server),
    isOwn: (url) => isOwnOrigin(own, url),
  });
}

function resolveBase({ baseUrl }: OriginConfig, { url }: ReadDescription, server: string): ToolResult<URL> {
  const target = parseTarget(baseUrl ?? server, url);
  if (!target.ok) {
    const named = baseUrl === undefined ? `The description names the server ${quote(server)}` : "The baseUrl";
    return refuse(
      `${named}, which ${URL.canParse(baseUrl ?? server, url?.href) ? target.message : "is no address"}.`,
    );
  }
  const base = target.url;
  base.search = "";
  const host = base.hostname.replace(/^\[(.*)\]$/, "$1");
  // Such as that of a metadata service: nobody has an API there by accident.
  if (baseUrl === undefined && isIP(host) !== 0 && kindOfAddress(host) === "special")
    return refuse(`The description names ${base.origin}, an address that is never used for servers.`);
  return succeed(base);
}

function refuse(message: string): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", message, {
    retryable: false,
    reason: "no_server",
    hint: 'Ask the user to set "baseUrl" of this server in the config.',
  });
}
