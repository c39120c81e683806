/** The systems that are compared; all of them are handed the same texts. */
import { readFileSync } from "node:fs";
import type { ToolDefinition } from "../src/core/tool.ts";
import { wordVectorsFile } from "../src/search/encoder/encoder.ts";
import { similarityTo, WEIGHT } from "../src/search/encoder/query-similarity.ts";
import { createToolRows } from "../src/search/encoder/tool-rows.ts";
import { parseWordVectors } from "../src/search/encoder/word-vectors.ts";
import { createSearchIndex } from "../src/search/search-index.ts";
import { documentOf } from "../src/search/search-document.ts";
import type { BenchTool } from "./search-data.ts";

/** What our own search is called in the tables; the goals are about it. */
export const OURS = "repertoire";
export const WORDS_ALONE = "repertoire, words alone";

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

export function createWordsAlone(): SearchSystem {
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

export interface OurSystem extends SearchSystem {
  /** How much the meaning counts from now on. */
  weigh(weight: number): void;
}

/** As the product searches where no endpoint is configured: words and the encoder. */
export function createOurs(): OurSystem {
  const index = createSearchIndex();
  const words = parseWordVectors(readFileSync(process.env["ENCODER_FILE"] ?? wordVectorsFile()))!;
  const rows = createToolRows(words);
  const definitions = new Map<string, ToolDefinition>();
  let counted = WEIGHT;
  /** The same for the same tool, so that what runs teach makes no row again. */
  const definitionOf = (id: string): ToolDefinition => {
    const definition = definitions.get(id) ?? { name: id, inputSchema: { type: "object" } };
    definitions.set(id, definition);
    return definition;
  };
  return {
    weigh: (weight) => void (counted = weight),
    put(group, tools, intents) {
      const documents = tools.map((tool) => ourDocument(tool, intents.get(tool.id)));
      index.put(group, documents);
      const own = documents.map(
        (document) => [document.id, { definition: definitionOf(document.id), document }] as const,
      );
      rows.put(
        group,
        new Map(own),
        ({ document }) => textOf(document),
        (id) => intents.get(id) ?? [],
      );
    },
    search(query, limit) {
      const similarityOf = counted === 0 ? undefined : similarityTo(query, { words, rows }, counted);
      return index.search(query, { limit, similarityOf }).hits.map(({ id }) => id);
    },
  };
}

/** As the registry has it. */
function textOf({ fields }: ReturnType<typeof ourDocument>): string {
  const { name, server, category, description, parameterNames } = fields;
  return [name, server, category, description, parameterNames].filter(Boolean).join("\n");
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
