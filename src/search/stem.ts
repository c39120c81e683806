/**
 * The stem of an English word, after Porter (1980): "creating", "creates" and "creation" meet in one term. It is for
 * lower-case ASCII words; anything else is its own stem. What comes out is no word and is never shown.
 */
type Rule = readonly [suffix: string, replacement: string];

const CONSONANT = "(?:[^aeiouy]|(?<![^aeiou])y|^y)";
const HAS_VOWEL = /[aeiou]|(?<=.)y/;
const DOUBLED = /([^aeiouylsz])\1$/;
const SHORT_END = /(?:^|[^aeiou])[aeiouy][^aeiouwxy]$/;

const DERIVED: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
];

const QUALITIES: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];

const ENDINGS: readonly Rule[] = "ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou"
  .split(" ")
  .map((suffix) => [suffix, ""]);

export function stemOf(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let stem = withoutInflection(withoutPlural(word));
  if (stem.endsWith("y") && HAS_VOWEL.test(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(stem, DERIVED, 1);
  stem = replaceSuffix(stem, QUALITIES, 1);
  stem = /[st]ion$/.test(stem) ? dropIfMeasured(stem, 3, 2) : replaceSuffix(stem, ENDINGS, 2);
  if (stem.endsWith("e")) {
    const rest = stem.slice(0, -1);
    const measure = measureOf(rest);
    if (measure > 1 || (measure === 1 && !SHORT_END.test(rest))) stem = rest;
  }
  return stem.endsWith("ll") && measureOf(stem) > 1 ? stem.slice(0, -1) : stem;
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") && !word.endsWith("us") ? word.slice(0, -1) : word;
}

function withoutInflection(word: string): string {
  if (word.endsWith("eed")) return measureOf(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = ["ed", "ing"].find((ending) => word.endsWith(ending));
  if (suffix === undefined) return word;
  const rest = word.slice(0, -suffix.length);
  if (!HAS_VOWEL.test(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (DOUBLED.test(rest)) return rest.slice(0, -1);
  return measureOf(rest) === 1 && SHORT_END.test(rest) ? `${rest}e` : rest;
}

function replaceSuffix(word: string, rules: readonly Rule[], measureMin: number): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const rest = word.slice(0, -rule[0].length);
  return measureOf(rest) >= measureMin ? rest + rule[1] : word;
}

function dropIfMeasured(word: string, letters: number, measureMin: number): string {
  const rest = word.slice(0, -letters);
  return measureOf(rest) >= measureMin ? rest : word;
}

const VOWELS_THEN_CONSONANTS = new RegExp(`(?:(?!${CONSONANT})[a-z])+${CONSONANT}+`, "g");

/** Porter's m: how often vowels are followed by consonants. */
function measureOf(word: string): number {
  return word.match(VOWELS_THEN_CONSONANTS)?.length ?? 0;
}
