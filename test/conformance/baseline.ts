import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseNamedLists } from "./named-lists.ts";

/** A whole scenario, or one check of it, that is known to fail. */
export interface BaselineEntry {
  readonly scenario: string;
  readonly check?: string;
  readonly reason: string;
}

/** By the name of the column, as `stdio@2026-07-28`. */
export type Baseline = ReadonlyMap<string, readonly BaselineEntry[]>;

/** Throws where a line is not understood or an entry has no reason. */
export function loadBaseline(file = join(import.meta.dirname, "baseline.yml")): Baseline {
  const lists = parseNamedLists(readFileSync(file, "utf8"), (line) => {
    throw new Error(`${file}: not understood: ${line}`);
  });
  return new Map([...lists].map(([column, entries]) => [column, entries.map(toEntry)]));
}

function toEntry({ value, comment }: { value: string; comment: string }): BaselineEntry {
  if (comment === "")
    throw new Error(`baseline: "${value}" has no reason: write it behind the entry, after #`);
  const colon = value.indexOf(":");
  if (colon === -1) return { scenario: value, reason: comment };
  return { scenario: value.slice(0, colon), check: value.slice(colon + 1), reason: comment };
}
