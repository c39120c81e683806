/**
 * What tools were used for, apart from what they say of themselves.
 *
 * A tool gains by its intents only as far as single ones of them resemble the request: the telling words count, each by
 * how rare it is, and the three closest intents together. A bag of all that a tool was ever used for would have the
 * filler and the topics of most requests, and would bury every tool that was never used.
 */
import { INTENT_TERMS_MAX, INTENTS_MAX, weighIntents, type SearchDocument } from "./search-fields.ts";
import { addTo, dropFrom, type Postings } from "./postings.ts";
import { FAINT_WEIGHT, type WeightedTerms } from "./search-query.ts";
import { isFaint, termsOf } from "./words.ts";

/** What the closest three intents count for: one may be chance. */
const CLOSEST_SHARES = [4 / 7, 2 / 7, 1 / 7] as const;

interface Intent {
  readonly slot: number;
  readonly terms: readonly string[];
  isGone: boolean;
  /** How much its terms say together, and for which state of the index that was worked out. */
  length: number;
  version: number;
  /** What it has in common with the request, while that is looked at. */
  common: number;
}

type Rarity = (count: number, all: number) => number;

export interface Learnt {
  put(slot: number, document: SearchDocument): void;
  remove(slots: readonly number[]): void;
  /** What a word adds to a tool that was used for it. */
  gains(term: string): Postings | undefined;
  /** Writes how near the closest intents of each tool are, from 0 to 1, and tells of which tools. */
  closeness(asked: WeightedTerms, definedBy: (term: string) => number, into: Float64Array): number[];
  /** How much of what was learnt is from tools that were used more than once. */
  repeatShare(): number;
  toolCount(): number;
}

export function createLearnt(rarity: Rarity): Learnt {
  const gains = new Map<string, Postings>();
  const bySlot = new Map<number, { readonly terms: readonly string[]; readonly intents: Intent[] }>();
  const byTerm = new Map<string, Intent[]>();
  let intentCount = 0;
  let onceCount = 0;
  /** What is rare changes with every document. */
  let version = 0;

  function put(slot: number, document: SearchDocument): void {
    version++;
    const texts = (document.intents ?? []).slice(0, INTENTS_MAX);
    if (texts.length === 0) return;
    const terms = weighIntents(document, texts);
    for (const [term, weight] of terms) addTo(gains, term, slot, weight);
    const intents = texts.map((text) => addIntent(slot, text));
    bySlot.set(slot, { terms: [...terms.keys()], intents });
    intentCount += intents.length;
    if (intents.length === 1) onceCount++;
  }

  function addIntent(slot: number, text: string): Intent {
    const terms = [...new Set(termsOf(text, INTENT_TERMS_MAX))];
    const intent = { slot, terms, isGone: false, length: 0, version: -1, common: 0 };
    for (const term of terms) {
      const known = byTerm.get(term);
      if (known === undefined) byTerm.set(term, [intent]);
      else known.push(intent);
    }
    return intent;
  }

  function remove(slots: readonly number[]): void {
    version++;
    const [gone, words] = [new Set<number>(), new Set<string>()];
    for (const slot of slots) {
      const learnt = bySlot.get(slot);
      if (learnt === undefined) continue;
      bySlot.delete(slot);
      gone.add(slot);
      intentCount -= learnt.intents.length;
      if (learnt.intents.length === 1) onceCount--;
      for (const term of learnt.terms) words.add(term);
      for (const intent of learnt.intents) intent.isGone = true;
    }
    dropFrom(gains, words, (slot) => gone.has(slot));
    for (const word of words) dropIntents(word);
  }

  function dropIntents(word: string): void {
    const left = byTerm.get(word)?.filter(({ isGone }) => !isGone) ?? [];
    if (left.length === 0) byTerm.delete(word);
    else byTerm.set(word, left);
  }

  const closeness: Learnt["closeness"] = (asked, definedBy, into) => {
    if (intentCount === 0) return [];
    /** A word that many tools have or that many requests have says little of which tool is wanted. */
    const tellingOf = (term: string): number =>
      (isFaint(term) ? FAINT_WEIGHT : 1) *
      Math.min(definedBy(term), rarity(byTerm.get(term)?.length ?? 0, intentCount));
    const lengthOf = (intent: Intent): number => {
      if (intent.version !== version) {
        intent.length = Math.hypot(...intent.terms.map(tellingOf));
        intent.version = version;
      }
      return intent.length;
    };
    const touched: Intent[] = [];
    let squares = 0;
    for (const [term, weight] of asked) {
      // An alias stands for a word that is counted already.
      const isAlias = weight < FAINT_WEIGHT;
      const telling = tellingOf(term);
      if (!isAlias) squares += telling ** 2;
      for (const intent of byTerm.get(term) ?? []) {
        if (intent.common === 0) touched.push(intent);
        intent.common += telling ** 2 * (isAlias ? weight : 1);
      }
    }
    const closest = new Map<number, number[]>();
    for (const intent of touched) {
      const near = intent.common / (lengthOf(intent) * Math.sqrt(squares) || 1);
      intent.common = 0;
      keepClosest(closest, intent.slot, near);
    }
    for (const [slot, nears] of closest)
      into[slot] = nears.reduce((sum, near, at) => sum + near * CLOSEST_SHARES[at]!, 0);
    return [...closest.keys()];
  };

  return {
    put,
    remove,
    closeness,
    gains: (term) => gains.get(term),
    repeatShare: () => (intentCount === 0 ? 0 : 1 - onceCount / intentCount),
    toolCount: () => bySlot.size,
  };
}

function keepClosest(closest: Map<number, number[]>, slot: number, near: number): void {
  const nears = closest.get(slot);
  if (nears === undefined) {
    closest.set(slot, [near]);
    return;
  }
  let at = nears.length;
  while (at > 0 && nears[at - 1]! < near) at--;
  if (at >= CLOSEST_SHARES.length) return;
  nears.splice(at, 0, near);
  nears.length = Math.min(nears.length, CLOSEST_SHARES.length);
}
