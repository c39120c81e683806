/**
 * What operators look at, beside MCP. Every route is in one table with the permission that it needs; there is no
 * other way to add one.
 */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Permission } from "../../core/principal.ts";
import type { GateOAuth } from "../auth/gate.ts";
import { baseFor, resourceMetadata } from "../auth/resource-metadata.ts";
import type { Health } from "../health.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { replyText } from "./reply.ts";
import type { HttpCall } from "./http-call.ts";

export interface OperatorDeps {
  readonly health: Health;
  readonly metrics: Pick<Metrics, "read">;
  readonly oauth?: Pick<GateOAuth, "issuer" | "scopes">;
}

type RouteContext = Context<{ Bindings: HttpBindings }>;

export interface OperatorRoute {
  readonly path: string;
  /** Without it, GET. */
  readonly method?: "POST" | "DELETE" | "GET";
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
