/** What is known of servers, tools and resources, as a program sees it. Nothing here starts or asks a server. */
import type { App } from "../app/app.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { ToolDefinition } from "../core/tool.ts";
import type { Discovered, RegisteredResource, RegisteredServer, RegisteredTool } from "./public-gateway.ts";
import type { StaticTools } from "./static-tools.ts";

type Catalogue = ReturnType<App["registry"]["catalogue"]>;
type Route = ReturnType<App["registry"]["resolve"]>;

export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  a.name < b.name ? -1 : 1;

export function toolsOf({ components }: Catalogue, { registered }: StaticTools): RegisteredTool[] {
  const others = components.map(({ name, source, definition }) => registerTool(name, source, definition));
  return [...registered, ...others].sort(byName);
}

export function routedTool(name: string, route: Route): RegisteredTool | undefined {
  return route && registerTool(name, route.source.id, route.definition);
}

function registerTool(name: string, server: string, definition: ToolDefinition): RegisteredTool {
  return { name, server, originalName: definition.name, definition: { ...definition, name } };
}

export function resourcesOf({ resources, resourceTemplates }: Catalogue): RegisteredResource[] {
  const entryOf =
    (isTemplate: boolean) =>
    ({ name: uri, source: server, original: originalUri, definition }: Catalogue["resources"][number]) => ({
      uri,
      isTemplate,
      server,
      originalUri,
      definition,
    });
  return [...resources.map(entryOf(false)), ...resourceTemplates.map(entryOf(true))];
}

export function serverOf(id: string, catalogue: Catalogue): RegisteredServer {
  const failure = catalogue.failed.find(({ source }) => source === id);
  const rejected = catalogue.rejected.filter(({ source }) => source === id);
  return {
    id,
    state: stateOf(id, catalogue),
    toolCount: catalogue.components.filter(({ source }) => source === id).length,
    ...(failure !== undefined && { error: { code: failure.code, message: failure.reason } }),
    rejected: rejected.map(({ code, kind, name, reason }) => ({ code, kind, name, reason })),
  };
}

function stateOf(id: string, { failed, pending, stale }: Catalogue): RegisteredServer["state"] {
  if (failed.some(({ source }) => source === id)) return "failed";
  if (pending.includes(id)) return "pending";
  return stale.includes(id) ? "stale" : "ready";
}

/** One server that cannot be read is a failure, with all of them named; what the others have is there all the same. */
export function summarise(asked: readonly RegisteredServer[]): ToolResult<Discovered> {
  const unread = asked.filter(({ state }) => state === "failed" || state === "pending");
  if (unread.length === 0)
    return succeed({ toolCount: asked.reduce((sum, { toolCount }) => sum + toolCount, 0) });
  const problems = unread.map(({ id, error }) => ({
    server: id,
    code: error?.code ?? "TOOL_UNAVAILABLE",
    message: error?.message ?? `The server ${id} has not answered yet.`,
  }));
  const message = problems.map((problem) => problem.message).join(" ");
  return fail(problems[0]!.code, message, { retryable: true, problems });
}
