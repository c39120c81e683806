/**
 * Which tools a query names outright: `create_issue`, `createIssue`, `github__create_issue`, `mcp.github.create_issue`.
 * One look-up for each such word, however many tools there are. A plain word names nothing: `search` is what is wanted,
 * and `e-mail` is no tool that is called `email`.
 */
import { foldWord } from "../text/tool-spelling.ts";

/** Several words in one, as only names are written. */
const JOINED = /[\p{L}\p{N}][^\p{L}\p{N}\s]+[\p{L}\p{N}]|\p{Ll}\p{Lu}/u;
const TOKENS = /[\p{L}\p{N}](?:[^\s,;"'`()[\]{}<>|]*[\p{L}\p{N}])?/gu;
const SERVER_END = "__";
const SEPARATORS = /[^\p{L}\p{N}]+/gu;
/** What clients put before the names of a gateway's tools, with the name of the gateway behind it. */
const CLIENT_PREFIX = /^mcp__/i;
/** A tool that is named gains so many times the best score: then it is first, whatever else it has. */
const GAIN = 1.1;
/** A whole page of text is no request. */
const QUERY_LENGTH_MAX = 4000;
/** More names than are asked for in one breath. */
const TOKENS_MAX = 20;

export interface ToolNames {
  /** A tool by the name that it is shown under and by its own name, without its server. */
  put(slot: number, id: string, name: string): void;
  remove(slots: readonly number[]): void;
  /** The tools that the query names; `ids` are the names with the server, by slot. */
  namedIn(query: string, ids: readonly (string | undefined)[]): ReadonlySet<number>;
}

export function createToolNames(): ToolNames {
  const bySpelling = new Map<string, number[]>();
  const kept: ({ readonly spellings: readonly string[]; readonly isJoined: boolean } | undefined)[] = [];

  function remove(slots: readonly number[]): void {
    for (const slot of slots) {
      for (const spelling of kept[slot]?.spellings ?? []) {
        const left = bySpelling.get(spelling)?.filter((other) => other !== slot) ?? [];
        if (left.length === 0) bySpelling.delete(spelling);
        else bySpelling.set(spelling, left);
      }
      kept[slot] = undefined;
    }
  }

  /** With its server in front, or alone where its own name has several words. */
  function* find(token: string, ids: readonly (string | undefined)[]): Iterable<number> {
    const wanted = foldWord(token);
    for (const slot of bySpelling.get(wanted) ?? []) if (kept[slot]!.isJoined) yield slot;
    const hasPrefix = CLIENT_PREFIX.test(token);
    for (const tail of tailsOf(token)) {
      for (const slot of bySpelling.get(foldWord(tail)) ?? []) {
        const whole = foldWord(ids[slot]!);
        if (whole === wanted || (hasPrefix && wanted.endsWith(whole))) yield slot;
      }
    }
  }

  return {
    put(slot, id, name) {
      // A long name is shown cut, so it is known by both.
      const shown = id.slice(id.indexOf(SERVER_END) + SERVER_END.length);
      const spellings = [...new Set([foldWord(name), ...(id.includes(SERVER_END) ? [foldWord(shown)] : [])])];
      kept[slot] = { spellings, isJoined: JOINED.test(name) };
      for (const spelling of spellings) {
        const known = bySpelling.get(spelling);
        if (known === undefined) bySpelling.set(spelling, [slot]);
        else known.push(slot);
      }
    },
    remove,
    namedIn(query, ids) {
      const tokens = (query.slice(0, QUERY_LENGTH_MAX).match(TOKENS) ?? []).filter((one) => JOINED.test(one));
      return new Set(tokens.slice(0, TOKENS_MAX).flatMap((token) => [...find(token, ids)]));
    },
  };
}

export interface NamedFirst {
  readonly slots: readonly number[];
  readonly scoreOf: (slot: number) => number;
  /** What a tool gains by being named. */
  readonly gainOf: (slot: number) => number;
}

/** The tools that a query names come before all others, by their scores among them. */
export function namedFirst(
  named: readonly number[],
  slots: readonly number[],
  scoreOf: (slot: number) => number,
): NamedFirst {
  if (named.length === 0) return { slots, scoreOf, gainOf: () => 0 };
  const all = new Set([...slots, ...named]);
  const best = all.values().reduce((most, slot) => Math.max(most, scoreOf(slot)), 0);
  const gain = best === 0 ? 1 : GAIN * best;
  const gainOf = (slot: number): number => (named.includes(slot) ? gain : 0);
  return { slots: [...all], scoreOf: (slot) => scoreOf(slot) + gainOf(slot), gainOf };
}

/** What may be the tool's own name where a server is in front of it. */
function tailsOf(token: string): string[] {
  return [...token.matchAll(SEPARATORS)].map(({ index, 0: { length } }) => token.slice(index + length));
}
