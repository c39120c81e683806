/** What a tool says of its App (SEP-1865): the page that its client shows, and who may call it. */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { ToolDefinition } from "../core/tool.ts";

type Described = Pick<ToolDefinition, "_meta">;

/** The deprecated place of the page, which servers still fill beside `_meta.ui`. */
export const FLAT_PAGE_KEY = "ui/resourceUri";

/** The URI of the page that shows the tool's answers, as the server writes it. */
export function pageOf({ _meta: meta }: Described): string | undefined {
  if (!isJsonObject(meta)) return undefined;
  return pageUriOf(uiOf(meta)?.["resourceUri"]) ?? pageUriOf(meta[FLAT_PAGE_KEY]);
}

/** Whether the tool is there for Apps alone: no model sees it or calls it. */
export function isAppOnly(tool: Described): boolean {
  const visibility = visibilityOf(tool);
  return visibility !== undefined && !visibility.includes("model");
}

/** Whether an App of the same server may call it, which is so where the tool does not say. */
export function isForApps(tool: Described): boolean {
  return visibilityOf(tool)?.includes("app") !== false;
}

/** `_meta.ui`, where it is an object. */
export function uiOf(meta: JsonObject): JsonObject | undefined {
  const { ui } = meta;
  return isJsonObject(ui) ? ui : undefined;
}

function visibilityOf({ _meta: meta }: Described): readonly unknown[] | undefined {
  const visibility = isJsonObject(meta) ? uiOf(meta)?.["visibility"] : undefined;
  return Array.isArray(visibility) ? visibility : undefined;
}

function pageUriOf(value: unknown): string | undefined {
  return typeof value === "string" && value.startsWith("ui://") ? value : undefined;
}
