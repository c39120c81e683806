/**
 * Follows redirects, each under the same guard as the first request. What a redirect may not do: leave http and https, carry
 * credentials in its URL, or take the caller's credentials to another origin.
 */
import { isSecretKey } from "../../text/redaction.ts";
import type { Exchange, ExchangeOptions, HttpRequest } from "./exchange.ts";
import { parseTarget } from "./target.ts";

/** As many as any service needs; browsers allow 20. */
export const REDIRECT_COUNT_MAX = 5;

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

export interface Journey {
  /** The last request that was made, or was to be made. */
  readonly request: HttpRequest;
  readonly end:
    | Exchange
    | { readonly kind: "badRedirect"; readonly message: string }
    | { readonly kind: "tooMany" };
  /** A request that changes something was sent on the way, and how the whole thing ended does not say what came of it. */
  readonly happened: boolean;
}

export async function followRedirects(
  first: HttpRequest,
  options: ExchangeOptions & { readonly redirectCountMax: number },
): Promise<Journey> {
  // Loading node:http costs every start of the gateway some 30 ms, and few workflows use it.
  const { exchange } = await import("./exchange.ts");
  let request = first;
  let happened = false;
  for (let count = 0; ; count++) {
    const end = await exchange(request, options);
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
  return { url, method, headers: new Map(headers), ...(body === undefined ? {} : { body }) };
}

function isAboutBody(name: string): boolean {
  return name.startsWith("content-") || name === "idempotency-key";
}
