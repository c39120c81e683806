/**
 * The authorization code flow, from the discovery to the tokens, once. It opens nothing itself: how the user gets to
 * the authorization page, and how its answer comes back, is handed in.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  computeScopeUnion,
  exchangeAuthorization,
  startAuthorization,
  type OAuthTokens,
  validateAuthorizationResponseIssuer,
  type AuthorizationServerMetadata,
} from "@modelcontextprotocol/client";
import { AuthorizationFailed, reasonOf } from "./authorization-failed.ts";
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
    metadata,
    resource,
    clientInformation: client,
  };
  const started = await startAuthorization(authorizationServerUrl, {
    ...shared,
    redirectUrl,
    state,
    scope,
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
    iss,
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

interface ExpectedCallback {
  readonly redirectUrl: string;
  readonly state: string;
  readonly metadata: AuthorizationServerMetadata | undefined;
}

interface AuthorizationCode {
  readonly code: string;
  readonly iss: string | undefined;
}

/**
 * Whether this answers the request that was made, whatever it says: only who made it, and who was sent it, knows the
 * state.
 */
function belongsTo(callback: URL, { state }: Pick<ExpectedCallback, "state">): boolean {
  const states = callback.searchParams.getAll("state");
  return states.length === 1 && isSame(states[0], state);
}

/**
 * Reads where the authorization server sent the browser back to. Nothing in it is believed before it is sure that it
 * answers this very request: the place, the state, and the issuer, in this order; then the error text or the code.
 */
function readCallback(callback: URL, expected: ExpectedCallback): AuthorizationCode {
  const place = new URL(expected.redirectUrl);
  if (callback.origin !== place.origin || callback.pathname !== place.pathname) {
    throw new AuthorizationFailed("the answer came back to another address than the one that was given");
  }
  const parameters = callback.searchParams;
  if (!isSame(only(parameters, "state"), expected.state)) {
    throw new AuthorizationFailed(
      "the answer does not belong to this login: its state is missing or another",
    );
  }
  const iss = only(parameters, "iss");
  checkIssuer(iss, expected.metadata);
  const error = only(parameters, "error");
  if (error !== undefined) {
    const description = only(parameters, "error_description");
    throw new AuthorizationFailed(
      `it was refused: ${error}${description === undefined ? "" : ` (${description})`}`,
    );
  }
  const code = only(parameters, "code");
  if (code === undefined || code === "") throw new AuthorizationFailed("the answer has no code");
  return { code, iss };
}

function checkIssuer(iss: string | undefined, metadata: AuthorizationServerMetadata | undefined): void {
  const isPromised = metadata?.["authorization_response_iss_parameter_supported"] === true;
  try {
    validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: isPromised,
    });
  } catch (cause) {
    throw new AuthorizationFailed("the answer comes from another authorization server", { cause });
  }
}

/** A parameter that is there twice could be read one way by us and another way by somebody else. */
function only(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new AuthorizationFailed(`the answer has ${name} more than once`);
  return values[0];
}

function isSame(given: string | undefined, expected: string): boolean {
  if (given === undefined) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
