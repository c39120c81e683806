/**
 * One page of a server's list as it is passed on: everything in it as it came, without the entries and the fields
 * that would cost a client the whole list. Only texts that hide something from a person are written out, as
 * everywhere.
 */
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { ToolDefinition } from "../../core/tool.ts";
import { admitEntry, droppedField, rejectionOf, type Rejection } from "../../admission/admission.ts";
import type { ListMethod } from "../gateway.ts";
import { LIST_KEYS } from "../list-all.ts";

/** As many tools as one server may have in the registry. */
const TOOLS_KEPT_MAX = 1_000;
/** What was left out is logged once; a server that makes up new reasons for ever is logged no further. */
const LOGGED_MAX = 1_000;

export interface PageCheck {
  /** The very same page where nothing is left out. */
  check(method: ListMethod, page: JsonObject, isFirst: boolean): JsonObject;
  /** Whether any tool was listed. */
  hasTools(): boolean;
  /** A tool as it was listed last. */
  tool(name: string): ToolDefinition | undefined;
}

export interface PageDeps {
  readonly registry: { permits(id: string, tool: string): boolean };
  readonly server: string;
  readonly log: Log;
}

export function createPageCheck({ registry, server, log }: PageDeps): PageCheck {
  const listed = new Map<string, ToolDefinition>();
  const logged = new Set<string>();

  /** The entry as it may pass, if it may. */
  function pass(method: ListMethod, entry: Json): Json[] {
    const name = method === "tools/list" && isJsonObject(entry) ? entry["name"] : undefined;
    if (typeof name === "string" && !registry.permits(server, name)) return [];
    const key = LIST_KEYS[method];
    // Each by itself: how much a server may list in all is the registry's concern, and here pages are as long as they
    // are.
    const verdict = admitEntry(key, entry);
    if (verdict.kind === "refused") {
      logOnce(method, rejectionOf(key, entry, verdict.reason));
      return [];
    }
    for (const problem of verdict.drops) logOnce(method, droppedField(key, entry, problem));
    const isHiding = verdict.notes.some(({ code }) => code === "hidden_text");
    return [isHiding ? verdict.entry : verdict.shaped];
  }

  function logOnce(method: ListMethod, { name, reason }: Rejection): void {
    const key = `${name} ${reason}`;
    if (logged.has(key) || logged.size >= LOGGED_MAX) return;
    logged.add(key);
    log.warn("gateway.transparent.entry.refused", { serverName: server, method, name, reason });
  }

  function remember(tools: readonly unknown[], isFirst: boolean): void {
    if (isFirst) listed.clear();
    for (const tool of tools as readonly ToolDefinition[]) {
      if (listed.size < TOOLS_KEPT_MAX) listed.set(tool.name, tool);
    }
  }

  return {
    check(method, page, isFirst) {
      const key = LIST_KEYS[method];
      const entries = page[key];
      if (!Array.isArray(entries)) return page;
      const passed = entries.flatMap((entry: Json) => pass(method, entry));
      if (key === "tools") remember(passed, isFirst);
      const isSame = passed.length === entries.length && passed.every((entry, at) => entry === entries[at]);
      return isSame ? page : { ...page, [key]: passed };
    },
    hasTools: () => listed.size > 0,
    tool: (name) => listed.get(name),
  };
}
