/** What can be computed again: counts and vectors of texts by their hash. */
import type { Embeddings, TokenCounts } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";

/** Token counts in one statement: SQLite takes 32,766 variables, and a row has three. */
const COUNTED_AT_ONCE = 1_000;
/** Vectors in one statement: one is some 6 KB of text. */
const READ_AT_ONCE = 500;
const WRITTEN_AT_ONCE = 100;
const NUMBER_BYTES = 4;

export function createEmbeddings({ db }: StoreContext): Embeddings {
  return {
    async find(model, hashes) {
      const found = new Map<string, Float32Array>();
      for (const some of chunksOf(hashes, READ_AT_ONCE)) {
        const rows = await db
          .selectFrom("embeddings")
          .select(["hash", "vector"])
          .where("model", "=", model)
          .where("hash", "in", some)
          .execute();
        for (const { hash, vector } of rows) {
          const numbers = decode(vector);
          if (numbers !== undefined) found.set(hash, numbers);
        }
      }
      return found;
    },
    async put(model, vectors) {
      for (const some of chunksOf([...vectors], WRITTEN_AT_ONCE)) {
        await db
          .insertInto("embeddings")
          .values(some.map(([hash, numbers]) => ({ model, hash, vector: encode(numbers) })))
          .onConflict((conflict) =>
            conflict
              .columns(["model", "hash"])
              .doUpdateSet((values) => ({ vector: values.ref("excluded.vector") })),
          )
          .execute();
      }
    },
  };
}

function encode(numbers: Float32Array): string {
  const bytes = Buffer.allocUnsafe(numbers.length * NUMBER_BYTES);
  for (const [at, one] of numbers.entries()) bytes.writeFloatLE(one, at * NUMBER_BYTES);
  return bytes.toString("base64");
}

/** Undefined for what cannot be a vector: the caller asks for a new one. */
function decode(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === 0 || bytes.length % NUMBER_BYTES !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const numbers = new Float32Array(bytes.length / NUMBER_BYTES);
  for (let at = 0; at < numbers.length; at++) numbers[at] = view.getFloat32(at * NUMBER_BYTES, true);
  return numbers.every(Number.isFinite) ? numbers : undefined;
}

export function createTokenCounts({ db }: StoreContext): TokenCounts {
  return {
    async find(tokenizer, hashes) {
      const found = new Map<string, number>();
      for (const some of chunksOf(hashes, COUNTED_AT_ONCE)) {
        const rows = await db
          .selectFrom("token_counts")
          .select(["hash", "tokens"])
          .where("tokenizer", "=", tokenizer)
          .where("hash", "in", some)
          .execute();
        for (const { hash, tokens } of rows) found.set(hash, tokens);
      }
      return found;
    },
    async put(tokenizer, counts) {
      for (const some of chunksOf([...counts], COUNTED_AT_ONCE)) {
        await db
          .insertInto("token_counts")
          .values(some.map(([hash, tokens]) => ({ hash, tokenizer, tokens })))
          .onConflict((conflict) => conflict.columns(["hash", "tokenizer"]).doNothing())
          .execute();
      }
    },
  };
}

function* chunksOf<T>(items: readonly T[], count: number): Iterable<T[]> {
  for (let at = 0; at < items.length; at += count) yield items.slice(at, at + count);
}
