/**
 * Access tokens of a configured issuer, as JWT. A token is good only if a key that the issuer publishes has signed
 * it, with an asymmetric algorithm; nothing that the token says about where keys are (`jku`, `x5u`, `jwk`) is looked
 * at, and its `kid` only chooses among the published ones.
 */
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from "jose";
import { systemClock, type Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { createIssuerFetch, FETCH_TIMEOUT_MS, withCooldown, type Fetch } from "./issuer-fetch.ts";

/** With a symmetric one, everybody who knows the public key could sign. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** How far the issuer's clock may be from ours. */
const CLOCK_SKEW_S = 60;
/** A key that is not known makes us ask the issuer, but not more often than this. */
const KEYS_COOLDOWN_MS = 30_000;
/** So long a key that the issuer has withdrawn is still good. */
const KEYS_AGE_MAX_MS = 600_000;
/** It becomes part of a name that is logged and kept. */
const SUBJECT_LENGTH_MAX = 255;

export interface AccessTokenDeps {
  readonly issuer: string;
  readonly jwksUrl?: string;
  readonly fetch: Fetch;
  readonly clock?: Clock;
}

export type AccessToken =
  | {
      readonly kind: "good";
      readonly subject: string;
      readonly audiences: readonly string[];
      readonly scopes: ReadonlySet<string>;
      /** The tolerance for the issuer's clock is in it. */
      readonly expiresAtMs: number;
    }
  | { readonly kind: "bad"; readonly reason: string; readonly isIssuerAtFault: boolean };

/** Reads a token and checks all but whom it is meant for, which depends on what is asked for. It never throws. */
export type ReadAccessToken = (token: string) => Promise<AccessToken>;

export function createAccessTokenReader(deps: AccessTokenDeps): ReadAccessToken {
  const { issuer, clock = systemClock } = deps;
  const keys = createKeys(deps, clock);
  return async (token) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_SKEW_S,
        currentDate: new Date(clock.now()),
        requiredClaims: ["exp", "aud", "sub"],
      });
      return isAccessTokenType(protectedHeader.typ)
        ? readClaims(payload)
        : bad("its typ is not that of an access token");
    } catch (error) {
      return isTokenAtFault(error) ? bad(error.code) : { ...bad(messageOf(error)), isIssuerAtFault: true };
    }
  };
}

/** The issuer's keys; its metadata are asked where they are when a token first needs one. */
function createKeys({ issuer, jwksUrl, fetch }: AccessTokenDeps, clock: Clock): JWTVerifyGetKey {
  const bounded = createIssuerFetch(fetch);
  const fetchKeys = withCooldown(async (...args: Parameters<Fetch>) => {
    const response = await bounded(...args);
    if (response.status !== 200) throw new Error(`the issuer's keys: status ${response.status}`);
    const document: unknown = await response.json();
    if (isJsonObject(document) && Array.isArray(document["keys"])) return Response.json(document);
    throw new Error("the issuer's keys: not a key set");
  }, clock);
  const open = (url: URL) =>
    createRemoteJWKSet(url, {
      timeoutDuration: FETCH_TIMEOUT_MS,
      cooldownDuration: KEYS_COOLDOWN_MS,
      cacheMaxAge: KEYS_AGE_MAX_MS,
      headers: { "user-agent": "repertoire" },
      [customFetch]: fetchKeys,
    });
  const discover = withCooldown(async () => open(await findJwksUrl(issuer, bounded)), clock);
  const given = jwksUrl === undefined ? undefined : open(new URL(jwksUrl));
  let found: ReturnType<typeof discover> | undefined;
  const forget = () => (found = undefined);
  return async (header, token) => {
    if (given !== undefined) return given(header, token);
    found ??= discover();
    const keys = await found.catch((error: unknown) => {
      forget();
      throw error;
    });
    try {
      return await keys(header, token);
    } catch (error) {
      // The issuer may have moved its keys: the next token asks for its metadata again.
      if (!keys.fresh) forget();
      throw error;
    }
  };
}

function readClaims({ sub, aud, exp, ...claims }: JWTPayload): AccessToken {
  if (typeof sub !== "string" || sub === "" || sub.length > SUBJECT_LENGTH_MAX)
    return bad("its sub is no name");
  const audiences = typeof aud === "string" ? [aud] : (aud ?? []);
  const scopes = new Set([...wordsOf(claims["scope"]), ...wordsOf(claims["scp"])]);
  return { kind: "good", subject: sub, audiences, scopes, expiresAtMs: (exp! + CLOCK_SKEW_S) * 1000 };
}

/** `scope` is one text in RFC 9068, `scp` a list with some issuers and a text with others. */
function wordsOf(claim: unknown): readonly string[] {
  if (typeof claim === "string") return claim.split(" ").filter(Boolean);
  return Array.isArray(claim) ? claim.filter((word) => typeof word === "string") : [];
}

/** Without one it is a JWT by the context; RFC 9068 has a type of its own. A logout or DPoP token is none of these. */
function isAccessTokenType(typ: string | undefined): boolean {
  return typ === undefined || ["at+jwt", "jwt"].includes(typ.toLowerCase().replace(/^application\//, ""));
}

function bad(reason: string) {
  return { kind: "bad", reason, isIssuerAtFault: false } as const;
}

/** jose throws its bare error, and errors of its own about the key set, for what the issuer answered. */
function isTokenAtFault(error: unknown): error is errors.JOSEError {
  if (!(error instanceof errors.JOSEError)) return false;
  return (
    !(error instanceof errors.JWKSInvalid || error instanceof errors.JWKSTimeout) &&
    error.code !== "ERR_JOSE_GENERIC"
  );
}

/**
 * The places where an issuer's metadata can be, in the order in which they are tried: RFC 8414 puts the well-known
 * part before the issuer's path, OpenID Connect behind it.
 */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

/** The address of the issuer's keys. Throws where no document of this very issuer names one. */
async function findJwksUrl(issuer: string, fetch: Fetch): Promise<URL> {
  const failures: string[] = [];
  for (const url of metadataUrls(issuer)) {
    const found = await readJwksUrl(url, issuer, fetch).catch((error: unknown) => String(error));
    if (found instanceof URL) return found;
    failures.push(`${url}: ${found}`);
  }
  throw new Error(
    `no metadata of ${issuer} say where its keys are (${failures.join("; ")}); http.oauth.jwksUrl can`,
  );
}

async function readJwksUrl(url: string, issuer: string, fetch: Fetch): Promise<URL | string> {
  const response = await fetch(url, {
    method: "GET",
    redirect: "manual",
    headers: new Headers({ accept: "application/json" }),
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200) return `status ${response.status}`;
  const document: unknown = await response.json();
  if (!isJsonObject(document)) return "not a JSON object";
  // Otherwise one tenant of a shared host could speak for another.
  if (document["issuer"] !== issuer)
    return `it is that of another issuer, ${JSON.stringify(document["issuer"])}`;
  const { jwks_uri: jwksUri } = document;
  return (typeof jwksUri === "string" ? URL.parse(jwksUri) : null) ?? "it has no jwks_uri";
}
