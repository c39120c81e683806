/**
 * What words mean, as numbers, read from one file that travels with the program: a vector for each term of
 * `search/words.ts`, longer the more the word tells. `scripts/encoder` makes the file and has its sources.
 *
 * The file: magic, version, count, dims and length of the terms (32-bit, little-endian); the terms in UTF-8, one on each
 * line; a 32-bit float for each term, the step of its numbers; the numbers, 8 bits each; CRC-32 of all before. The first
 * numbers of a vector say more than the last: they alone tell roughly how near two are.
 */
import { crc32 } from "node:zlib";
import { termsOf } from "../words.ts";

const MAGIC = 0x31564357;
const VERSION = 1;
const HEADER_BYTES = 20;
/** Further words add little to what a text means. */
const TERMS_MAX = 100;
const STEPS = 127;
/** Numbers are multiplied four at a time. */
const LANES = 4;

export interface WordVectors {
  readonly dims: number;
  /** One long; undefined where no word is known. `knownShare` is how many of its different terms are. */
  encode(text: string): { readonly vector: Float32Array; readonly knownShare: number } | undefined;
}

/** A term for each vector of `dims` numbers. */
export interface WordTable {
  readonly dims: number;
  readonly terms: readonly string[];
  readonly rows: Float32Array;
}

/** What `parseWordVectors` reads. */
export function packWordVectors({ dims, terms, rows }: WordTable): Buffer {
  const names = Buffer.from(terms.join("\n"));
  const header = Buffer.alloc(HEADER_BYTES);
  for (const [at, field] of [MAGIC, VERSION, terms.length, dims, names.length].entries())
    header.writeUInt32LE(field, at * 4);
  const steps = Buffer.alloc(terms.length * 4);
  const numbers = new Int8Array(rows.length);
  for (let id = 0; id < terms.length; id++) {
    const row = rows.subarray(id * dims, (id + 1) * dims);
    steps.writeFloatLE(quantise(row, numbers.subarray(id * dims, (id + 1) * dims)), id * 4);
  }
  const all = Buffer.concat([header, names, steps, Buffer.from(numbers.buffer)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(all));
  return Buffer.concat([all, sum]);
}

/** Undefined where the bytes are not what was written. */
export function parseWordVectors(bytes: Buffer): WordVectors | undefined {
  if (bytes.length < HEADER_BYTES + 4) return undefined;
  const end = bytes.length - 4;
  const [magic, version, count, dims, length] = [0, 4, 8, 12, 16].map((at) => bytes.readUInt32LE(at));
  if (
    magic !== MAGIC ||
    version !== VERSION ||
    dims! % LANES !== 0 ||
    crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)
  )
    return undefined;
  const names = HEADER_BYTES + length!;
  const terms = bytes.toString("utf8", HEADER_BYTES, names).split("\n");
  const steps = Float32Array.from({ length: count! }, (_, id) => bytes.readFloatLE(names + id * 4));
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + names + count! * 4, count! * dims!);
  const ids = new Map(terms.map((term, id) => [term, id]));
  return {
    dims: dims!,
    encode(text) {
      const asked = new Set(termsOf(text, TERMS_MAX));
      const vector = new Float32Array(dims!);
      let knownCount = 0;
      for (const term of asked) {
        const id = ids.get(term);
        if (id === undefined) continue;
        knownCount++;
        const step = steps[id]!;
        for (let d = 0, at = id * dims!; d < dims!; d++) vector[d]! += step * numbers[at + d]!;
      }
      return shorten(vector) ? { vector, knownShare: knownCount / asked.size } : undefined;
    },
  };
}

/** Makes it one long; false where it has no direction. */
function shorten(vector: Float32Array): boolean {
  let squares = 0;
  for (const number of vector) squares += number * number;
  if (squares === 0) return false;
  const length = Math.sqrt(squares);
  for (let d = 0; d < vector.length; d++) vector[d]! /= length;
  return true;
}

/** Writes 8 bits for each number; returns what one step is worth. */
export function quantise(vector: Float32Array, into: Int8Array): number {
  let most = 0;
  for (const number of vector) most = Math.max(most, Math.abs(number));
  const step = most / STEPS;
  for (let d = 0; d < vector.length; d++) into[d] = step === 0 ? 0 : Math.round(vector[d]! / step);
  return step;
}
