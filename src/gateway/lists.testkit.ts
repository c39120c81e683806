/** What tests ask of a gateway's lists. */
import { contextOf } from "../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../core/json.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { Gateway, ListMethod } from "./gateway.ts";

export async function pageOf(
  gateway: Gateway,
  method: ListMethod,
  params: JsonObject = {},
): Promise<ToolResult<JsonObject>> {
  const listed = await gateway.list(method, params, contextOf());
  return listed.success ? succeed(listed.data.page) : listed;
}

export async function toolBytesOf(gateway: Gateway): Promise<Buffer> {
  const listed = await gateway.list("tools/list", {});
  if (!listed.success) throw new Error(listed.error.message);
  return listed.data.bytes!();
}

/** Of the list of tools as it is now. */
export function versionOf(gateway: Gateway): string {
  const watch = gateway.watch(() => {});
  watch.stop();
  return watch.toolsVersion();
}
