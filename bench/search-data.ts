/** The labelled sets of the search bench, and how a set is filled up to many tools. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { shuffle } from "./search-random.ts";

export interface BenchTool {
  /** Unique among all sets and copies. */
  readonly id: string;
  readonly name: string;
  readonly server: string;
  /** Which tools are one server: two sets may use the same server name. */
  readonly group: string;
  readonly description: string;
  readonly serverDescription?: string;
  readonly category?: string;
  readonly params?: readonly { readonly name: string; readonly description?: string }[];
}

export interface BenchQuery {
  readonly text: string;
  /** Each is one thing that is wanted; any member of it will do. */
  readonly wanted: readonly (readonly string[])[];
}

export interface BenchSet {
  readonly name: string;
  readonly tools: readonly BenchTool[];
  readonly queries: readonly BenchQuery[];
}

export interface BenchData {
  readonly sets: readonly BenchSet[];
  readonly distractors: readonly BenchTool[];
}

interface SetFile {
  readonly tools: readonly Omit<BenchTool, "group">[];
  readonly queries: readonly {
    readonly q: string;
    readonly gold: readonly string[];
    readonly groups?: readonly (readonly string[])[];
  }[];
}

const SET_NAMES = ["metatool", "livemcp-step", "seal-tools"] as const;

export function dataFolder(): string {
  const asked = process.env["REPERTOIRE_BENCH_DATA"];
  return asked === undefined || asked === ""
    ? resolve(import.meta.dirname, "../../shared/data/retrieval")
    : asked;
}

/** Nothing where a file is missing. */
export function loadBenchData(folder: string): BenchData | undefined {
  const names = [...SET_NAMES, "distractors"];
  if (!names.every((name) => existsSync(fileOf(folder, name)))) return undefined;
  const sets = SET_NAMES.map((name) => loadSet(folder, name));
  return { sets, distractors: loadSet(folder, "distractors").tools };
}

function fileOf(folder: string, name: string): string {
  return join(folder, `${name}.json`);
}

function loadSet(folder: string, name: string): BenchSet {
  const file = JSON.parse(readFileSync(fileOf(folder, name), "utf8")) as SetFile;
  const idOf = (id: string): string => `${name}:${id}`;
  return {
    name,
    tools: file.tools.map((tool) => ({ ...tool, id: idOf(tool.id), group: idOf(tool.server) })),
    queries: file.queries.map(({ q, gold, groups }) => ({
      text: q,
      wanted: (groups ?? gold.map((id) => [id])).map((group) => group.map(idOf)),
    })),
  };
}

/** How many tools of a filled set come from where. */
export interface Filling {
  readonly own: number;
  readonly distractors: number;
  readonly otherSets: number;
  readonly copies: number;
}

/**
 * The set's tools and enough others to make `size`: distractors, then the tools of the other sets, then copies of
 * distractors under other server names. What the set itself has word for word is no distractor: it would be as right as
 * the labelled tool.
 */
export function fillSet(
  data: BenchData,
  set: BenchSet,
  size: number,
): { tools: BenchTool[]; filling: Filling } {
  const own = new Set(set.tools.map(wordingOf));
  const isOther = (tool: BenchTool): boolean => !own.has(wordingOf(tool));
  const distractors = byServer(data.distractors.filter(isOther));
  const others = data.sets.filter((other) => other !== set).flatMap((other) => other.tools.filter(isOther));
  const tools = [...set.tools];
  const add = (more: readonly BenchTool[]): number => {
    const taken = more.slice(0, Math.max(0, size - tools.length));
    tools.push(...taken);
    return taken.length;
  };
  const filling = { own: tools.length, distractors: add(distractors), otherSets: add(others), copies: 0 };
  for (let round = 2; tools.length < size; round++)
    filling.copies += add(distractors.map((tool) => copyOf(tool, round)));
  return { tools, filling };
}

function wordingOf({ name, description }: BenchTool): string {
  return `${name}\n${description}`;
}

/** Whole servers in a fixed random order, so that a part of them is a fair sample. */
function byServer(tools: readonly BenchTool[]): BenchTool[] {
  const servers = Map.groupBy(tools, ({ group }) => group);
  return shuffle([...servers.values()], "distractors").flat();
}

function copyOf(tool: BenchTool, round: number): BenchTool {
  return {
    ...tool,
    id: `${tool.id}#${round}`,
    server: `${tool.server}-${round}`,
    group: `${tool.group}#${round}`,
  };
}
