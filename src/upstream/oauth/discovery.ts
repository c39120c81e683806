/**
 * Finds the authorization server of a server, and checks everything that it says of itself before anything is sent
 * there: every URL by the address policy, and PKCE with S256, without which anyone who sees a code could redeem it.
 */
import {
  checkResourceAllowed,
  discoverOAuthProtectedResourceMetadata,
  discoverOAuthServerInfo,
  type AuthorizationServerMetadata,
} from "@modelcontextprotocol/client";
import type { AddressPolicy } from "../../net/address-policy.ts";
import type { Fetch } from "../../net/http-client.ts";
import { AuthorizationFailed, reasonOf } from "./authorization-failed.ts";
import type { Challenge } from "./challenge.ts";
import type { LoginRecord } from "./record.ts";

export interface Discovery {
  readonly issuer: string;
  readonly authorizationServerUrl: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
  readonly resource: string | undefined;
  readonly scopesSupported: readonly string[] | undefined;
  /** Whether the server, or an authorization server in its place, said anything at all. */
  readonly isDescribed: boolean;
}

export interface DiscoveryDeps {
  readonly serverUrl: URL;
  readonly fetch: Fetch;
  readonly policy: AddressPolicy;
}

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
] as const;

export async function discover(deps: DiscoveryDeps, challenge: Challenge): Promise<Discovery> {
  const { resourceMetadataUrl } = challenge;
  const found = await discoverOAuthServerInfo(deps.serverUrl, {
    fetchFn: deps.fetch,
    resourceMetadataUrl,
  }).catch((cause: unknown) => {
    throw new AuthorizationFailed(reasonOf(cause), { cause });
  });
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (metadata !== undefined) await checkMetadata(metadata, deps.policy);
  else if (resourceMetadata?.authorization_servers?.[0] !== undefined) {
    throw new AuthorizationFailed(`${authorizationServerUrl} has no metadata of an authorization server`);
  }
  return {
    issuer: metadata?.issuer ?? authorizationServerUrl,
    authorizationServerUrl,
    metadata,
    resource: resourceOf(resourceMetadata?.resource, deps.serverUrl),
    scopesSupported: resourceMetadata?.scopes_supported,
    isDescribed: metadata !== undefined || resourceMetadata !== undefined,
  };
}

/**
 * Whether the server has turned to another authorization server since the login. A server that says nothing about it
 * has not: the record is used with its own issuer alone.
 */
export async function hasMoved(
  deps: DiscoveryDeps,
  record: LoginRecord,
  { resourceMetadataUrl }: Challenge,
): Promise<boolean> {
  try {
    const { authorization_servers: named = [] } = await discoverOAuthProtectedResourceMetadata(
      deps.serverUrl,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      deps.fetch,
    );
    return named.length > 0 && !named.some((url) => isSameServer(url, record.authorizationServerUrl));
  } catch {
    return false;
  }
}

function isSameServer(a: string, b: string): boolean {
  return a.replace(/\/$/, "") === b.replace(/\/$/, "");
}

async function checkMetadata(metadata: AuthorizationServerMetadata, policy: AddressPolicy): Promise<void> {
  if (metadata.code_challenge_methods_supported?.includes("S256") !== true) {
    throw new AuthorizationFailed(`${metadata.issuer} does not say that it supports PKCE with S256`);
  }
  for (const name of ENDPOINTS) {
    const text = (metadata as Record<string, unknown>)[name];
    if (text === undefined) continue;
    const url = typeof text === "string" ? URL.parse(text) : null;
    if (url === null) throw new AuthorizationFailed(`${name} of ${metadata.issuer} is not a URL`);
    await checkUrl(url, name, policy);
  }
}

export async function checkUrl(url: URL, name: string, policy: AddressPolicy): Promise<void> {
  try {
    await policy.check(url);
  } catch (cause) {
    throw new AuthorizationFailed(`${name}: ${reasonOf(cause)}`, { cause });
  }
}

/** The server's name for itself, as it wrote it; a name that does not cover its address is somebody else's. */
function resourceOf(resource: string | undefined, serverUrl: URL): string | undefined {
  if (resource === undefined) return undefined;
  const own = new URL(serverUrl);
  own.hash = "";
  if (checkResourceAllowed({ requestedResource: own, configuredResource: resource })) return resource;
  throw new AuthorizationFailed(`the server says that it is ${resource}, which is another server`);
}
