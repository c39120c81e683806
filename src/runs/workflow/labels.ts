/**
 * What a step is called. Its key tells it from all others, also in a later run. Its label stays when a node changes;
 * its name is what a person reads.
 *
 * | | key | label | name |
 * |---|---|---|---|
 * | in code | tool, hash of the arguments, how many equal calls came before | the key | `github__create_issue`, the second one `github__create_issue#2` |
 * | in a workflow | node, item, attempt, hash | without the hash | `fetch`, `fetch[3]`, `fetch[3]~2` |
 */
import type { Step } from "../../core/store.ts";

const HASH_DIGITS = 32;
const CODE_KEY = /^\S+ [0-9a-f]{64} \d+$/;

export function codeKey(tool: string, hash: string, count: number): string {
  return `${tool} ${hash} ${count}`;
}

export function nodeKey(label: string, hash: string): string {
  return `${label}@${hash.slice(0, HASH_DIGITS)}`;
}

export function isNodeKey(key: string): boolean {
  return !CODE_KEY.test(key);
}

export function labelOf(key: string): string {
  const at = isNodeKey(key) ? key.lastIndexOf("@") : -1;
  return at === -1 ? key : key.slice(0, at);
}

/** The names of the steps of one run, by their keys. */
export function namesOf(steps: readonly Pick<Step, "key" | "tool">[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  return new Map(
    steps.map(({ key, tool }) => {
      if (isNodeKey(key)) return [key, labelOf(key)];
      const count = (counts.get(tool) ?? 0) + 1;
      counts.set(tool, count);
      return [key, count === 1 ? tool : `${tool}#${count}`];
    }),
  );
}
