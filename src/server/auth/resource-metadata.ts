/**
 * The endpoint as an OAuth 2.1 protected resource: its names, and the document that says whose tokens it takes (RFC
 * 9728).
 */
import type { JsonObject } from "../../core/json.ts";
import type { Permission } from "../../core/principal.ts";
import { isLoopbackHost, isWildcardHost, urlHostOf } from "./loopback.ts";
import { scopeNameOf, type ScopeNames } from "./permission.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
const ENDPOINT = "/mcp";
/** What a client asks for at first; anything more, it asks for when it is told that it lacks it. */
const USUAL_PERMISSIONS: readonly Permission[] = ["read", "call"];

export interface EndpointAddress {
  readonly host: string;
  /** The one that is really listened on. */
  readonly port: number;
  readonly publicUrl?: string;
}

/** The addresses that clients know the gateway by, without a slash at the end; the first is its own name. */
export function basesOf({ host, port, publicUrl }: EndpointAddress): readonly string[] {
  if (publicUrl !== undefined) return [withoutEndSlash(publicUrl)];
  const names = isLoopbackHost(host) || isWildcardHost(host) ? ["127.0.0.1", "localhost", "::1"] : [];
  const own = isWildcardHost(host) ? [] : [host];
  return [...new Set([...own, ...names].map((name) => `http://${urlHostOf(name)}${portOf(port)}`))];
}

function portOf(port: number): string {
  return port === 80 ? "" : `:${port}`;
}

/** The address that the client used, which its resource must be named by; with one that is not ours, our own name. */
export function baseFor(hostHeader: string | undefined, bases: readonly string[]): string {
  const used = `http://${hostHeader?.toLowerCase()}`;
  return bases.find((base) => base === used) ?? bases[0]!;
}

/** `/mcp` or `/mcp/<profile>`; every other path is part of the endpoint as a whole. */
function resourcePathOf(path: string): string {
  const whole = withoutEndSlash(path);
  return whole.startsWith(`${ENDPOINT}/`) ? whole : ENDPOINT;
}

function withoutEndSlash(text: string): string {
  return text.endsWith("/") ? text.slice(0, -1) : text;
}

export function metadataUrlOf(base: string, path: string): string {
  return `${base}${WELL_KNOWN}${resourcePathOf(path)}`;
}

/** The document at `metadataUrlOf(base, path)`. */
export function resourceMetadata(
  base: string,
  path: string,
  { issuer, scopes }: { readonly issuer: string; readonly scopes: ScopeNames },
): JsonObject {
  return {
    resource: `${base}${resourcePathOf(path)}`,
    authorization_servers: [issuer],
    scopes_supported: usualScopes(scopes),
    bearer_methods_supported: ["header"],
    resource_name: "Repertoire",
  };
}

/** The scopes that a client without a token is told to ask for. */
export function usualScopes(scopes: ScopeNames): string[] {
  return USUAL_PERMISSIONS.map((permission) => scopeNameOf(permission, scopes));
}

/**
 * Who a token may be meant for to be good at this path. A token for the whole endpoint is good for a profile; one for a
 * profile is good for nothing else.
 */
export function audiencesOf(path: string, bases: readonly string[], audience?: string): readonly string[] {
  if (audience !== undefined) return [audience];
  const paths = new Set(["", "/", ENDPOINT, resourcePathOf(path)]);
  return bases.flatMap((base) => [...paths].map((each) => base + each));
}
