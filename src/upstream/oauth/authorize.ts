/**
 * The authorization code flow, from the discovery to the tokens, once. It opens nothing itself: how the user gets to
 * the authorization page, and how its answer comes back, is handed in.
 */
import { randomBytes } from "node:crypto";
import {
  computeScopeUnion,
  exchangeAuthorization,
  startAuthorization,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { AuthorizationFailed, reasonOf } from "./authorization-failed.ts";
import { belongsTo, readCallback } from "./callback.ts";
import type { Challenge } from "./challenge.ts";
import { chooseClient, type OAuthSettings } from "./client.ts";
import { checkUrl, discover, type Discovery, type DiscoveryDeps } from "./discovery.ts";
import type { LoginRecord } from "./record.ts";

/** How a user gives consent: to open the page, and to hear where the browser was sent in the end. */
export interface AuthorizationWay {
  /** Where the browser is sent back to. The code that made this listens there, or reads the address. */
  readonly redirectUrl: string;
  /**
   * Gets the user to this page; resolves to the whole URL that the browser was sent back to. Where others can call that
   * place too, `isAnswer` tells which of them is the answer to wait for.
   */
  authorize(authorizationUrl: URL, isAnswer: (callback: URL) => boolean): Promise<URL>;
}

export interface AuthorizeDeps extends DiscoveryDeps {
  readonly settings: OAuthSettings;
  readonly way: AuthorizationWay;
  readonly challenge: Challenge;
  readonly previous: LoginRecord | undefined;
}

const STATE_BYTES = 32;

/** Throws an `AuthorizationFailed` if it fails. */
export async function authorize(deps: AuthorizeDeps): Promise<LoginRecord> {
  const discovery = await discover(deps, deps.challenge);
  return authorizeAt(discovery, deps);
}

export async function authorizeAt(discovery: Discovery, deps: AuthorizeDeps): Promise<LoginRecord> {
  const { settings, way, previous, fetch } = deps;
  const { metadata, resource, issuer, authorizationServerUrl } = discovery;
  const scope = scopeFor(discovery, deps);
  const { redirectUrl } = way;
  const client = await chooseClient({ discovery, settings, previous, redirectUrl, scope, fetch });
  const state = randomBytes(STATE_BYTES).toString("base64url");
  const shared = {
    ...(metadata !== undefined && { metadata }),
    ...(resource !== undefined && { resource }),
    clientInformation: client,
  };
  const started = await startAuthorization(authorizationServerUrl, {
    ...shared,
    redirectUrl,
    state,
    ...(scope !== undefined && { scope }),
  });
  await checkUrl(started.authorizationUrl, "the authorization page", deps.policy);
  const isAnswer = (given: URL): boolean => belongsTo(given, { state });
  const callback = await way.authorize(started.authorizationUrl, isAnswer);
  const { code, iss } = readCallback(callback, { redirectUrl, state, metadata });
  const tokens = await exchangeAuthorization(authorizationServerUrl, {
    ...shared,
    authorizationCode: code,
    codeVerifier: started.codeVerifier,
    redirectUri: redirectUrl,
    ...(iss !== undefined && { iss }),
    fetchFn: fetch,
  }).catch((cause: unknown) => {
    throw new AuthorizationFailed(`the code was not exchanged for a token: ${reasonOf(cause)}`, { cause });
  });
  requireBearer(tokens);
  return {
    issuer,
    authorizationServerUrl,
    ...(metadata !== undefined && { metadata }),
    ...(resource !== undefined && { resource }),
    client,
    redirectUrl,
    tokens: scope === undefined ? tokens : { scope, ...tokens },
  };
}

export function requireBearer(tokens: OAuthTokens): void {
  if (tokens.token_type.toLowerCase() === "bearer") return;
  throw new AuthorizationFailed(`the token is of the type ${tokens.token_type}; only bearer tokens are used`);
}

/**
 * What the user wrote, else what the server asked for, else all that it knows; and what it asked for beyond the last
 * login.
 */
function scopeFor(
  discovery: Discovery,
  { settings, challenge, previous }: AuthorizeDeps,
): string | undefined {
  const asked = settings.scopes?.join(" ") || challenge.scope || discovery.scopesSupported?.join(" ");
  const isSameLogin = previous?.issuer === discovery.issuer;
  const wanted = isSameLogin ? computeScopeUnion(asked, previous.wantedScope) : asked;
  // Some authorization servers give a refresh token only to who asks for it by this name.
  const offersOffline = discovery.metadata?.scopes_supported?.includes("offline_access") === true;
  return wanted && offersOffline ? computeScopeUnion(wanted, "offline_access") : wanted || undefined;
}
