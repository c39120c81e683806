/**
 * How near tools are to a query by what their words mean, without a network: `word-vectors.bin` travels with the
 * program. It is read at the first search. Without it, or where none of a query's words are known, words alone decide.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../core/log.ts";
import { IS_SOURCE, programFolder, sourceFolder } from "../../process/program-file.ts";
import type { Meanings } from "../similarity.ts";
import { similarityTo, type Encoded } from "./query-similarity.ts";
import { createToolRows, type ToolRows } from "./tool-rows.ts";
import { parseWordVectors } from "./word-vectors.ts";

export interface EncoderDeps {
  readonly log: Log;
  readonly file?: string;
}

export function createEncoder({ log, file = wordVectorsFile() }: EncoderDeps): Meanings {
  /** What came before anybody searched. */
  const offered = new Map<string, (rows: ToolRows) => void>();
  let loading: Promise<Encoded | undefined> | undefined;
  let loaded: Encoded | undefined;

  async function load(): Promise<Encoded | undefined> {
    try {
      const words = parseWordVectors(await readFile(file));
      if (words !== undefined) return (loaded = { words, rows: createToolRows(words) });
      log.warn("search.encoder.damaged", {
        file,
        hint: "Install the package again; searches use words alone.",
      });
    } catch (error) {
      log.warn("search.encoder.unreadable", { file, error });
    }
    return undefined;
  }

  return {
    put(source, tools, textOf, intentsOf) {
      const accept = (rows: ToolRows) => rows.put(source, tools, textOf, intentsOf);
      if (loaded === undefined) offered.set(source, accept);
      else accept(loaded.rows);
    },
    async nearTo(query) {
      const now = await (loading ??= load());
      if (now === undefined) return undefined;
      for (const accept of offered.values()) accept(now.rows);
      offered.clear();
      return similarityTo(query, now);
    },
  };
}

export function wordVectorsFile(): string {
  return IS_SOURCE
    ? join(sourceFolder(), "search/encoder/word-vectors.bin")
    : join(programFolder(), "word-vectors.bin");
}
