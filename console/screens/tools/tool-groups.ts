/** The list of tools: by server, with groups that fold. */
import type { Answer } from "../../api/client.ts";
import type { Search } from "./search.ts";

export type ToolRow = Answer<"listTools">["tools"][number];
type Known = Answer<"listTools">;

export interface ToolGroup {
  /** A server's id, or a word with a colon, which no id has. */
  readonly key: string;
  readonly title: string;
  readonly tools: readonly ToolRow[];
  /** Of a server whose list is not known. */
  readonly state?: "pending" | "failed";
  readonly reason?: string;
}

export type ListRow =
  | { readonly row: "group"; readonly group: ToolGroup; readonly isClosed: boolean }
  | { readonly row: "tool"; readonly tool: ToolRow };

const OWN_GROUPS = [
  { kind: "meta_tool", key: ":meta", title: "Meta-tools" },
  { kind: "kept", key: ":library", title: "Library" },
  { kind: "node", key: ":nodes", title: "Built-in nodes" },
] as const;

/** Our own first, then the servers by name; a server that has not listed its tools is a group without tools. */
export function groupTools({ tools, pending, failed }: Known): ToolGroup[] {
  const own = OWN_GROUPS.map(({ kind, key, title }) => ({
    key,
    title,
    tools: tools.filter((tool) => tool.kind === kind),
  }));
  const servers = Map.groupBy(
    tools.filter(({ kind }) => kind === "tool"),
    ({ server = "" }) => server,
  );
  const listed = [...servers].map(([server, each]): ToolGroup => ({
    key: server,
    title: server,
    tools: each,
  }));
  const isNew = (server: string) => !servers.has(server);
  const silent = [
    ...failed
      .filter(({ server }) => isNew(server))
      .map(({ server, reason }) => silentGroup(server, "failed", reason)),
    ...pending
      .filter(isNew)
      .map((server) => silentGroup(server, "pending", "It has not listed its tools yet.")),
  ];
  const byName = [...listed, ...silent].toSorted((a, b) => a.title.localeCompare(b.title));
  return [...own.filter((group) => group.tools.length > 0), ...byName];
}

function silentGroup(server: string, state: "pending" | "failed", reason: string): ToolGroup {
  return { key: server, title: server, tools: [], state, reason };
}

/** Whether a tool passes the filters other than the search. */
export function passes({ server, effect, listed }: ToolRow, filter: Search): boolean {
  return (
    (filter.server === undefined || filter.server.split(",").includes(server ?? "")) &&
    (filter.effect === undefined || filter.effect.split(",").includes(effect ?? "")) &&
    (filter.listed === undefined || listed === (filter.listed === "yes"))
  );
}

/** The rows of the list: each group with its tools, unless it is folded. */
export function rowsOf(groups: readonly ToolGroup[], filter: Search): ListRow[] {
  const closed = new Set(filter.closed?.split(",") ?? []);
  const isFiltered =
    filter.server !== undefined || filter.effect !== undefined || filter.listed !== undefined;
  return groups.flatMap((group): ListRow[] => {
    const tools = group.tools.filter((tool) => passes(tool, filter));
    if (isFiltered && tools.length === 0 && filter.server?.split(",").includes(group.key) !== true) return [];
    const isClosed = closed.has(group.key);
    const head: ListRow = { row: "group", group: { ...group, tools }, isClosed };
    return isClosed ? [head] : [head, ...tools.map((tool): ListRow => ({ row: "tool", tool }))];
  });
}

/** The folded groups, as the URL has them, with one more or one less. */
export function foldedWith(closed: string | undefined, key: string): string | undefined {
  const keys = new Set(closed?.split(",") ?? []);
  const next = [...keys.symmetricDifference(new Set([key]))].filter((each) => each !== "");
  return next.length === 0 ? undefined : next.join(",");
}

export function rowKeyOf(row: ListRow): string {
  return row.row === "group" ? `group ${row.group.key}` : `tool ${row.tool.name}`;
}
