/**
 * Apps of the servers (SEP-1865) at an endpoint of many servers. An App knows its server's own names of tools and no others,
 * and its client passes its calls on as they are. So a bare name leads to the tool that has it, where the one server that
 * a client sees with it has Apps; where several have it, none is called.
 */
import { isForApps, pageOf } from "../registry/app-tool.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Component, ToolView } from "../core/tool.ts";
import { everyTool, type ListedTools } from "../registry/catalogue.ts";
import { quote } from "../text/quote.ts";

/** Enough to see which servers there are to choose from. */
const CANDIDATES_SHOWN_MAX = 5;

interface Apps {
  /** Tools with a page. */
  readonly paged: readonly Component[];
  /** Tools that Apps may call, of servers that have a page, by the server's own name. */
  readonly byOwnName: ReadonlyMap<string, readonly Component[]>;
}

const known = new WeakMap<ListedTools, Apps>();

/** Whether a client is shown any tool with a page. */
export function hasApps(tools: ListedTools, view?: ToolView): boolean {
  return appsIn(tools).paged.some(({ name }) => isShown(name, view));
}

/** The exposed name of the tool that an App calls by its server's own name; undefined where no server with Apps has it. */
export function findAppTool(
  tools: ListedTools,
  called: string,
  view?: ToolView,
): ToolResult<string> | undefined {
  const named = appsIn(tools).byOwnName.get(called);
  if (named === undefined) return undefined;
  const pages = appsIn(tools).paged;
  const hasPage = ({ source }: Component) =>
    pages.some((paged) => paged.source === source && isShown(paged.name, view));
  const shown = named.filter((tool) => isShown(tool.name, view) && hasPage(tool)).map(({ name }) => name);
  if (shown.length === 0) return undefined;
  return shown.length === 1 ? succeed(shown[0]!) : severalHave(called, shown, view);
}

/** The refusal of a name that is one of several tools, or of a tool and of something saved. */
export function severalHave(
  called: string,
  tools: readonly string[],
  view: ToolView | undefined,
): ToolResult<never> {
  const names = tools.map((tool) => view?.nameOf(tool) ?? tool);
  const shown = names.slice(0, CANDIDATES_SHOWN_MAX);
  return fail("TOOL_INVALID_INPUT", `Several tools are called ${quote(called)}.`, {
    nearest: shown,
    hint: `Name one of them: ${shown.join(", ")}${names.length > shown.length ? ", …" : ""}`,
  });
}

function isShown(tool: string, view: ToolView | undefined): boolean {
  return view?.allows(tool) !== false;
}

/** Read once for each state of the catalogue. */
function appsIn(tools: ListedTools): Apps {
  let apps = known.get(tools);
  if (apps === undefined) {
    apps = readApps(everyTool(tools));
    known.set(tools, apps);
  }
  return apps;
}

function readApps(components: readonly Component[]): Apps {
  const paged = components.filter(({ definition }) => pageOf(definition) !== undefined);
  const servers = new Set(paged.map(({ source }) => source));
  const byOwnName = new Map<string, Component[]>();
  for (const component of components) {
    const { source, definition } = component;
    if (!servers.has(source) || !isForApps(definition)) continue;
    byOwnName.set(definition.name, [...(byOwnName.get(definition.name) ?? []), component]);
  }
  return { paged, byOwnName };
}
