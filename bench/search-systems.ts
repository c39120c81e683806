/** The systems that are compared; all of them are handed the same texts. */
import { createSearchIndex } from "../src/search/search-index.ts";
import { documentOf } from "../src/search/search-document.ts";
import type { BenchTool } from "./search-data.ts";

/** What our own index is called in the tables. */
export const OURS = "repertoire";

export type Intents = ReadonlyMap<string, readonly string[]>;

/** One index over servers and their tools. */
export interface SearchSystem {
  /** Puts a server's tools in place of those it had. */
  put(group: string, tools: readonly BenchTool[], intents: Intents): void;
  /** The ids, best first. */
  search(query: string, limit: number): string[];
  /** What the index takes outside of the JavaScript heap. */
  foreignBytes?(): number;
  close?(): void;
}

export function createOurs(): SearchSystem {
  const index = createSearchIndex();
  return {
    put: (group, tools, intents) =>
      index.put(
        group,
        tools.map((tool) => ourDocument(tool, intents.get(tool.id))),
      ),
    search: (query, limit) => index.search(query, { limit }).hits.map(({ id }) => id),
  };
}

export function ourDocument(
  tool: BenchTool,
  intents: readonly string[] | undefined,
): ReturnType<typeof documentOf> {
  const properties = Object.fromEntries(
    (tool.params ?? []).map(({ name, description }) => [name, { description: description ?? "" }]),
  );
  const definition = {
    name: tool.name,
    description: tool.description,
    inputSchema: { type: "object", properties },
    ...(tool.category === undefined ? {} : { metadata: { category: tool.category } }),
  };
  const experience = intents && { intents, useCount: intents.length };
  const document = documentOf({ name: tool.id, source: tool.server, definition }, experience);
  if (tool.serverDescription === undefined) return document;
  return { ...document, fields: { ...document.fields, serverDescription: tool.serverDescription } };
}
