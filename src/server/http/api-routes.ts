/**
 * The API over HTTP: what comes in is read and bounded here, what goes out gets its status and its ETag. What the routes
 * mean is not known here; they are handed over as plain functions.
 */
import { createHash } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { parseJson } from "../../core/json.ts";
import { tellThrown, type ToolError, type ToolErrorCode } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Permission, Principal } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { quote } from "../../text/quote.ts";
import type { ConsoleSession } from "../auth/console-session.ts";
import { callOf, goneSignal, type HttpCall } from "./http-call.ts";
import type { OperatorRoute } from "./operator-routes.ts";
import { API_PATH } from "./security-headers.ts";

/** Code of 256 KiB, escaped as JSON, with its inputs. */
const API_BODY_BYTES_MAX = 1024 * 1024;

/** A request as a route sees it. */
export interface ApiRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined where none came. */
  readonly body: unknown;
  /** Undefined on a public route for a caller that nobody knows. */
  readonly principal: Principal | undefined;
  readonly session: ConsoleSession | undefined;
  /** Aborts when the caller has gone before its answer. */
  readonly signal: AbortSignal;
}

export interface ApiRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below `/api/v1`, with names such as `:run`. */
  readonly path: string;
  readonly permission: Permission | "public";
  readonly shows: "own" | "whole";
  /** Throws only where the world is broken. */
  readonly handle: (request: ApiRequest) => Promise<ToolResult<unknown>>;
}

type RouteContext = Context<{ Bindings: HttpBindings }>;

export function operatorRouteOf(route: ApiRoute, log: Log): OperatorRoute {
  const path = `${API_PATH}${route.path}`;
  return {
    path,
    method: route.method,
    permission: route.permission,
    shows: route.shows === "whole" ? "whole" : "state",
    async answer(context) {
      const call = callOf(context.env.incoming)!;
      call.route = path;
      const asked = await readRequest(context, call);
      const answer = asked.success ? await attemptRoute(route, asked.data, log) : asked;
      if (!answer.success) return replyError(context, answer.error);
      return replyJson(context, answer.data);
    },
  };
}

async function attemptRoute(route: ApiRoute, request: ApiRequest, log: Log): Promise<ToolResult<unknown>> {
  try {
    return await route.handle(request);
  } catch (error) {
    const told = tellThrown(error);
    if (told === undefined) log.error("api.failed", { route: route.path, error });
    return fail("TOOL_EXECUTION_FAILED", told ?? "The gateway failed inside; its log says more.", {
      reason: told === undefined ? "internal" : "store_failed",
    });
  }
}

async function readRequest(context: RouteContext, call: HttpCall): Promise<ToolResult<ApiRequest>> {
  const query = readQuery(context);
  if (!query.success) return query;
  const body = await readBody(context);
  if (!body.success) return body;
  return succeed({
    params: context.req.param(),
    query: query.data,
    body: body.data,
    principal: call.principal,
    session: call.session,
    signal: goneSignal(call),
  });
}

function readQuery(context: RouteContext): ToolResult<Record<string, string>> {
  const given = context.req.queries();
  const twice = Object.entries(given).find(([, values]) => values.length > 1);
  if (twice !== undefined) return wrong(`The query has ${quote(twice[0])} twice.`, twice[0]);
  return succeed(Object.fromEntries(Object.entries(given).map(([name, values]) => [name, values[0]!])));
}

/** A body is JSON and says its length before it is read. */
async function readBody(context: RouteContext): Promise<ToolResult<unknown>> {
  const { method } = context.req;
  const length = context.req.header("content-length");
  if (method === "GET" || method === "HEAD" || length === "0") return succeed(undefined);
  if (length === undefined && context.req.header("transfer-encoding") === undefined)
    return succeed(undefined);
  if (!/^application\/json\b/i.test(context.req.header("content-type") ?? ""))
    return wrong("The body must be application/json.", "body");
  if (!(Number(length ?? Number.NaN) <= API_BODY_BYTES_MAX))
    return wrong(`The body may have ${API_BODY_BYTES_MAX} bytes, with their length.`, "body");
  const parsed = parseJson(await context.req.text());
  return parsed.ok ? succeed(parsed.value) : wrong(`The body is not JSON: ${parsed.message}.`, "body");
}

function wrong(message: string, field: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", message, { field, hint: "GET /api/v1/openapi.json describes the API." });
}

/** Kept by no cache: it may be private. The page itself remembers the tag of what it shows. */
function replyJson(context: RouteContext, data: unknown): Response {
  const text = JSON.stringify(data);
  const isRead = context.req.method === "GET";
  const etag = `"${createHash("sha1").update(text).digest("base64url")}"`;
  const headers = { "Cache-Control": "no-store", ...(isRead && { ETag: etag }) };
  if (isRead && context.req.header("if-none-match") === etag) return context.body(null, 304, headers);
  return context.body(text, 200, { ...headers, "Content-Type": "application/json" });
}

const STATUSES: Readonly<Record<ToolErrorCode, 400 | 403 | 404 | 409 | 429 | 500 | 501 | 503 | 504>> = {
  TOOL_NOT_IMPLEMENTED: 501,
  TOOL_INVALID_INPUT: 400,
  TOOL_UNAVAILABLE: 503,
  TOOL_EXECUTION_FAILED: 500,
  TOOL_NOT_FOUND: 404,
  TOOL_TIMEOUT: 504,
  RATE_LIMITED: 429,
  SECURITY_ERROR: 403,
  APPROVAL_REQUIRED: 409,
  CANCELLED: 409,
};
/** Reasons for which the same request is right and comes too late. */
const TOO_LATE: ReadonlySet<string | undefined> = new Set([
  "already_answered",
  "expired",
  "superseded",
  "taken",
  "changed",
]);
/** Reasons that a new link cures. */
const UNKNOWN_CALLER: ReadonlySet<string | undefined> = new Set(["session_ended", "link_refused"]);

export function statusOf({ code, reason }: Pick<ToolError, "code" | "reason">) {
  if (UNKNOWN_CALLER.has(reason)) return 401;
  return TOO_LATE.has(reason) ? 409 : STATUSES[code];
}

function replyError(context: RouteContext, error: ToolError): Response {
  return context.json({ error }, statusOf(error), { "Cache-Control": "no-store" });
}
