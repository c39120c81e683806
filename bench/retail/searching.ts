/** How an agent that sees only the gateway's own tools finds those that a task needs: it asks, and asks again for what is missing. */
import type { Lines } from "../lines.ts";
import { callTool, textOf, type Answer, type Definition } from "./connection.ts";
import type { ToolCall } from "./tool-call.ts";
import type { RetailTask } from "./task.ts";

/** One more than a task has tools: each answer shows at least the best hit in full. */
const SEARCH_COUNT_MAX = 12;

export async function searchFor(
  gateway: Lines,
  { id, actions }: RetailTask,
  definitions: readonly Definition[],
): Promise<ToolCall[]> {
  const names = new Set(actions.map(({ tool }) => tool));
  let missing = definitions.filter(({ name }) => names.has(name));
  const searches: ToolCall[] = [];
  while (missing.length > 0) {
    if (searches.length === SEARCH_COUNT_MAX) {
      throw new Error(`Task ${id}: no search showed ${missing.map(({ name }) => name).join(", ")}.`);
    }
    const args = { query: missing.map(({ name }) => name.replaceAll("_", " ")).join("; ") };
    const answer = await callTool(gateway, "browse_components", args);
    searches.push({ name: "browse_components", args, answer });
    missing = missing.filter((definition) => !shows(answer, definition));
  }
  return searches;
}

/** Whether code can be written from the answer: the name, and after it the names of its arguments. */
function shows(answer: Answer, { name, inputSchema }: Definition): boolean {
  const [, shown = ""] = textOf(answer).split(`mcp.retail.${name}(`);
  const [signature = ""] = shown.split(")");
  const { properties } = inputSchema as { readonly properties: object };
  return (
    shown !== "" &&
    Object.keys(properties).every((argument) => new RegExp(`\\b${argument}\\b`).test(signature))
  );
}
