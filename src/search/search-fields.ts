/** What a document says in which field, and what each of its words counts for. */
import { termsOf } from "./words.ts";

interface FieldRule {
  readonly weight: number;
  /** The number of terms that is neither rewarded nor punished. */
  readonly typicalLength: number;
  /** How much the length matters, from 0 to 1. */
  readonly lengthEffect: number;
  readonly termsMax: number;
}

/**
 * Weights as measured on ten labelled sets. Parameter text weighs little, or servers with rich schemas crowd out plain
 * ones.
 */
const FIELDS = {
  name: { weight: 1.7, typicalLength: 4, lengthEffect: 0.5, termsMax: 24 },
  title: { weight: 1.4, typicalLength: 4, lengthEffect: 0.5, termsMax: 24 },
  server: { weight: 0.9, typicalLength: 2, lengthEffect: 0.5, termsMax: 16 },
  serverTitle: { weight: 0.56, typicalLength: 3, lengthEffect: 0.5, termsMax: 16 },
  serverDescription: { weight: 0.5, typicalLength: 15, lengthEffect: 0.7, termsMax: 200 },
  category: { weight: 0.8, typicalLength: 2, lengthEffect: 0.5, termsMax: 24 },
  description: { weight: 0.8, typicalLength: 15, lengthEffect: 0.7, termsMax: 400 },
  parameterNames: { weight: 0.4, typicalLength: 6, lengthEffect: 0.7, termsMax: 200 },
  parameterDescriptions: { weight: 0.2, typicalLength: 30, lengthEffect: 0.7, termsMax: 400 },
  enums: { weight: 0.15, typicalLength: 10, lengthEffect: 0.7, termsMax: 100 },
} as const satisfies Record<string, FieldRule>;

/** What earlier successful runs wanted; more of it is more evidence, so its length matters little. */
const INTENTS = { weight: 0.9, typicalLength: 40, lengthEffect: 0.3, repeatsMax: 10 } as const;
/** The newest say what a tool is for; with more, only the index grows. */
export const INTENTS_MAX = 30;
/** What a run is for is said in fewer words. */
export const INTENT_TERMS_MAX = 60;

/** Where the second and third occurrence of a word stop to matter. */
const K1 = 1.2;
/**
 * Further occurrences only make the field longer: without this, a word written 400 times outweighs any honest text.
 */
const REPEATS_MAX = 3;

export type SearchField = keyof typeof FIELDS;

export interface SearchDocument {
  /** Unique among all groups; ties are broken by it. */
  readonly id: string;
  readonly fields: Readonly<Partial<Record<SearchField, string>>>;
  /** What runs that used it with success were for, the newest first. */
  readonly intents?: readonly string[];
  /** How often it was used with success. */
  readonly useCount?: number;
}

/** The weight of every term of a document, saturated, so that a query only multiplies and adds. */
export function weighTerms(document: SearchDocument): Map<string, number> {
  const frequencies = frequenciesOf(document);
  for (const [word, frequency] of frequencies) frequencies.set(word, saturated(frequency));
  return frequencies;
}

/** What the words of these intents add to the weights of a document. */
export function weighIntents(document: SearchDocument, intents: readonly string[]): Map<string, number> {
  const defined = frequenciesOf(document);
  const words = intents.flatMap((intent) => termsOf(intent, INTENT_TERMS_MAX));
  // One run may have been odd; ten were not.
  const trust = intents.length / (intents.length + 1);
  const { weight, lengthEffect, typicalLength, repeatsMax } = INTENTS;
  const length = 1 - lengthEffect + (lengthEffect * words.length) / typicalLength;
  const added = countWords(words, repeatsMax);
  for (const [word, count] of added) {
    const before = defined.get(word) ?? 0;
    added.set(word, saturated(before + (trust * weight * count) / length) - saturated(before));
  }
  return added;
}

function frequenciesOf(document: SearchDocument): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const field of Object.keys(document.fields) as SearchField[]) {
    for (const [word, frequency] of frequenciesIn(document, field))
      frequencies.set(word, (frequencies.get(word) ?? 0) + frequency);
  }
  return frequencies;
}

function saturated(frequency: number): number {
  return (frequency * (K1 + 1)) / (frequency + K1);
}

/** How much of a term's weight comes from which field, together 1; nothing where no field has the term. */
export function fieldShares(document: SearchDocument, term: string): Map<SearchField, number> {
  const fields = Object.keys(document.fields) as SearchField[];
  const found = fields.flatMap((field) => {
    const frequency = frequenciesIn(document, field).get(term) ?? 0;
    return frequency > 0 ? [[field, frequency] as const] : [];
  });
  const whole = found.reduce((sum, [, frequency]) => sum + frequency, 0);
  return new Map(found.map(([field, frequency]) => [field, frequency / whole]));
}

/** What the words of one field count for, before they are saturated. */
function frequenciesIn({ fields }: SearchDocument, field: SearchField): Map<string, number> {
  const rule: FieldRule = FIELDS[field];
  const words = termsOf(fields[field] ?? "", rule.termsMax);
  const length = 1 - rule.lengthEffect + (rule.lengthEffect * words.length) / rule.typicalLength;
  const counts = countWords(words, REPEATS_MAX);
  for (const [word, count] of counts) counts.set(word, (rule.weight * count) / length);
  return counts;
}

function countWords(words: readonly string[], repeatsMax: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, Math.min(repeatsMax, (counts.get(word) ?? 0) + 1));
  return counts;
}
