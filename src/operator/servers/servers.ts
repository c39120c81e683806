/** The configured servers: the list, one of them with all that a person wants to know of it, and starting it again. */
import type { ServerConfig } from "../../config/config.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { ToolView } from "../../core/tool.ts";
import { memoryOfTree } from "../../process/process-memory.ts";
import { callablesIn, seenThrough } from "../tools/callables.ts";
import type { Handlers, OperatorDeps, Viewer } from "../operator.ts";
import { findServer, isLimited, seenServers, viewServers, type ListedServer } from "./server-list.ts";
import { lastCalls } from "../tools/tool-details.ts";
import { describeOfServer } from "../tools/tool-view.ts";

export const serverHandlers: Handlers<"listServers" | "getServer" | "restartServer"> = {
  async listServers(deps, viewer) {
    const ids = seenServers(deps, viewer);
    return succeed({ servers: await viewServers(deps, viewer, ids) });
  },
  async getServer(deps, viewer, { params: { server } }) {
    const found = findServer(deps, viewer, server);
    return found.success ? succeed(await describeServer(deps, viewer, found.data)) : found;
  },
  async restartServer(deps, viewer, { params: { server } }) {
    const found = findServer(deps, viewer, server);
    if (!found.success) return found;
    const id = found.data;
    if (!deps.app.usableServers().includes(id)) return notInUse(id);
    await deps.app.restartServer(id);
    const [view] = await viewServers(deps, viewer, [id], (ids) => deps.app.viewServers(true, ids));
    return succeed(view!);
  },
};

function notInUse(id: string): ToolResult<never> {
  return fail("TOOL_UNAVAILABLE", `The server ${id} is disabled or not trusted, so it is not started.`, {
    reason: "disabled",
    retryable: false,
    hint: `Enable it with: repertoire enable ${id}; or trust its file with: repertoire trust`,
  });
}

const DAY_MS = 24 * 60 * 60_000;

/** Its state, times, memory, tools, last calls and output, as far as the viewer sees them. */
export async function describeServer(deps: OperatorDeps, viewer: Viewer, id: string) {
  const { app } = deps;
  const server = deps.config.current().servers.find((one) => one.id === id)!;
  const [view] = await viewServers(deps, viewer, [id]);
  const health = app.serverHealth(id);
  const said = isLimited(viewer) ? [] : (health?.stderr ?? []);
  const [memory, latency, weight, login, known, calls] = await Promise.all([
    memoryOf(view!),
    latencyOf(deps, viewer, id),
    app.tokensOfServer(id),
    loginOf(deps, server, view!),
    app.knownTools(),
    lastCalls(app, viewer, `${id}__*`),
  ]);
  const tools = seenThrough(viewer.view, callablesIn(known)).filter((one) => one.server === id);
  return {
    kind: "server",
    name: id,
    ...view!,
    stderr: said.length === 0 ? view!.stderr : [...said],
    transport: server.transport.kind,
    enabled: server.enabled,
    trust: server.trust,
    ...(memory !== undefined && { memory_bytes: memory }),
    latency,
    tokens: tokensOf(weight?.tools, viewer.view),
    login,
    tools: tools.map(describeOfServer),
    calls,
  };
}

/** What the tools that are shown cost in a list; null where nothing is known of the server. */
function tokensOf(
  tools: readonly { readonly name: string; readonly tokens: number }[] | undefined,
  view: ToolView | undefined,
): number | null {
  if (tools === undefined) return null;
  const shown = tools.filter(({ name }) => view?.allows(name) !== false);
  return shown.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Of a process of our own: the number of one in another gateway may mean something else here. */
async function memoryOf({ pid, gateways }: ListedServer): Promise<number | undefined> {
  return pid === undefined || gateways !== undefined ? undefined : memoryOfTree(pid);
}

async function latencyOf({ app }: OperatorDeps, { owner }: Viewer, id: string, now: number = Date.now()) {
  const whose = owner === undefined ? {} : { owner };
  const range = { since: now - DAY_MS, toolPrefix: `${id}__`, ...whose };
  const { count, errorCount, p50Ms, p95Ms } = await app.store.calls.summary(range);
  if (count === 0) return null;
  return { call_count: count, error_count: errorCount, p50_ms: p50Ms, p95_ms: p95Ms };
}

/** A program has no login; neither has a remote server that never asked for one. */
async function loginOf({ app }: OperatorDeps, { id, transport }: ServerConfig, { cause }: ListedServer) {
  if (transport.kind === "stdio" || transport.kind === "openapi") return "none";
  if (cause === "auth_required" || cause === "auth_unavailable") return "needed";
  return (await app.logins.hasLogin(id)) ? "done" : "none";
}
