import { callAround, placeAt } from "./code-place.ts";
import type { DeclaredTool, DeclaredTools } from "./declared-tools.ts";

/** The tool whose name or arguments are at the cursor. */
export function toolAt(text: string, position: number, declared: DeclaredTools): DeclaredTool | undefined {
  const rest = /^[\w$]*/.exec(text.slice(position))?.[0] ?? "";
  const before = text.slice(0, position + rest.length);
  const place = placeAt(before);
  if (place?.kind === "tool") return declared.find(place.namespace, before.slice(place.from));
  const around = callAround(text.slice(0, position));
  return around === undefined ? undefined : declared.find(around.namespace, around.tool);
}
