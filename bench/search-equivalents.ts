/** Recall where another tool that does the same counts as well: a catalogue has the same tool under many servers. */
import { foldName } from "../src/text/nearest.ts";
import type { BenchTool } from "./search-data.ts";

/** Descriptions that share so many of all their words say the same. */
const JACCARD_MIN = 0.8;

interface Said {
  readonly name: string;
  readonly words: ReadonlySet<string>;
}

/** Like `recallAt`, among these tools. */
export function createEquivalentRecall(
  tools: readonly BenchTool[],
): (ranking: readonly string[], wanted: readonly (readonly string[])[], depth: number) => number {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const said = new Map<string, Said>();
  const saidOf = (id: string): Said => {
    let known = said.get(id);
    if (known === undefined) said.set(id, (known = sayOf(byId.get(id))));
    return known;
  };
  return (ranking, wanted, depth) => {
    const first = ranking.slice(0, depth);
    const isFound = (members: readonly string[]): boolean =>
      members.some((id) => first.some((hit) => hit === id || areEquivalent(saidOf(hit), saidOf(id))));
    return wanted.filter(isFound).length / wanted.length;
  };
}

function sayOf(tool: BenchTool | undefined): Said {
  return {
    name: foldName(tool?.name ?? ""),
    words: new Set(tool?.description.toLowerCase().match(/[\p{L}\p{N}]+/gu)),
  };
}

function areEquivalent(one: Said, other: Said): boolean {
  if (one.name !== "" && one.name === other.name) return true;
  const shared = one.words.intersection(other.words).size;
  const all = one.words.size + other.words.size - shared;
  return all > 0 && shared / all >= JACCARD_MIN;
}
