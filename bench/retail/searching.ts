/** How an agent that sees only the gateway's own tools finds those that a task needs: it asks, and asks again for what is missing. */
import type { Lines } from "../lines.ts";
import type { Answer } from "../tasks/task.ts";
import { callTool, type Definition } from "./connection.ts";
import { textOf, type ToolCall } from "../tasks/conversation.ts";
import type { RetailTask } from "./task.ts";

/** One more than a task has tools: each answer shows at least the best hit in full. */
const SEARCH_COUNT_MAX = 12;

export interface Searched {
  readonly gateway: Lines;
  /** What the gateway says of its search. */
  readonly browse: Definition;
  /** Of the shop. */
  readonly definitions: readonly Definition[];
}

export async function searchFor(
  { gateway, browse, definitions }: Searched,
  { id, actions }: RetailTask,
): Promise<ToolCall[]> {
  const names = new Set(actions.map(({ tool }) => tool));
  let missing = definitions.filter(({ name }) => names.has(name));
  const searches: ToolCall[] = [];
  while (missing.length > 0) {
    if (searches.length === SEARCH_COUNT_MAX) {
      throw new Error(`Task ${id}: no search showed ${missing.map(({ name }) => name).join(", ")}.`);
    }
    const args = nextSearch(missing, searches, browse);
    const answer = await callTool(gateway, browse.name, args);
    searches.push({ name: browse.name, args, answer });
    missing = missing.filter((definition) => !shows(answer, definition));
  }
  return searches;
}

/** In words; by name what an answer named without its arguments, where the search takes names. */
function nextSearch(missing: readonly Definition[], before: readonly ToolCall[], browse: Definition): object {
  const named = missing.map(({ name }) => `retail__${name}`);
  const seen = named.filter((name) => before.some(({ answer }) => textOf(answer).includes(name)));
  if (seen.length > 0 && "names" in propertiesOf(browse)) return { names: seen };
  return { query: missing.map(({ name }) => name.replaceAll("_", " ")).join("; ") };
}

/** Whether code can be written from the answer: the name, and after it the names of its arguments. */
function shows(answer: Answer, definition: Definition): boolean {
  const [, shown = ""] = textOf(answer).split(`mcp.retail.${definition.name}(`);
  const [signature = ""] = shown.split(")");
  const wanted = Object.keys(propertiesOf(definition));
  return shown !== "" && wanted.every((argument) => new RegExp(`\\b${argument}\\b`).test(signature));
}

function propertiesOf({ inputSchema }: Definition): object {
  return (inputSchema as { readonly properties: object }).properties;
}
