/**
 * `node scripts/encoder/train.ts FOLDER [OUT]`: makes the file of word vectors that the search reads. The same folder
 * gives the same file. FOLDER holds the sources that README.md lists; what is missing is named.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packWordVectors } from "../../src/search/encoder/word-vectors.ts";
import { termsOf } from "../../src/search/words.ts";
import { createRandom, shuffle } from "../../bench/search-random.ts";
import { createTrainer, type IdPair, type TaughtText } from "./contrastive.ts";
import { rotateByWeight } from "./rotation.ts";
import { missingIn, SOURCES, WORD_VECTORS, type TextPair } from "./sources.ts";
import { loadTaught, TAUGHT } from "./taught.ts";
import {
  chooseVocabulary,
  countTerms,
  firstVectors,
  FREQUENT_MAX,
  loadFrequentWords,
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
  kept: 0.8,
};
const VOCABULARY_SIZE = 34_000;
const EPOCHS = 4;
/** How often an epoch sees each taught text. */
const TAUGHT_ROUNDS = 2;
const SEED = "words";

const [folder, out = join(import.meta.dirname, "../../src/search/encoder/word-vectors.bin")] =
  process.argv.slice(2);
const missing =
  folder === undefined
    ? ["FOLDER: see scripts/encoder/README.md"]
    : missingIn(folder, [{ name: "taught texts", ...TAUGHT }]);
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
  const frequent = loadFrequentWords(join(from, WORD_VECTORS.path)).slice(0, FREQUENT_MAX);
  const vocabulary = chooseVocabulary(counts, frequent, VOCABULARY_SIZE);
  const random = createRandom(SEED);
  const { dims } = SETTINGS;
  const { words, texts } = loadTaught(from, dims);
  const rows = firstVectors(vocabulary, words, dims, random);
  const trainer = createTrainer(rows, SETTINGS, random);
  const sources = read.map(({ source, pairs }) => ({ source, pairs: pairsIn(pairs, vocabulary) }));
  const taught = [...texts]
    .map(([text, vector]): TaughtText => ({ ids: idsIn(text, vocabulary), vector }))
    .filter(({ ids }) => ids.length > 0);
  console.log(`${words.size} words and ${taught.length} texts are taught`);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const taken = [
      ...sources.flatMap(({ source, pairs }) =>
        shuffle(pairs, `${epoch} ${source.name}`).slice(0, source.pairsMax),
      ),
      ...Array.from({ length: TAUGHT_ROUNDS }, () => taught).flat(),
    ];
    const loss = trainer.epoch(
      shuffle(taken, `epoch ${epoch}`),
      (share) => SETTINGS.rate * Math.max(0.02, 1 - (epoch + share) / EPOCHS),
    );
    console.log(`epoch ${epoch + 1} of ${EPOCHS}: ${taken.length} examples, loss ${loss.toFixed(3)}`);
  }
  const bytes = packWordVectors({ dims, terms: vocabulary.terms, rows: rotateByWeight(rows, dims) });
  writeFileSync(to, bytes);
  console.log(`${vocabulary.terms.length} terms, ${bytes.length} bytes in ${to}`);
}

function idsIn(text: string, { idOf }: Vocabulary): Uint32Array {
  return Uint32Array.from(new Set(termsOf(text, TERMS_MAX).flatMap((term) => idOf.get(term) ?? [])));
}

function pairsIn(pairs: readonly TextPair[], vocabulary: Vocabulary): IdPair[] {
  return pairs
    .map(({ one, other }) => ({ one: idsIn(one, vocabulary), other: idsIn(other, vocabulary) }))
    .filter(({ one, other }) => one.length > 0 && other.length > 0);
}
