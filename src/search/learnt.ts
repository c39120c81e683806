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
export const CLOSEST_SHARES = [4 / 7, 2 / 7, 1 / 7] as const;

/** Words that say so little, compared with the most telling one, make no intent a candidate: many intents have them. */
const TELLING_SHARE_MIN = 0.4;

/**
 * What was learnt counts for something everywhere, and for more where words tell the tools apart badly. It counts for
 * most where every tool was used.
 */
const WEIGHT = 0.25;
/** Who asks for several things needs room for each: there, tools that were used once would crowd out what never was. */
const WEIGHT_SEVERAL = 0.02;
const WEIGHT_CROWDED = 20;
const WEIGHT_ALL_USED = 3;
/** The more of it is from tools that were used once, the less: with half of it, next to nothing. */
const REPEATED_POWER = 6;

type Rarity = (count: number, all: number) => number;

export interface Learnt {
  put(slot: number, document: SearchDocument): void;
  remove(slots: readonly number[]): void;
  /** What a word adds to a tool that was used for it. */
  gains(term: string): Postings | undefined;
  /** Writes how near the closest intents of each tool are, from 0 to 1, and tells of which tools. */
  closeness(asked: WeightedTerms, definedBy: (term: string) => number, into: Float64Array): number[];
  /**
   * How much it counts. `crowd` is how well words tell the tools apart, from 0 to 1: 1 where many fit as well as the best.
   * Where most of it is from tools that were used once, the next request is likely for one that never was (Good and
   * Turing).
   */
  weight(crowd: number, documentCount: number, isForSeveral: boolean): number;
}

