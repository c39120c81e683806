import type { JsonObject } from "./json.ts";
import { METHOD_NOT_FOUND } from "./rpc-codes.ts";

/** What a client may offer to servers; anything else in its capabilities is between it and us. */
const ASKABLE = ["roots", "sampling", "elicitation"] as const;

/** Everything that a server may ask a client for, and what the client must have declared for it. */
const CAPABILITY: ReadonlyMap<string, (typeof ASKABLE)[number]> = new Map([
  ["elicitation/create", "elicitation"],
  ["sampling/createMessage", "sampling"],
  ["roots/list", "roots"],
]);

/** What of a client's capabilities lets a server ask it something. */
export function askableOf(capabilities: JsonObject | undefined): JsonObject {
  const declared = capabilities ?? {};
  return Object.fromEntries(ASKABLE.flatMap((key) => (key in declared ? [[key, declared[key]!]] : [])));
}

/** Whether a person behind such a client can be shown a form: `elicitation` that names only `url` takes none. */
export function takesForms({ elicitation }: JsonObject): boolean {
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}

/** Whether a server may ask such a client anything. */
export function isAskable(capabilities: JsonObject): boolean {
  return ASKABLE.some((key) => key in capabilities);
}

/** Why such a client is not asked this, as the server hears it: not a question of the protocol, or nothing that it declared. */
export function refusalOf(
  method: string,
  capabilities: JsonObject,
): { readonly code: number; readonly message: string } | undefined {
  const capability = CAPABILITY.get(method);
  if (capability === undefined)
    return { code: METHOD_NOT_FOUND, message: `a client cannot be asked for ${method}` };
  if (Object.hasOwn(capabilities, capability)) return undefined;
  return {
    code: METHOD_NOT_FOUND,
    message: `the client has not declared ${capability}, which ${method} needs`,
  };
}
