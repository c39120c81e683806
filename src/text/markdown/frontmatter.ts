/** The frontmatter of a Markdown file, as a stranger wrote it. */
import { parse } from "yaml";
import { findJsonProblem, isJsonObject, type JsonLimits, type JsonObject } from "../../core/json.ts";

const BLOCK = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
/** Real ones have a few hundred bytes. */
const LENGTH_MAX = 64 * 1024;
/** Aliases may name one thing so often, and no more: each can double the size of what it names. */
const ALIAS_COUNT_MAX = 20;
const LIMITS: JsonLimits = { depthMax: 32, keyCountMax: 1_000, bytesMax: 256 * 1024 };

/** Undefined where there is none, or none that can be read as an object of JSON. */
export function readFrontmatter(markdown: string): JsonObject | undefined {
  const start = markdown.startsWith("\uFEFF") ? 1 : 0;
  const block = BLOCK.exec(markdown.slice(start, start + LENGTH_MAX))?.[1];
  if (block === undefined) return undefined;
  try {
    const read: unknown = parse(block, {
      maxAliasCount: ALIAS_COUNT_MAX,
      uniqueKeys: true,
      logLevel: "error",
    });
    return isJsonObject(read) && findJsonProblem(read, LIMITS) === undefined ? read : undefined;
  } catch {
    // Not YAML, or nested so deep that the parser gave up.
    return undefined;
  }
}
