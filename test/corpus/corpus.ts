/** The labelled texts of this folder, and what the scanner says of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { admitOffer } from "../../src/admission/admission.ts";
import { findSuspicious, type ListedEntries } from "../../src/admission/findings.ts";
import { scanAnswer } from "../../src/admission/scanner/scan-answer.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { Offer, ToolDefinition } from "../../src/core/tool.ts";

export const HALVES = ["dev", "held"] as const;

export interface CorpusEntry {
  readonly id: string;
  readonly class: string;
  readonly label: "attack" | "benign";
  readonly kind: "tool" | "prompt" | "answer" | "servers";
  readonly definition?: JsonObject;
  readonly texts?: readonly string[];
  readonly servers?: Readonly<Record<string, readonly ToolDefinition[]>>;
  readonly note: string;
}

export interface ClassResult {
  readonly name: string;
  attackCount: number;
  foundCount: number;
  benignCount: number;
  falseCount: number;
}

export function loadCorpus(half: (typeof HALVES)[number]): CorpusEntry[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, `${half}.json`), "utf8")) as CorpusEntry[];
}

/** The codes of what is found, as a registry or a call would find it. */
export function scanEntry({ kind, definition, texts, servers }: CorpusEntry): readonly string[] {
  if (kind === "answer") return scanAnswer(texts!).map(({ code }) => code);
  const listed =
    kind === "servers"
      ? Object.entries(servers!).map(([server, tools]) => listedBy(server, { tools }))
      : [listedBy("s", kind === "tool" ? { tools: [definition!] } : { tools: [], prompts: [definition!] })];
  return findSuspicious(listed).map(({ code }) => code);
}

function listedBy(server: string, offer: object): ListedEntries {
  const { tools, prompts, findings } = admitOffer(offer as Offer);
  const entries = [
    ...tools.map((definition) => ({ kind: "tool" as const, definition })),
    ...prompts.map((definition) => ({ kind: "prompt" as const, definition })),
  ];
  return { server, entries, findings };
}

/** Counts by class, with all classes together at the end. */
export function measure(entries: readonly CorpusEntry[]): ClassResult[] {
  const results = new Map<string, ClassResult>();
  const total = emptyResult("all");
  for (const entry of entries) {
    const result = results.get(entry.class) ?? emptyResult(entry.class);
    results.set(entry.class, result);
    const isFound = scanEntry(entry).length > 0;
    for (const counted of [result, total]) count(counted, entry.label, isFound);
  }
  return [...[...results.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), total];
}

function emptyResult(name: string): ClassResult {
  return { name, attackCount: 0, foundCount: 0, benignCount: 0, falseCount: 0 };
}

function count(result: ClassResult, label: CorpusEntry["label"], isFound: boolean): void {
  if (label === "attack") {
    result.attackCount++;
    if (isFound) result.foundCount++;
  } else {
    result.benignCount++;
    if (isFound) result.falseCount++;
  }
}
