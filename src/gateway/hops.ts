/**
 * A gateway may be behind a gateway. One that is behind itself would call for ever, so every call counts its
 * gateways.
 */
import type { JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";

export const HOPS_KEY = "repertoire/hops";
const HOPS_MAX = 5;

/** The `_meta` for the next hop, or the end of a loop. */
export function nextHop(meta: JsonObject | undefined): ToolResult<JsonObject> {
  const hops = Number(meta?.[HOPS_KEY] ?? 0);
  const next = Number.isSafeInteger(hops) && hops >= 0 ? hops + 1 : 1;
  if (next <= HOPS_MAX) return succeed({ ...meta, [HOPS_KEY]: next });
  return fail("TOOL_INVALID_INPUT", `The call has passed through ${HOPS_MAX} gateways: they form a loop.`, {
    reason: "loop",
    hint: "A configured server is this gateway itself, or leads back to it. Remove it from mcpServers.",
  });
}
