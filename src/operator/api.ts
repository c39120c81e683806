/**
 * The API: each endpoint of the contract with the function that answers it. What comes in is checked against the contract
 * before anything is looked at; an unknown field is refused by its name.
 */
import type * as z from "zod";
import type { ApiRequest, ApiRoute } from "../app/app.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { CONTRACT } from "./contract/contract.ts";
import type { Endpoint } from "./contract/endpoint.ts";
import { VERSION } from "../core/version.ts";
import { addHandlers } from "./servers/add-servers.ts";
import { inputHandlers } from "./access/inputs.ts";
import { libraryHandlers } from "./library.ts";
import { describeApi } from "./openapi.ts";
import { pinHandlers } from "./access/pins.ts";
import { ruleHandlers } from "./access/rules.ts";
import { runHandlers } from "./runs/runs.ts";
import { serverChangeHandlers } from "./servers/server-changes.ts";
import { loginHandlers } from "./servers/server-login.ts";
import { serverHandlers } from "./servers/servers.ts";
import { tokenHandlers } from "./access/tokens.ts";
import { toolHandlers } from "./tools/tools.ts";
import type { Handler, Handlers, OperatorDeps } from "./operator.ts";
import { ROUTES, type RouteName } from "./routes.ts";
import { viewerOf } from "./viewer.ts";

/** Answered where cookies are read and written, below the API. */
const SESSION_ROUTES: ReadonlySet<RouteName> = new Set(["getSession", "openSession", "closeSession"]);

/** Each route with the function that answers it. */
export const HANDLERS: Handlers<Exclude<RouteName, "getSession" | "openSession" | "closeSession">> = {
  getOpenApi: () => Promise.resolve(succeed(describeApi(VERSION) as { readonly openapi: string })),
  ...runHandlers,
  ...libraryHandlers,
  ...serverHandlers,
  ...serverChangeHandlers,
  ...addHandlers,
  ...loginHandlers,
  ...inputHandlers,
  ...pinHandlers,
  ...toolHandlers,
  ...tokenHandlers,
  ...ruleHandlers,
};

export interface ApiDeps extends OperatorDeps {
  /** The profile that the listener serves, where it serves one. */
  readonly profile?: string | undefined;
}

export function createApiRoutes(deps: ApiDeps): ApiRoute[] {
  const names = (Object.keys(ROUTES) as RouteName[]).filter((name) => !SESSION_ROUTES.has(name));
  return names.map((name) => createRoute(deps, name));
}

function createRoute(deps: ApiDeps, name: RouteName): ApiRoute {
  const [method, path] = ROUTES[name];
  const { permission, shows }: Endpoint = CONTRACT[name];
  return { method, path, permission, shows, handle: (request) => answer(deps, name, request) };
}

async function answer(deps: ApiDeps, name: RouteName, request: ApiRequest): Promise<ToolResult<unknown>> {
  const { query: queryShape, body: bodyShape }: Endpoint = CONTRACT[name];
  const query = check(queryShape, request.query, "query");
  if (!query.success) return query;
  const body = check(bodyShape, request.body === undefined ? {} : request.body, "body");
  if (!body.success) return body;
  const { principal, session, signal, params } = request;
  const profile = session?.profile ?? deps.profile;
  const viewer = viewerOf(deps.app, { principal: principal!, profile, provedAt: session?.provedAt, signal });
  if (!viewer.success) return viewer;
  // The contract has checked what it is asked; the types of one route are not those of all.
  const handle = HANDLERS[name as keyof typeof HANDLERS] as unknown as Handler<RouteName>;
  return handle(deps, viewer.data, { params, query: query.data, body: body.data } as never);
}

function check(shape: z.ZodObject, given: unknown, where: "query" | "body"): ToolResult<unknown> {
  const parsed = shape.safeParse(given);
  if (parsed.success) return succeed(parsed.data);
  const [issue] = parsed.error.issues;
  const field = [where, ...(issue?.path ?? [])].join(".");
  return fail("TOOL_INVALID_INPUT", `${field}: ${issue?.message ?? "it does not fit"}.`, {
    field,
    hint: "GET /api/v1/openapi.json describes the API.",
  });
}
