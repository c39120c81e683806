/**
 * A client that keeps definitions back by itself: the model has one search tool, and what it finds is loaded whole. The
 * ranking is BM25 over names and descriptions, as such clients have it.
 */
import MiniSearch from "minisearch";
import { definitionText, startTokens, type ToolCall } from "./conversation.ts";
import type { Definition } from "./definitions.ts";
import { text } from "./task.ts";
import type { Hit } from "./meta-tools.ts";

/** How many definitions one search loads. */
const LOADED = 5;

/** About 150 tokens, as the search tools of such clients have. */
const SEARCH_TOOL: Definition = {
  name: "tool_search",
  description:
    "Searches the tools that are not loaded yet and loads the best matches, with their full definitions, so that they " +
    "can be called. Most tools are not loaded at the start: search before you say that something cannot be done. Give " +
    "what you want to do and the names of products or services. The result lists up to 5 tools; after that they can " +
    "be called like any other tool. Search again with other words if the right one is not among them.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "What the tool should do, in a few words." },
      max_results: { type: "integer", description: "How many tools are loaded at most.", default: LOADED },
    },
    required: ["query"],
  },
};

/** A tool under the name by which it is looked for, and as it is shown. */
export interface OfferedTool {
  readonly name: string;
  readonly definition: Definition;
}

export interface ClientSearch {
  /** What the model has before it searches. */
  readonly start: number;
  ask(query: string): Promise<{ call: ToolCall; hits: readonly Hit[] }>;
}

export function createClientSearch(tools: readonly OfferedTool[]): ClientSearch {
  const index = new MiniSearch<{ id: number; name: string; description: string }>({
    fields: ["name", "description"],
    tokenize: (words) => words.split(/[^\p{L}\p{N}]+|_/u).filter((word) => word !== ""),
  });
  index.addAll(
    tools.map(({ name, definition }, id) => ({ id, name, description: definition.description ?? "" })),
  );
  return {
    start: startTokens([SEARCH_TOOL]),
    async ask(query) {
      const best = index.search(query).slice(0, LOADED);
      const found = best.map(({ id }) => tools[Number(id)]!);
      const answer = text(found.map(({ definition }) => definitionText(definition)).join("\n"));
      return {
        call: { name: SEARCH_TOOL.name, args: { query }, answer },
        hits: found.map(({ name, definition }) => ({ name, signature: definition.name })),
      };
    },
  };
}
