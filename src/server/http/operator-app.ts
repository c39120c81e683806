/** The routes of operators, served. It is loaded with the first of their requests: most gateways have none. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { ToolError } from "../../core/errors.ts";
import { ownerSeenBy, type Permission } from "../../core/principal.ts";
import { fail } from "../../core/result.ts";
import { API_PATH, isBelow } from "./security-headers.ts";
import type { OperatorRoute } from "./operator-routes.ts";
import { principalOf } from "./http-call.ts";

export function createOperatorListener(
  routes: readonly OperatorRoute[],
): (request: IncomingMessage, response: ServerResponse) => unknown {
  return getRequestListener(createOperatorApp(routes).fetch);
}

function createOperatorApp(routes: readonly OperatorRoute[]): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  for (const { path, method = "GET", permission, shows, answer } of routes) {
    app.on(method, path, (context) => {
      if (permission === "public") return answer(context);
      const problem = findProblem(context.env.incoming, permission, shows);
      if (problem === undefined) return answer(context);
      return context.json({ error: isBelow(path, API_PATH) ? refusalOf(problem) : problem }, 403);
    });
  }
  const known = routes
    .filter(({ path, permission }) => permission !== "public" && !isBelow(path, API_PATH))
    .map(({ path }) => path);
  app.notFound((context) => {
    if (isBelow(context.req.path, API_PATH)) return context.json({ error: NO_ROUTE }, 404);
    const places = [...known, "/console", `${API_PATH}/openapi.json`].join(", ");
    return context.json({ error: `There is nothing here. MCP is at /mcp; there are also ${places}.` }, 404);
  });
  return app;
}

const NO_ROUTE = fail("TOOL_NOT_FOUND", "The API has no such route.", {
  hint: `GET ${API_PATH}/openapi.json describes the API.`,
}).error;

function refusalOf(problem: string): ToolError {
  return fail("SECURITY_ERROR", problem, { reason: "insufficient_scope" }).error;
}

function findProblem(
  request: IncomingMessage,
  permission: Permission,
  shows: OperatorRoute["shows"],
): string | undefined {
  const principal = principalOf(request);
  if (principal?.permissions.has(permission) !== true)
    return `This needs a token with the scope ${permission}.`;
  if (shows === "state" || ownerSeenBy(principal) === undefined) return undefined;
  if (principal.profiles !== undefined)
    return "This shows the whole gateway, and this token opens profiles only. Use a token without --profile.";
  return "This shows the whole gateway, and this token has limits. Use a token without --effects and --tools.";
}
