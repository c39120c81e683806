/** What an http request came to, as the result of a node. */
import { DATA_LIMITS, parseJson, type Json, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { HttpAnswer, HttpRequest } from "../../net/http-outcome.ts";
import { REDIRECT_COUNT_MAX, type Journey } from "../../net/redirects.ts";
import { showExcerpt, showName } from "../shown.ts";
import type { TimeLimit } from "../time-limit.ts";

/** The server or something before it is busy or restarting: the same request may work later. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** Nothing is wrong with the request; the other side could not be reached. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: "no host has this name",
  EAI_AGAIN: "the lookup of the name failed for now",
  ECONNREFUSED: "nothing accepts connections there",
  ECONNRESET: "the connection was closed before the answer was complete",
  EPIPE: "the connection was closed before the request was complete",
  ETIMEDOUT: "the connection could not be made in time",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network of the host cannot be reached",
};

export const PRIVATE_ADDRESS_HINT =
  "Use a public address, or ask the owner of the gateway to set workflows.allowPrivateHttp to true in its config.";

/** The answer, or the failure that the journey ended in. */
export function answerOf(journey: Journey, limit: TimeLimit): ToolResult<HttpAnswer> {
  const { request, end, happened } = journey;
  const what = describeRequest(request);
  switch (end.kind) {
    case "answer":
      return succeed(end);
    case "aborted":
      return limit.failure(what, happened);
    case "broken":
      return brokenFailure(what, end.code, happened);
    case "refused":
      return fail("SECURITY_ERROR", `${what} was not sent: the host is, or resolves to, a private address.`, {
        hint: PRIVATE_ADDRESS_HINT,
        ...mayHave(happened),
      });
    case "badRedirect":
      return fail(
        "SECURITY_ERROR",
        `${what} was redirected to an address that ${end.message}.`,
        mayHave(happened),
      );
    case "tooMany":
      return fail("TOOL_EXECUTION_FAILED", `${what} was redirected more than ${REDIRECT_COUNT_MAX} times.`, {
        hint: "Call the last address directly, or set follow_redirects to false to see where it leads.",
        ...mayHave(happened),
      });
  }
}

function brokenFailure(what: string, code: string, happened: boolean): ReturnType<typeof fail> {
  const known = Object.hasOwn(UNREACHABLE, code) ? UNREACHABLE[code] : undefined;
  if (known === undefined) {
    return fail("TOOL_EXECUTION_FAILED", `${what} failed: ${showName(code)}.`, mayHave(happened));
  }
  return fail("TOOL_UNAVAILABLE", `${what} failed: ${known} (${code}).`, mayHave(happened));
}

function mayHave(happened: boolean): { retryable?: false; mayHaveHappened?: true } {
  return happened ? { retryable: false, mayHaveHappened: true } : {};
}

/** A query can hold a secret, so it is not shown. */
function describeRequest({ method, url }: HttpRequest): string {
  return `${method} ${showName(`${url.origin}${url.pathname}`)}`;
}

/** A status from 400 on, as a failure. */
export function statusFailure(request: HttpRequest, answer: HttpAnswer): ReturnType<typeof fail> {
  const { status } = answer;
  const excerpt = showExcerpt(textOf(answer));
  const said = excerpt === "" ? "with an empty body" : `and said: ${excerpt}`;
  return fail("TOOL_EXECUTION_FAILED", `${describeRequest(request)} answered with status ${status} ${said}`, {
    retryable: status >= 500 || RETRYABLE_STATUSES.has(status),
    reason: `http_${status}`,
  });
}

/** Fails for a body that is compressed although that was not asked for: as text it would be noise. */
export function resultOf(request: HttpRequest, answer: HttpAnswer): ToolResult<Json> {
  const encoding = answer.headers.get("content-encoding") ?? "identity";
  if (encoding.trim().toLowerCase() !== "identity" && answer.body.length > 0) {
    const message = `${describeRequest(request)} answered with a body encoded as ${showName(encoding)}, which was not asked for.`;
    return fail("TOOL_EXECUTION_FAILED", message, { reason: "content_encoding" });
  }
  const result: JsonObject = {
    status: answer.status,
    ok: answer.status >= 200 && answer.status < 300,
    headers: Object.fromEntries(answer.headers),
    body: bodyOf(answer),
  };
  return succeed(answer.truncated ? { ...result, truncated: true } : result);
}

function bodyOf(answer: HttpAnswer): Json {
  const text = textOf(answer);
  if (answer.truncated || !isJsonType(answer.headers.get("content-type") ?? "")) return text;
  const parsed = parseJson(text, DATA_LIMITS);
  return parsed.ok ? parsed.value : text;
}

function isJsonType(type: string): boolean {
  return /^\s*(?:application\/json|text\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:;|$)/i.test(type);
}

/** In the charset that the answer names, otherwise UTF-8. A character that was cut in half at the end is left out. */
export function textOf({ headers, body, truncated }: HttpAnswer): string {
  const charset = /;\s*charset="?([\w:.-]{1,40})/i.exec(headers.get("content-type") ?? "")?.[1];
  const options = { stream: truncated };
  try {
    return new TextDecoder(charset ?? "utf-8").decode(body, options);
  } catch {
    // The charset is none that is known here.
    return new TextDecoder().decode(body, options);
  }
}
