/** One tool, with what a person wants to know before they use it or allow it. */
import { exposeTools, toolNameOf } from "../../core/names.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { ToolDefinition, ToolView } from "../../core/tool.ts";
import { callablesIn, findCallable, knownLookup, nodesOf, type Callable } from "./callables.ts";
import { viewCall } from "../call-view.ts";
import type { OperatorDeps, Viewer } from "../operator.ts";
import { explainFor } from "../access/rules.ts";
import { describeCallable } from "./tool-view.ts";

const CALLS_SHOWN = 10;

export async function describeTool(deps: OperatorDeps, viewer: Viewer, one: Callable) {
  const { app, place } = deps;
  const [decision, calls, usedBy] = await Promise.all([
    explainFor(deps, viewer, one),
    lastCalls(app, viewer, one.name),
    usersOf(app, viewer.view, one.name),
  ]);
  return {
    ...describeCallable(one, place),
    findings: findingsOf(app, one),
    decision,
    calls,
    used_by: usedBy,
    held: app.registry.holdOf(one.name) !== undefined,
  };
}

/** The newest calls of tools like this that the viewer may see. */
export async function lastCalls(
  { store }: OperatorDeps["app"],
  { owner }: Pick<Viewer, "owner">,
  tool: string,
) {
  const found = await store.calls.list({ tool, limit: CALLS_SHOWN, ...(owner !== undefined && { owner }) });
  return found.map(viewCall);
}

/** By its name, from what is known; a tool that is held is found as well, so that a person can look at it. */
export async function findKnownTool(
  { app, config }: OperatorDeps,
  { view }: Pick<Viewer, "view">,
  name: string,
): Promise<ToolResult<Callable>> {
  const servers = config.current().servers.map(({ id }) => id);
  const found = await findCallable(app, name, servers, knownLookup(app, view));
  if (found.success) return found;
  const node = view === undefined ? nodesOf(app).find((one) => one.name === name) : undefined;
  const other = node ?? (await findHeld(app, name, view));
  return other === undefined ? found : succeed(other);
}

/** A held tool is in no list; its pin has what the server offers. */
async function findHeld(
  { registry, store }: OperatorDeps["app"],
  name: string,
  view: ToolView | undefined,
): Promise<Callable | undefined> {
  if (registry.holdOf(name) === undefined || view?.allows(name) === false) return undefined;
  const server = name.slice(0, name.indexOf("__"));
  const pins = (await store.pins.list(server)).filter(({ kind }) => kind === "tool");
  const { originals } = exposeTools(
    server,
    pins.map((pin) => pin.name),
  );
  const pin = pins.find((one) => one.name === originals.get(name));
  const definition = pin?.offered ?? pin?.approved;
  if (definition === undefined || definition === null) return undefined;
  const held = { inputSchema: {}, ...definition, name: pin!.name } as ToolDefinition;
  return callablesIn({ tools: [{ name, source: server, definition: held }], pending: [], failed: [] })[0];
}

function findingsOf({ registry }: OperatorDeps["app"], { server, definition }: Callable) {
  if (server === undefined) return [];
  return registry
    .catalogue()
    .findings.filter((one) => one.server === server && one.kind === "tool" && one.tool === definition.name)
    .map(({ code, message, excerpt }) => ({ code, message, excerpt }));
}

/** The kept tools that use it, as far as they are shown. */
async function usersOf(
  { library }: OperatorDeps["app"],
  view: ToolView | undefined,
  tool: string,
): Promise<string[]> {
  const kept = await library.listCurrent(null);
  return kept
    .filter(({ version }) => version.toolsUsed.some((use) => use.tool === tool))
    .map(({ capability }) => toolNameOf(capability))
    .filter((name) => view?.allows(name) !== false);
}
