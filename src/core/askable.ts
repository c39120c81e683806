import type { JsonObject } from "./json.ts";

/** What a client may offer to servers; anything else in its capabilities is between it and us. */
const ASKABLE = ["roots", "sampling", "elicitation"] as const;

/** What of a client's capabilities lets a server ask it something. */
export function askableOf(capabilities: JsonObject | undefined): JsonObject {
  const declared = capabilities ?? {};
  return Object.fromEntries(ASKABLE.flatMap((key) => (key in declared ? [[key, declared[key]!]] : [])));
}

/** Whether a server may ask such a client anything. */
export function isAskable(capabilities: JsonObject): boolean {
  return ASKABLE.some((key) => key in capabilities);
}
