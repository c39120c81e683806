/** Where an issuer says that its keys are. */
import { isJsonObject } from "../../core/json.ts";
import { FETCH_TIMEOUT_MS, type Fetch } from "./issuer-fetch.ts";

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
export async function findJwksUrl(issuer: string, fetch: Fetch): Promise<URL> {
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
