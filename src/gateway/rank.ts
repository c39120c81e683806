/** A word in the name says more than one in the description. */
const NAME_WEIGHT = 3;
const QUERY_WORDS_MAX = 40;

/** Those of the items that share a word with the query, best first; all of them, in their order, without a query. */
export function rank<T>(
  query: string | undefined,
  items: readonly T[],
  textsOf: (item: T) => readonly [name: string, description: string],
): T[] {
  const words = wordsOf(query ?? "").slice(0, QUERY_WORDS_MAX);
  if (words.length === 0) return query === undefined || query.trim() === "" ? [...items] : [];
  return items
    .map((item) => ({ item, score: scoreOf(words, textsOf(item)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

function scoreOf(words: readonly string[], [name, description]: readonly [string, string]): number {
  const nameWords = wordsOf(name);
  const descriptionWords = new Set(wordsOf(description));
  let score = 0;
  for (const word of words) {
    if (nameWords.some((candidate) => candidate.startsWith(word))) score += NAME_WEIGHT;
    if (descriptionWords.has(word)) score += 1;
  }
  return score;
}

function wordsOf(text: string): string[] {
  const split = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return [...new Set(split.match(/[\p{L}\p{N}]+/gu))];
}
