/** What is known of the configured servers, as a program sees it. Nothing here starts or asks a server. */
import type { App } from "../app/app.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Discovered, RegisteredServer } from "./public-gateway.ts";

type KnownCatalogue = ReturnType<App["registry"]["catalogue"]>;

export function serverOf(id: string, catalogue: KnownCatalogue): RegisteredServer {
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

function stateOf(id: string, { failed, pending, stale }: KnownCatalogue): RegisteredServer["state"] {
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
