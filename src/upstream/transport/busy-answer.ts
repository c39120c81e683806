/** A server that says that it is too busy took nothing on: that is an error with a name, and says how long to wait. */
import { fail } from "../../core/result.ts";
import { TransportFailure } from "./transport-failure.ts";
import type { Fetch } from "../../net/http-client.ts";

/** What a server may ask for at most: more is a mistake, or malice. */
const WAIT_MAX_MS = 60_000;

export function refuseBusyAnswers(fetch: Fetch, server: string, now: () => number = Date.now): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.status !== 429 && response.status !== 503) return response;
    await response.body?.cancel();
    throw new TransportFailure(busyError(server, response, now()).error);
  };
}

function busyError(server: string, response: Response, now: number): ReturnType<typeof fail> {
  const waitMs = parseRetryAfter(response.headers.get("retry-after"), now);
  const isLimited = response.status === 429;
  const what = isLimited ? "has had too many requests (HTTP 429)" : "is not available right now (HTTP 503)";
  return fail(isLimited ? "RATE_LIMITED" : "TOOL_UNAVAILABLE", `The server ${server} ${what}.`, {
    reason: "busy",
    retryable: true,
    hint:
      waitMs === undefined
        ? "Nothing took effect. Call again later."
        : `Nothing took effect. Call again in ${Math.ceil(waitMs / 1000)} s.`,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

/** Seconds or a date, capped; undefined for what is neither, or is in the past. */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const isSeconds = /^\s*\d{1,15}\s*$/.test(text);
  const waitMs = isSeconds ? Number(text) * 1000 : Date.parse(text) - now;
  // `Date.parse` reads much that is no date of HTTP, such as -1.
  if (!isSeconds && !/^[A-Za-z]{3}/.test(text.trim())) return undefined;
  return Number.isFinite(waitMs) && waitMs >= 0 ? Math.min(waitMs, WAIT_MAX_MS) : undefined;
}
