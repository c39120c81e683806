/** The configured servers as a viewer sees them. */
import type { App, ServerView } from "../../app/app.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { didYouMean, nearest } from "../../text/nearest.ts";
import type { ToolView } from "../../core/tool.ts";
import type { OperatorDeps, Viewer } from "../operator.ts";
import { findUnpinnedServers } from "./pinned-entry.ts";

/** A server as `repertoire servers --json` has it; `unpinned` is a package that it runs without an exact version. */
export type ListedServer = ReturnType<typeof listedServer>;

function listedServer(view: ServerView & { readonly unpinned?: string; readonly retry_in_ms?: number }) {
  const { missingInputs, problems, stderr, starting } = view;
  return {
    ...view,
    rejected: view.rejected.map((one) => ({ ...one })),
    findings: view.findings.map((one) => ({ ...one })),
    starting: starting && { ...starting },
    missingInputs: missingInputs && [...missingInputs],
    problems: problems?.map((one) => ({ ...one })),
    stderr: stderr && [...stderr],
  };
}

/** These servers as they are, as far as the viewer sees them; `look` may start them first. */
export async function viewServers(
  { app, config }: Pick<OperatorDeps, "app" | "config">,
  viewer: Pick<Viewer, "view" | "owner">,
  ids: readonly string[],
  look: (ids: readonly string[]) => ReturnType<App["viewServers"]> = (some) => app.viewServers(false, some),
) {
  const views = await look(ids);
  const { servers } = config.current();
  const unpinned = findUnpinnedServers(servers.filter(({ id }) => ids.includes(id)));
  return views.map((view) => {
    const found = unpinned.find(({ id }) => id === view.id);
    const retryInMs = app.serverHealth(view.id)?.retryInMs;
    const listed = listedServer({
      ...view,
      ...(found !== undefined && { unpinned: found.run.name }),
      ...(retryInMs !== undefined && { retry_in_ms: Math.round(retryInMs) }),
    });
    return isLimited(viewer) ? narrowed(listed, app, viewer.view) : listed;
  });
}

/** Whether somebody sees only a part of the gateway. */
export function isLimited({ view, owner }: Pick<Viewer, "view" | "owner">): boolean {
  return view !== undefined || owner !== undefined;
}

/** Without what a server writes about the calls of others, and without what is about tools that are not shown. */
function narrowed(server: ListedServer, { registry }: App, view: ToolView | undefined): ListedServer {
  const shown = registry
    .catalogue()
    .components.filter(({ source, name }) => source === server.id && view?.allows(name) !== false);
  const isShown = (tool: string) => shown.some(({ definition }) => definition.name === tool);
  return {
    ...server,
    stderr: undefined,
    rejected: [],
    findings: server.findings.filter(({ kind, tool }) => kind === "tool" && isShown(tool)),
    toolCount: server.toolCount === undefined ? undefined : shown.length,
  };
}

/** The ids of the configured servers that the viewer sees. */
export function seenServers(
  { config }: Pick<OperatorDeps, "config">,
  { view }: Pick<Viewer, "view">,
): string[] {
  const ids = config.current().servers.map(({ id }) => id);
  return ids.filter((id) => view?.allowsServer(id) !== false);
}

/** The id of a server by its id or its key in the file. */
export function findServer(
  deps: Pick<OperatorDeps, "config">,
  viewer: Pick<Viewer, "view">,
  name: string,
): ToolResult<string> {
  const seen = seenServers(deps, viewer);
  const { servers } = deps.config.current();
  const server = servers.find(({ key, id }) => (key === name || id === name) && seen.includes(id));
  return server === undefined ? noServer(name, seen) : succeed(server.id);
}

/** The answer for a server that is not there, or that the viewer does not see. */
export function noServer(name: string, servers: readonly string[]): ToolResult<never> {
  const near = nearest(name, servers);
  return fail("TOOL_NOT_FOUND", `There is no server ${JSON.stringify(name)}.${didYouMean(near)}`, {
    field: "name",
    nearest: near,
    hint: "Run: repertoire servers",
  });
}
