/** What clients and servers declare of themselves: what a client may be asked, and the extensions of MCP that the gateway knows. */
import { isJsonObject, type JsonObject } from "./json.ts";
import { METHOD_NOT_FOUND } from "./rpc-codes.ts";

/** SEP-2663: a call that takes long is answered with a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
/** SEP-1865, MCP Apps: a tool has a page that its client shows. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";
/** What is declared with it, by us to servers and to clients: the one kind of page that there is. */
export const UI_SETTINGS: JsonObject = { mimeTypes: ["text/html;profile=mcp-app"] };
/** SEP-2640: instructions for a model, as resources that are listed by themselves. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** What the gateway itself does for its clients, whatever they have declared: so every server is told of it. */
const OWN_EXTENSIONS: JsonObject = { [UI_EXTENSION]: UI_SETTINGS };
/** The legacy era has no tasks. */
const OWN_MODERN_EXTENSIONS: JsonObject = { ...OWN_EXTENSIONS, [TASKS_EXTENSION]: {} };

/** What a server of the legacy era is told that its client can do. */
export function withOwnExtensions(capabilities: JsonObject): JsonObject {
  return withDefaults(capabilities, OWN_EXTENSIONS);
}

/** What a server of the modern era is told that its client can do. */
export function withModernExtensions(capabilities: JsonObject): JsonObject {
  return withDefaults(capabilities, OWN_MODERN_EXTENSIONS);
}

/** What the client itself says of an extension counts. */
function withDefaults(capabilities: JsonObject, own: JsonObject): JsonObject {
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { ...own, ...(isJsonObject(extensions) && extensions) } };
}

/** Whether a client or a server has declared an extension in its capabilities. */
export function declares(capabilities: JsonObject | undefined, extension: string): boolean {
  const extensions = capabilities?.["extensions"];
  return isJsonObject(extensions) && isJsonObject(extensions[extension]);
}

/** A set of capabilities without an extension; no empty set of extensions is left. */
export function withoutExtension(capabilities: JsonObject, extension: string): JsonObject {
  if (!declares(capabilities, extension)) return capabilities;
  const { extensions, ...rest } = capabilities;
  const { [extension]: _, ...others } = extensions as JsonObject;
  return Object.keys(others).length === 0 ? rest : { ...rest, extensions: others };
}

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
