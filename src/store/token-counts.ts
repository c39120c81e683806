import type { TokenCounts } from "../core/store.ts";
import type { StoreContext } from "./backend.ts";

/** Values in one statement: SQLite takes 32,766 variables, and a row has three. */
const ROWS_AT_ONCE = 1_000;

export function createTokenCounts({ db }: StoreContext): TokenCounts {
  return {
    async find(tokenizer, hashes) {
      const found = new Map<string, number>();
      for (const some of chunksOf(hashes)) {
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
      for (const some of chunksOf([...counts])) {
        await db
          .insertInto("token_counts")
          .values(some.map(([hash, tokens]) => ({ hash, tokenizer, tokens })))
          .onConflict((conflict) => conflict.columns(["hash", "tokenizer"]).doNothing())
          .execute();
      }
    },
  };
}

function* chunksOf<T>(items: readonly T[]): Iterable<T[]> {
  for (let at = 0; at < items.length; at += ROWS_AT_ONCE) yield items.slice(at, at + ROWS_AT_ONCE);
}
