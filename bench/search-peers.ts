/** MiniSearch and SQLite's FTS5, with the fields and about the weights of our own index. */
import { DatabaseSync } from "node:sqlite";
import MiniSearch, { type SearchOptions } from "minisearch";
import type { BenchTool } from "./search-data.ts";
import type { SearchSystem } from "./search-systems.ts";

const WEIGHTS = {
  name: 2,
  server: 1,
  category: 1,
  serverDescription: 0.5,
  description: 1,
  parameters: 0.3,
  intents: 1,
} as const;

type Field = keyof typeof WEIGHTS;
const FIELDS = Object.keys(WEIGHTS) as Field[];

/** Neither splits camelCase, so a name comes with its parts. */
function textsOf(tool: BenchTool, intents: readonly string[] | undefined): Record<Field, string> {
  const parts = tool.name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ");
  return {
    name: parts === tool.name ? parts : `${tool.name} ${parts}`,
    server: tool.server,
    category: tool.category ?? "",
    serverDescription: tool.serverDescription ?? "",
    description: tool.description,
    parameters: (tool.params ?? []).map(({ name, description }) => `${name} ${description ?? ""}`).join(" "),
    intents: (intents ?? []).join(" "),
  };
}

/** What its documentation shows, and what suits whole sentences: in these most words have a neighbour by accident. */
export const MINISEARCH_SETTINGS = {
  "prefix, fuzzy 0.2": { prefix: true, fuzzy: 0.2 },
  "whole words": {},
} as const satisfies Record<string, SearchOptions>;
export type MiniSearchSetting = keyof typeof MINISEARCH_SETTINGS;

interface MiniDocument extends Record<Field, string> {
  readonly id: string;
}

export function createMiniSearch(setting: MiniSearchSetting): SearchSystem {
  const index = new MiniSearch<MiniDocument>({ fields: FIELDS });
  const options = { ...MINISEARCH_SETTINGS[setting], boost: WEIGHTS };
  const kept = new Map<string, () => MiniDocument[]>();
  return {
    put(group, tools, intents) {
      // To take a document out it must be handed in again; made anew it costs no memory in between.
      index.removeAll(kept.get(group)?.() ?? []);
      const documents = (): MiniDocument[] =>
        tools.map((tool) => ({ id: tool.id, ...textsOf(tool, intents.get(tool.id)) }));
      index.addAll(documents());
      kept.set(group, documents);
    },
    search: (query, limit) =>
      index
        .search(query, options)
        .slice(0, limit)
        .map(({ id }) => id as string),
  };
}

export function createFts5(): SearchSystem {
  const database = new DatabaseSync(":memory:");
  const weights = FIELDS.map((field) => WEIGHTS[field]).join(", ");
  database.exec(
    `create virtual table tools using fts5(id unindexed, ${FIELDS.join(", ")}, tokenize = 'porter unicode61')`,
  );
  database.exec(`insert into tools(tools, rank) values ('rank', 'bm25(0, ${weights})')`);
  const insert = database.prepare(
    `insert into tools(id, ${FIELDS.join(", ")}) values (?${", ?".repeat(FIELDS.length)})`,
  );
  const remove = database.prepare("delete from tools where rowid = ?");
  const find = database.prepare("select id from tools where tools match ? order by rank limit ?");
  const rows = new Map<string, (number | bigint)[]>();
  return {
    put(group, tools, intents) {
      database.exec("begin");
      for (const row of rows.get(group) ?? []) remove.run(row);
      const added = tools.map((tool) => {
        const texts = textsOf(tool, intents.get(tool.id));
        return insert.run(tool.id, ...FIELDS.map((field) => texts[field])).lastInsertRowid;
      });
      rows.set(group, added);
      database.exec("commit");
    },
    search(query, limit) {
      const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu));
      if (words.size === 0) return [];
      const match = [...words].map((word) => `"${word}"`).join(" OR ");
      return find.all(match, limit).map((row) => row["id"] as string);
    },
    foreignBytes: () => pragma(database, "page_count") * pragma(database, "page_size"),
    close: () => database.close(),
  };
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`pragma ${name}`).get()![name]);
}
