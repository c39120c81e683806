/**
 * What operators look at, beside MCP. Every route is in one table with the permission that it needs; there is no
 * other way to add one.
 */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Permission, Principal } from "../../core/principal.ts";
import type { GateOAuth } from "../auth/gate.ts";
import { baseFor, resourceMetadata } from "../auth/resource-metadata.ts";
import type { Health } from "../health.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { replyText } from "./reply.ts";
import { principalOf, type HttpCall } from "./http-call.ts";
import { isJsonObject, parseJson, type JsonObject } from "../../core/json.ts";
import { fail, type ToolResult } from "../../core/result.ts";
import type { ToolErrorCode } from "../../core/errors.ts";

export interface OperatorDeps extends InboxDeps {
  readonly health: Health;
  readonly metrics: Pick<Metrics, "read">;
  readonly oauth?: Pick<GateOAuth, "issuer" | "scopes">;
}

type RouteContext = Context<{ Bindings: HttpBindings }>;

export interface OperatorRoute {
  readonly path: string;
  /** Without it, GET. */
  readonly method?: "POST";
  /** `public` is for callers without a token. */
  readonly permission: Permission | "public";
  /** `state` says how the gateway is; `whole` names its servers, which is nothing for a token of some profiles. */
  readonly shows: "state" | "whole";
  readonly answer: (context: RouteContext) => Response | Promise<Response>;
}

const METADATA_PATH = "/.well-known/oauth-protected-resource";

export function operatorRoutes(deps: OperatorDeps & { readonly bases: readonly string[] }): OperatorRoute[] {
  const { health, metrics, oauth, bases } = deps;
  const report = async (context: RouteContext, part: "live" | "ready" | "all") => {
    const { isGood, ...shown } = await health.check(part);
    return context.json(shown, isGood ? 200 : 503);
  };
  const metadata = (context: RouteContext) => {
    if (oauth === undefined) return context.notFound();
    const base = baseFor(context.req.header("host"), bases);
    return context.json(resourceMetadata(base, context.req.path.slice(METADATA_PATH.length), oauth));
  };
  return [
    { path: "/health", permission: "read", shows: "state", answer: (context) => report(context, "all") },
    {
      path: "/health/live",
      permission: "read",
      shows: "state",
      answer: (context) => report(context, "live"),
    },
    {
      path: "/health/ready",
      permission: "read",
      shows: "state",
      answer: (context) => report(context, "ready"),
    },
    {
      path: "/metrics",
      permission: "admin",
      shows: "whole",
      async answer(context) {
        const { text, contentType } = await metrics.read();
        return context.body(text, 200, { "Content-Type": contentType });
      },
    },
    ...inboxRoutes(deps),
    { path: METADATA_PATH, permission: "public", shows: "state", answer: metadata },
    { path: `${METADATA_PATH}/mcp`, permission: "public", shows: "state", answer: metadata },
    { path: `${METADATA_PATH}/mcp/:profile`, permission: "public", shows: "state", answer: metadata },
  ];
}

type OpenProbe = "live" | "ready";

const PROBES: ReadonlyMap<string, OpenProbe> = new Map([
  ["/health/live", "live"],
  ["/health/ready", "ready"],
]);

/**
 * `/health/live` and `/health/ready` for a caller without a token, as orchestrators and load balancers ask: one word,
 * with 200 or 503, and nothing about the gateway. With a token the operator routes answer, and say more.
 *
 * A probe shares the store's answer with all other probes, and its socket is closed behind it: sockets without a
 * token are few.
 *
 * What is asked, where it is asked without a token.
 */
export function openProbeOf({ request, path }: HttpCall): OpenProbe | undefined {
  if (request.headers.authorization !== undefined) return undefined;
  return request.method === "GET" || request.method === "HEAD" ? PROBES.get(path) : undefined;
}

export async function answerProbe(
  { response }: HttpCall,
  probe: OpenProbe,
  health: Pick<Health, "probe">,
): Promise<void> {
  const isGood = await health.probe(probe);
  // Node sends the length and leaves the body out where the request was HEAD.
  replyText(response, isGood ? 200 : 503, isGood ? "ok\n" : "not ready\n", {
    "Content-Type": "text/plain; charset=utf-8",
    Connection: "close",
  });
}

interface InboxDeps {
  readonly inbox: () => Promise<readonly object[]>;
  readonly decide: (
    question: { readonly runId: string; readonly questionId: string },
    answer: { readonly isApproved: boolean; readonly principal: Principal | undefined },
  ) => Promise<ToolResult<unknown>>;
}

/** A decision is two short fields. */
const DECISION_BYTES_MAX = 4_096;

/**
 * What waits for a person, over HTTP: the list of `repertoire inbox`, and the answer to a question. A model cannot come
 * here by calling a tool; whoever decides needs a token with the scope write.
 */
function inboxRoutes({ inbox, decide }: InboxDeps): OperatorRoute[] {
  return [
    {
      path: "/api/v1/inbox",
      permission: "write",
      shows: "whole",
      answer: async (context) => context.json({ items: await inbox() }),
    },
    {
      path: "/api/v1/runs/:run/decision",
      method: "POST",
      permission: "write",
      shows: "whole",
      async answer(context) {
        const given = await readDecision(context);
        if (!given.success) return refuseDecision(context, given);
        const runId = context.req.param("run") ?? "";
        const { questionId, isApproved } = given.data;
        const principal = principalOf(context.env.incoming);
        const decided = await decide({ runId, questionId }, { isApproved, principal });
        if (!decided.success) return refuseDecision(context, decided);
        return context.json({ run_id: runId, question: questionId, approved: isApproved });
      },
    },
  ];
}

interface GivenDecision {
  readonly questionId: string;
  readonly isApproved: boolean;
}

/** `{"question": id, "approve": true}`. Nothing is decided by what was left out. */
async function readDecision(context: RouteContext): Promise<ToolResult<GivenDecision>> {
  const type = context.req.header("content-type") ?? "";
  if (!/^application\/json\b/i.test(type)) return wrongBody("The body must be application/json.");
  const length = Number(context.req.header("content-length") ?? Number.NaN);
  if (!(length <= DECISION_BYTES_MAX))
    return wrongBody(`The body may have ${DECISION_BYTES_MAX} bytes, with their length.`);
  const parsed = parseJson(await context.req.text());
  const body: JsonObject = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  const { question, approve, ...rest } = body;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return wrongBody(`There is no field ${JSON.stringify(unknown)}.`);
  if (typeof question !== "string" || typeof approve !== "boolean")
    return wrongBody("question must be a string and approve true or false.");
  return { success: true, data: { questionId: question, isApproved: approve } };
}

function wrongBody(message: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", message, {
    hint: 'Send {"question": "…", "approve": true}; GET /api/v1/inbox lists the questions.',
  });
}

const STATUS: Partial<Record<ToolErrorCode, 403 | 404 | 409>> = {
  SECURITY_ERROR: 403,
  TOOL_NOT_FOUND: 404,
};
/** Reasons for which the same request is right and comes too late. */
const TOO_LATE: ReadonlySet<string | undefined> = new Set(["already_answered", "expired"]);

function refuseDecision(
  context: RouteContext,
  { error }: Extract<ToolResult<never>, { success: false }>,
): Response {
  const status = TOO_LATE.has(error.reason) ? 409 : (STATUS[error.code] ?? 400);
  return context.json({ error }, status);
}
