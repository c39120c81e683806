/** The routes of operators, served. It is loaded with the first of their requests: most gateways have none. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { ownerSeenBy, type Permission } from "../../core/principal.ts";
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
      return problem === undefined ? answer(context) : context.json({ error: problem }, 403);
    });
  }
  const known = routes.filter(({ permission }) => permission !== "public").map(({ path }) => path);
  app.notFound((context) =>
    context.json(
      { error: `There is nothing here. MCP is at /mcp; there are also ${known.join(", ")}.` },
      404,
    ),
  );
  return app;
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
