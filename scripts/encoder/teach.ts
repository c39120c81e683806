/**
 * `node scripts/encoder/teach.ts FOLDER`: asks the sentence encoder about the words and a sample of the texts of the
 * sources, once; `train.ts` reads what it said. It takes half an hour of CPU.
 */
import { join } from "node:path";
import { missingIn, SOURCES, WORD_VECTORS } from "./sources.ts";
import { ENGINE, loadTeacher, MODEL, writeTaught } from "./taught.ts";
import { textsFor, wordsFor } from "./texts.ts";
import { FREQUENT_MAX, loadFrequentWords } from "./vocabulary.ts";

const DIMS = 384;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Say where: node scripts/encoder/teach.ts FOLDER");
const missing = missingIn(folder, [...SOURCES, { name: "engine", ...ENGINE }, { name: "model", ...MODEL }]);
if (missing.length > 0) throw new Error(`Missing:\n${missing.join("\n")}`);

const teacher = await loadTeacher(folder);
const aboutTools = SOURCES.filter(({ isAboutTools }) => isAboutTools).flatMap(({ path, read }) =>
  read(join(folder, path)),
);
const frequent = loadFrequentWords(join(folder, WORD_VECTORS.path)).slice(0, FREQUENT_MAX);
ask("words", wordsFor(aboutTools, frequent));
ask("texts", textsFor(folder, SOURCES));

function ask(kind: "words" | "texts", texts: readonly string[]): void {
  console.log(`${texts.length} ${kind}`);
  const vectors = new Float32Array(texts.length * DIMS);
  for (const [at, text] of texts.entries()) vectors.set(teacher(text), at * DIMS);
  writeTaught(folder!, kind, texts, vectors);
}