export function createLearnt(rarity: Rarity): Learnt {
  const gains = new Map<string, Postings>();
  const bySlot = new Map<number, { readonly terms: readonly string[]; readonly intents: number[] }>();
  /** Numbers of intents, by their terms. */
  const byTerm = new Map<string, number[]>();
  const intentTerms: (readonly string[])[] = [];
  const free: number[] = [];
  let pads = createIntentPads(256);
  let onceCount = 0;
  /** What is rare changes with every document. */
  let version = 1;
  const intentCount = (): number => intentTerms.length - free.length;

  function put(slot: number, document: SearchDocument): void {
    version++;
    const texts = (document.intents ?? []).slice(0, INTENTS_MAX);
    if (texts.length === 0) return;
    const terms = weighIntents(document, texts);
    for (const [term, weight] of terms) addTo(gains, term, slot, weight);
    const intents = texts.map((text) => addIntent(slot, text));
    bySlot.set(slot, { terms: [...terms.keys()], intents });
    if (intents.length === 1) onceCount++;
  }

  function addIntent(slot: number, text: string): number {
    const intent = free.pop() ?? intentTerms.length;
    if (intent >= pads.slots.length) pads = growIntentPads(pads);
    const terms = [...new Set(termsOf(text, INTENT_TERMS_MAX))];
    intentTerms[intent] = terms;
    pads.slots[intent] = slot;
    pads.versions[intent] = 0;
    for (const term of terms) {
      const known = byTerm.get(term);
      if (known === undefined) byTerm.set(term, [intent]);
      else known.push(intent);
    }
    return intent;
  }

  function remove(slots: readonly number[]): void {
    version++;
    const [words, gone] = [new Set<string>(), new Set<number>()];
    const goneSlots = new Set(slots);
    for (const slot of slots) {
      const learnt = bySlot.get(slot);
      if (learnt === undefined) continue;
      bySlot.delete(slot);
      if (learnt.intents.length === 1) onceCount--;
      for (const term of learnt.terms) words.add(term);
      for (const intent of learnt.intents) gone.add(intent);
    }
    dropFrom(gains, words, (slot) => goneSlots.has(slot));
    for (const word of words) dropIntents(word, gone);
    free.push(...gone);
  }

  function dropIntents(word: string, gone: ReadonlySet<number>): void {
    const left = byTerm.get(word)?.filter((intent) => !gone.has(intent)) ?? [];
    if (left.length === 0) byTerm.delete(word);
    else byTerm.set(word, left);
  }

  /** A word that many tools have or that many requests have says little of which tool is wanted. */
  function tellingOf(term: string, definedBy: (term: string) => number): number {
    const inIntents = rarity(byTerm.get(term)?.length ?? 0, intentCount());
    return (isFaint(term) ? FAINT_WEIGHT : 1) * Math.min(definedBy(term), inIntents);
  }

  /** How much the terms of an intent say together; worked out again when the index has changed. */
  function lengthOf(intent: number, definedBy: (term: string) => number): number {
    if (pads.versions[intent] === version) return pads.lengths[intent]!;
    let squares = 0;
    for (const term of intentTerms[intent]!) squares += tellingOf(term, definedBy) ** 2;
    pads.versions[intent] = version;
    return (pads.lengths[intent] = Math.sqrt(squares));
  }

  /** Notes what each intent has in common with the request, by the most telling words first. */
  function compare(asked: readonly AskedTerm[], touched: number[]): void {
    const { common } = pads;
    const known = asked.filter(({ term }) => byTerm.has(term));
    const least = TELLING_SHARE_MIN * (known[0]?.telling ?? 0);
    for (const { term, telling, share } of known) {
      for (const intent of byTerm.get(term)!) {
        if (common[intent] === 0) {
          if (telling < least) continue;
          touched.push(intent);
        }
        common[intent]! += telling * telling * share;
      }
    }
  }

  const closeness: Learnt["closeness"] = (asked, definedBy, into) => {
    if (intentCount() === 0) return [];
    const weighed = [...asked].map(([term, weight]): AskedTerm => {
      // An alias stands for a word that is counted already.
      const isAlias = weight < FAINT_WEIGHT;
      return { term, telling: tellingOf(term, definedBy), share: isAlias ? weight : 1, isAlias };
    });
    const touched: number[] = [];
    compare(
      weighed.toSorted((one, other) => other.telling - one.telling),
      touched,
    );
    const length = Math.sqrt(
      weighed.reduce((sum, { telling, isAlias }) => sum + (isAlias ? 0 : telling * telling), 0),
    );
    const closest = new Map<number, number[]>();
    for (const intent of touched) {
      const near = pads.common[intent]! / (lengthOf(intent, definedBy) * length || 1);
      pads.common[intent] = 0;
      keepClosest(closest, pads.slots[intent]!, near);
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
    weight(crowd, documentCount, isForSeveral) {
      const repeatShare = intentCount() === 0 ? 0 : 1 - onceCount / intentCount();
      const usedShare = bySlot.size / documentCount;
      const most = WEIGHT_CROWDED * crowd ** 2 + WEIGHT_ALL_USED * usedShare ** 2;
      return (isForSeveral ? WEIGHT_SEVERAL : WEIGHT) + most * repeatShare ** REPEATED_POWER;
    },
  };
}

interface AskedTerm {
  readonly term: string;
  /** How much it says of which tool is wanted. */
  readonly telling: number;
  readonly share: number;
  readonly isAlias: boolean;
}

/** One place for each intent. */
interface IntentPads {
  readonly slots: Int32Array;
  readonly lengths: Float64Array;
  /** For which state of the index the length was worked out. */
  readonly versions: Float64Array;
  /** What it has in common with the request, while that is looked at. */
  readonly common: Float64Array;
}

function createIntentPads(length: number): IntentPads {
  return {
    slots: new Int32Array(length),
    lengths: new Float64Array(length),
    versions: new Float64Array(length),
    common: new Float64Array(length),
  };
}

function growIntentPads({ slots }: IntentPads): IntentPads {
  const pads = createIntentPads(slots.length * 2);
  pads.slots.set(slots);
  return pads;
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
  if (nears.length > CLOSEST_SHARES.length) nears.pop();
}
