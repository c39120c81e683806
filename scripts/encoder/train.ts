/**
 * `node scripts/encoder/train.ts FOLDER [OUT]`: makes the file of word vectors that the search reads. The same folder
 * gives the same file. FOLDER holds the sources that README.md lists; what is missing is named.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packWordVectors } from "../../src/search/encoder/word-vectors.ts";
import { termsOf } from "../../src/search/words.ts";
import { createRandom, shuffle } from "../../bench/search-random.ts";
import { createTrainer, type IdPair } from "./contrastive.ts";
import { rotateByWeight } from "./rotation.ts";
import { missingIn, SOURCES, WORD_VECTORS, type TextPair } from "./sources.ts";
import {
  chooseVocabulary,
  countTerms,
  firstVectors,
  loadWordVectors,
  TERMS_MAX,
  type Vocabulary,
} from "./vocabulary.ts";

/** As measured on halves of the labelled sets that are not asked afterwards; see README.md. */
const SETTINGS = {
  dims: 104,
  batch: 256,
  rate: 0.002,
  temperature: 0.07,
  taughtTemperature: 0.06,
  placeWeight: 1,
  kept: 0.75,
};
const VOCABULARY_SIZE = 34_000;
const EPOCHS = 2;
/** Beyond these the words of the language are names and mistakes. */
const FREQUENT_MAX = 60_000;
const SEED = "words";

const [folder, out = join(import.meta.dirname, "../../src/search/encoder/word-vectors.bin")] =
  process.argv.slice(2);
const missing = folder === undefined ? ["FOLDER: see scripts/encoder/README.md"] : missingIn(folder, []);
if (missing.length > 0) {
  console.error(`Missing:\n${missing.map((line) => `  ${line}`).join("\n")}`);
  process.exit(1);
}
train(folder!, out);

function train(from: string, to: string): void {
  const read = SOURCES.map((source) => ({ source, pairs: source.read(join(from, source.path)) }));
  for (const { source, pairs } of read) console.log(`${source.name}: ${pairs.length} pairs`);
  const counts = new Map<string, number>();
  for (const { source, pairs } of read) if (source.isAboutTools) countTerms(pairs, counts);
  const words = loadWordVectors(join(from, WORD_VECTORS.path));
  const vocabulary = chooseVocabulary(counts, words.words.slice(0, FREQUENT_MAX), VOCABULARY_SIZE);
  const random = createRandom(SEED);
  const { dims } = SETTINGS;
  const rows = firstVectors(vocabulary, words, dims, random);
  const trainer = createTrainer(rows, SETTINGS, random);
  const sources = read.map(({ source, pairs }) => ({ source, pairs: idsOf(pairs, vocabulary) }));
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const taken = sources.flatMap(({ source, pairs }) =>
      shuffle(pairs, `${epoch} ${source.name}`).slice(0, source.pairsMax),
    );
    const loss = trainer.epoch(
      shuffle(taken, `epoch ${epoch}`),
      (share) => SETTINGS.rate * Math.max(0.02, 1 - (epoch + share) / EPOCHS),
    );
    console.log(`epoch ${epoch + 1} of ${EPOCHS}: ${taken.length} pairs, loss ${loss.toFixed(3)}`);
  }
  const bytes = packWordVectors({ dims, terms: vocabulary.terms, rows: rotateByWeight(rows, dims) });
  writeFileSync(to, bytes);
  console.log(`${vocabulary.terms.length} terms, ${bytes.length} bytes in ${to}`);
}

function idsOf(pairs: readonly TextPair[], { idOf }: Vocabulary): IdPair[] {
  const ids = (text: string) =>
    Uint32Array.from(new Set(termsOf(text, TERMS_MAX).flatMap((term) => idOf.get(term) ?? [])));
  return pairs
    .map(({ one, other }) => ({ one: ids(one), other: ids(other) }))
    .filter(({ one, other }) => one.length > 0 && other.length > 0);
}
