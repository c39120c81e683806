import { isFaint } from "./words.ts";
import type { WeightedTerms } from "./search-query.ts";

/** How much of what was asked for a document has, from 0 to 1, each word by how rare it is. */
export function coverageOf(
  asked: WeightedTerms,
  has: (word: string) => boolean,
  rarityOf: (word: string) => number,
): number {
  let [had, wanted] = [0, 0];
  for (const [word, weight] of asked) {
    const isTelling = weight >= 1 && !isFaint(word);
    if (isTelling) wanted += rarityOf(word);
    // An alias of a word counts as much as the word.
    if (has(word)) had += rarityOf(word);
  }
  return wanted === 0 ? 1 : had / wanted;
}
