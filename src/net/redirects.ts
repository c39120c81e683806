/**
 * A request and the redirects that it leads to, each under the same address policy as the first request. What a
 * redirect may not do: leave http and https, carry credentials in its URL, or take the caller's credentials to another
 * origin. Never throws.
 *
 * Every request has a connection of its own: a connection that is kept could have been checked under another policy.
 */
import { isSecretKey } from "../text/redaction.ts";
import type { AddressPolicy } from "./address-policy.ts";
import type { HttpOutcome, HttpRequest } from "./http-outcome.ts";

/** As many as any service needs; browsers allow 20. */
export const REDIRECT_COUNT_MAX = 5;

export const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface Journey {
  /** The last request that was made, or was to be made. */
  readonly request: HttpRequest;
  readonly end:
    | HttpOutcome
    | { readonly kind: "badRedirect"; readonly message: string }
    | { readonly kind: "tooMany" };
  /**
   * A request that changes something was sent on the way, and how the whole thing ended does not say what came of it.
   */
  readonly happened: boolean;
}

export interface JourneyOptions {
  readonly policy: AddressPolicy;
  readonly signal: AbortSignal;
  readonly bytesMax: number;
  /** With 0, a redirect is an answer like any other. */
  readonly redirectCountMax: number;
}

export async function followRedirects(first: HttpRequest, options: JourneyOptions): Promise<Journey> {
  // Loading node:http costs every start of the gateway some 30 ms, and few workflows use it.
  const { createHttpClient } = await import("./http-client.ts");
  const client = createHttpClient({ policy: options.policy, keepsConnections: false });
  let request = first;
  let happened = false;
  for (let count = 0; ; count++) {
    const end = await client.request(request, options);
    const wasSent = end.kind === "answer" || (end.kind !== "refused" && end.sent);
    happened ||= wasSent && !SAFE_METHODS.has(request.method);
    const location =
      end.kind === "answer" && REDIRECT_STATUSES.has(end.status) ? end.headers.get("location") : undefined;
    if (end.kind !== "answer" || location === undefined || options.redirectCountMax === 0) {
      return { request, end, happened };
    }
    if (count === options.redirectCountMax) return { request, end: { kind: "tooMany" }, happened };
    const target = parseTarget(location, request.url);
    if (!target.ok) return { request, end: { kind: "badRedirect", message: target.message }, happened };
    request = redirected(request, target.url, end.status);
  }
}

/** As browsers do: 303, and 301 and 302 after a POST, go on with a GET; the others repeat the request. */
function redirected(request: HttpRequest, url: URL, status: number): HttpRequest {
  const becomesGet = status === 303 ? request.method !== "HEAD" : status < 303 && request.method === "POST";
  const isSameOrigin = url.origin === request.url.origin;
  const headers = [...request.headers].filter(
    ([name]) => (isSameOrigin || !isSecretKey(name)) && !(becomesGet && isAboutBody(name)),
  );
  const { method, body } = request;
  if (becomesGet) return { url, method: "GET", headers: new Map(headers) };
  return { url, method, headers: new Map(headers), body };
}

function isAboutBody(name: string): boolean {
  return name.startsWith("content-") || name === "idempotency-key";
}

export type Target =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly message: string };

/**
 * Where a request may go: http or https, without credentials in the URL. The URL itself is not repeated in the message.
 */
export function parseTarget(text: string, base?: URL): Target {
  const url = URL.parse(text, base?.href);
  if (url === null) return { ok: false, message: "is not a URL; write it as https://host/path" };
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return { ok: false, message: "must begin with http:// or https://" };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      ok: false,
      message: "must not contain a user name or password; send an Authorization header instead",
    };
  }
  url.hash = "";
  return { ok: true, url };
}
