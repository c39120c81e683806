/**
 * Resources, prompts and completion of the servers, forwarded. Only names and URIs change on the way: a client sees
 * `server__prompt` and `repertoire://server/<id>/<uri>`, a server its own; everything else is as it came.
 */
import type { JsonObject } from "../core/json.ts";
import { didYouMean, nearest } from "../text/nearest.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext } from "../core/tool.ts";
import { exposeUri } from "../registry/exposed-uri.ts";
import type { Registry } from "../registry/registry.ts";
import { INVALID_PARAMS } from "../core/rpc-codes.ts";
import type { SkillMethod } from "./skills/skill.ts";
import type { TaskMethod } from "./tasks/task.ts";
import { quote } from "../text/quote.ts";

/** The methods that go to the server whose prompt or resource is named. */
export const FORWARDED_METHODS = [
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/get",
  "completion/complete",
] as const;
type ServerMethod = (typeof FORWARDED_METHODS)[number];

/** Everything that a gateway answers beside lists and calls of tools; tasks are its own, and so are some skills. */
export type ForwardedMethod = ServerMethod | TaskMethod | SkillMethod;

export function forwardTo(
  registry: Registry,
  method: ServerMethod,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  switch (method) {
    case "prompts/get":
      return forwardPrompt(registry, params, context);
    case "completion/complete":
      return forwardCompletion(registry, params, context);
    default:
      return forwardResource(registry, method, params, context);
  }
}

async function forwardResource(
  registry: Registry,
  method: ServerMethod,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  const asked = textOf(params["uri"]);
  const route = registry.findUri(asked, context.view);
  if (route === undefined) return unknownResource(asked);
  if (!route.success) return route;
  const { source, uri } = route.data;
  const result = await registry.request(source, method, { ...params, uri }, context);
  return result.success ? succeed(registry.links.contents(source, result.data, { asked, uri })) : result;
}

async function forwardPrompt(
  registry: Registry,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  const name = textOf(params["name"]);
  const prompt = registry.resolvePrompt(name);
  if (prompt === undefined) return missingPrompt(registry, name);
  const asked = { ...params, name: prompt.original };
  const result = await registry.request(prompt.source, "prompts/get", asked, context);
  return result.success ? succeed(registry.links.prompt(prompt.source, result.data)) : result;
}

async function forwardCompletion(
  registry: Registry,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  const ref = (params["ref"] ?? {}) as JsonObject;
  if (ref["type"] === "ref/prompt") {
    const prompt = registry.resolvePrompt(textOf(ref["name"]));
    if (prompt === undefined) return missingPrompt(registry, textOf(ref["name"]));
    const forwarded = { ...params, ref: { ...ref, name: prompt.original } };
    return registry.request(prompt.source, "completion/complete", forwarded, context);
  }
  const route = registry.findUri(textOf(ref["uri"]), context.view);
  if (route === undefined) return unknownResource(textOf(ref["uri"]));
  if (!route.success) return route;
  const { source, uri } = route.data;
  return registry.request(source, "completion/complete", { ...params, ref: { ...ref, uri } }, context);
}

export const RESOURCE_UPDATED = "notifications/resources/updated";

/**
 * What a server says unasked, with its URIs as clients know them. A log message without a logger gets the server's
 * name.
 */
export function exposeNotification(server: string, method: string, params: JsonObject): JsonObject {
  if (method === RESOURCE_UPDATED) return { ...params, uri: exposeUri(server, textOf(params["uri"])) };
  if (method === "notifications/message" && params["logger"] === undefined)
    return { ...params, logger: server };
  return params;
}

/** A client's request was checked for this; a server's notification was not. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function unknownResource(uri: string): ToolResult<never> {
  const shown = quote(uri, 200);
  const hint = "Resources of servers are repertoire://server/<id>/<uri>, as resources/list gives them.";
  return fail("TOOL_NOT_FOUND", `There is no resource ${shown}.`, {
    field: "uri",
    upstream: { code: INVALID_PARAMS, message: `There is no resource ${shown}. ${hint}`, data: { uri } },
    hint,
  });
}

/** One that is held is there, and may not be used. */
async function missingPrompt(registry: Registry, name: string): Promise<ToolResult<never>> {
  return (await registry.refuseHeldPrompt(name)) ?? unknownPrompt(registry, name);
}

function unknownPrompt(registry: Registry, name: string): ToolResult<never> {
  const near = nearest(
    name,
    registry.catalogue().prompts.map((prompt) => prompt.name),
  );
  return fail("TOOL_NOT_FOUND", `There is no prompt ${quote(name)}.${didYouMean(near)}`, {
    field: "name",
    nearest: near,
  });
}
