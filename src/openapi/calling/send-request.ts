/**
 * Sends a request, and follows where it is sent on to. Within its origin a redirect repeats what browsers repeat. To another
 * origin only a read goes on, and it takes nothing along: no header of the caller or the config, no cookie, no body.
 */
import type { Fetch } from "../../net/http-client.ts";
import { parseTarget, REDIRECT_COUNT_MAX, REDIRECT_STATUSES } from "../../net/redirects.ts";
import type { ApiRequest } from "./api-request.ts";

/** A redirect that is not followed. The request before it was answered. */
export class RefusedRedirect extends Error {
  constructor(why: string) {
    super(why);
    this.name = "RefusedRedirect";
  }
}

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** What another origin is told. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(["accept", "user-agent"]);

export async function sendRequest(first: ApiRequest, fetch: Fetch, signal: AbortSignal): Promise<Response> {
  let request = first;
  for (let count = 0; ; count++) {
    const { url, method, headers, body } = request;
    // A buffer is one of the things that our own client sends; the platform's type names other views of bytes.
    const init = {
      method,
      headers: Object.fromEntries(headers),
      body: (body ?? null) as string | null,
      signal,
    };
    const response = await fetch(url, init);
    const location = REDIRECT_STATUSES.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    if (count >= REDIRECT_COUNT_MAX)
      throw new RefusedRedirect(`it was redirected more than ${REDIRECT_COUNT_MAX} times`);
    request = nextRequest(request, location, response.status);
  }
}

function nextRequest(request: ApiRequest, location: string, status: number): ApiRequest {
  const target = parseTarget(location, request.url);
  if (!target.ok) throw new RefusedRedirect(`it was redirected to an address that ${target.message}`);
  const { url } = target;
  const becomesGet = status === 303 ? request.method !== "HEAD" : status < 303 && request.method === "POST";
  const method = becomesGet ? "GET" : request.method;
  if (url.origin !== request.url.origin) {
    if (!READS.has(method))
      throw new RefusedRedirect(`it was redirected to ${url.origin}, and only reads go on to another origin`);
    return {
      url,
      method,
      headers: new Map([...request.headers].filter(([name]) => HARMLESS_HEADERS.has(name))),
    };
  }
  if (!becomesGet) return { ...request, url };
  return { url, method, headers: new Map([...request.headers].filter(([name]) => !isAboutBody(name))) };
}

function isAboutBody(name: string): boolean {
  return name.startsWith("content-") || name === "idempotency-key";
}
