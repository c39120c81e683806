import { fail, type ToolResult } from "../core/result.ts";

/** What a server may ask for at most: more is a mistake, or malice. */
const WAIT_MAX_MS = 60_000;

/** Seconds or a date, capped; undefined for what is neither, or is in the past. */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const isSeconds = /^\s*\d{1,15}\s*$/.test(text);
  const waitMs = isSeconds ? Number(text) * 1000 : Date.parse(text) - now;
  // `Date.parse` reads much that is no date of HTTP, such as -1.
  if (!isSeconds && !/^[A-Za-z]{3}/.test(text.trim())) return undefined;
  return Number.isFinite(waitMs) && waitMs >= 0 ? Math.min(waitMs, WAIT_MAX_MS) : undefined;
}

/** A server that says that it is too busy took nothing on: the failure says so, and how long to wait. */
export function busyFailure(
  server: string,
  { status, headers }: Pick<Response, "status" | "headers">,
  now: number,
  said = "",
): ToolResult<never> & { readonly success: false } {
  const waitMs = parseRetryAfter(headers.get("retry-after"), now);
  const isLimited = status === 429;
  const what = isLimited ? "has had too many requests" : "is not available right now";
  const words = `The server ${server} ${what} (HTTP ${status})${said === "" ? "." : `: ${said}`}`;
  return fail(isLimited ? "RATE_LIMITED" : "TOOL_UNAVAILABLE", words, {
    reason: "busy",
    retryable: true,
    hint:
      waitMs === undefined
        ? "Nothing took effect. Call again later."
        : `Nothing took effect. Call again in ${Math.ceil(waitMs / 1000)} s.`,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}
