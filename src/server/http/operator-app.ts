/** The routes of operators, served. It is loaded with the first of their requests: most gateways have none. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import type { Permission } from "../../core/principal.ts";
import type { OperatorRoute } from "./operator-routes.ts";
import { permissionsOf } from "./http-call.ts";

export function createOperatorListener(
  routes: readonly OperatorRoute[],
): (request: IncomingMessage, response: ServerResponse) => unknown {
  return getRequestListener(createOperatorApp(routes).fetch);
}

function createOperatorApp(routes: readonly OperatorRoute[]): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  for (const { path, permission, answer } of routes) {
    app.get(path, (context) => {
      if (permission === "public" || isAllowed(context.env.incoming, permission)) return answer(context);
      return context.json({ error: `This needs a token with the scope ${permission}.` }, 403);
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

function isAllowed(request: IncomingMessage, permission: Permission): boolean {
  return permissionsOf(request).has(permission);
}
