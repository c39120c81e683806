import type { App } from "../../../app/app.ts";
import { displayNameOf, toolNameOf } from "../../../core/names.ts";
import { succeed, type ToolResult } from "../../../core/result.ts";
import type { Capability } from "../../../core/store.ts";

/** What an item of the library is called. */
export interface ItemNames {
  readonly name: string;
  readonly tool: string;
  readonly aliases: readonly string[];
}

export async function namesOf(app: App, changed: ToolResult<Capability>): Promise<ToolResult<ItemNames>> {
  if (!changed.success) return changed;
  const aliases = await app.store.capabilities.aliases(changed.data.id);
  return succeed({
    name: displayNameOf(changed.data),
    tool: toolNameOf(changed.data),
    aliases: aliases.map(displayNameOf),
  });
}
