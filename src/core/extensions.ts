/** Extensions of MCP that the gateway knows, by the names under which clients and servers declare them. */
import { isJsonObject, type JsonObject } from "./json.ts";

/** SEP-2663: a call that takes long is answered with a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
/** SEP-1865, MCP Apps: a tool has a page that its client shows. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";
/** SEP-2640: instructions for a model, as resources that are listed by themselves. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Whether a client or a server has declared an extension in its capabilities. */
export function declares(capabilities: JsonObject | undefined, extension: string): boolean {
  const extensions = capabilities?.["extensions"];
  return isJsonObject(extensions) && isJsonObject(extensions[extension]);
}
