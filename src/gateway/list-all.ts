/** A whole list, for callers that do not ask page by page. */
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { CallContext, ToolDefinition } from "../core/tool.ts";
import type { Gateway, ListMethod } from "./gateway.ts";

/** Under which key each list is in its page. */
export const LIST_KEYS = {
  "tools/list": "tools",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
  "prompts/list": "prompts",
} as const satisfies Record<ListMethod, string>;

/** No real server comes near; one that does is broken or hostile. */
const PAGE_COUNT_MAX = 100;

/** As much as there is of a list that fails half-way. */
export async function listAll(
  gateway: Pick<Gateway, "list">,
  method: ListMethod,
  context?: Partial<CallContext>,
): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  const seen = new Set<string>();
  let params: JsonObject = {};
  for (let count = 0; count < PAGE_COUNT_MAX; count++) {
    const listed = await gateway.list(method, params, context);
    if (!listed.success) break;
    const { page } = listed.data;
    const found = page[LIST_KEYS[method]];
    if (Array.isArray(found)) entries.push(...found.filter(isJsonObject));
    const cursor = page["nextCursor"];
    if (typeof cursor !== "string" || seen.has(cursor)) break;
    seen.add(cursor);
    params = { cursor };
  }
  return entries;
}

export async function listTools(
  gateway: Pick<Gateway, "list">,
  context?: Partial<CallContext>,
): Promise<ToolDefinition[]> {
  return (await listAll(gateway, "tools/list", context)) as unknown as ToolDefinition[];
}
