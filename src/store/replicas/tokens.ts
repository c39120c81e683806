/**
 * The tokens of all gateways on this database, by their hashes.
 *
 * A change whose answer was lost is made again, and first looks whether the lost one counted: its rows have random hashes,
 * so no other process can have written them. Without that, a token that was just made would be refused as taken.
 */
import type { Kysely, Transaction } from "kysely";
import type { JsonObject } from "../../core/json.ts";
import type { StoredToken, TokenChange, TokenStore } from "../../core/replica-store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database } from "../database.ts";
import { fromColumn, toRequiredColumn } from "../json-column.ts";
import { changeTopic } from "./topic.ts";

type TokenRow = Database["tokens"];

/** What a change does to the rows. */
interface Difference {
  readonly removed: readonly TokenRow[];
  readonly written: readonly TokenRow[];
}

export function createTokenStore({ db, attempt }: Pick<StoreContext, "db" | "attempt">): TokenStore {
  return {
    list: async () => (await readRows(db)).map(tokenOf),
    change<T>(change: TokenChange<T>) {
      let last: { readonly difference: Difference; readonly outcome: T } | undefined;
      return attempt(() =>
        changeTopic(db, "tokens", async (trx) => {
          const rows = await readRows(trx);
          if (last !== undefined && isDone(rows, last.difference))
            return { result: last.outcome, isChanged: false };
          const { tokens, outcome } = change(rows.map(tokenOf));
          if (tokens === undefined) return { result: outcome, isChanged: false };
          const difference = differenceOf(rows, tokens.map(rowOf));
          last = isNothing(difference) ? undefined : { difference, outcome };
          await apply(trx, difference);
          return { result: outcome, isChanged: last !== undefined };
        }),
      );
    },
  };
}

function readRows(db: Kysely<Database>): Promise<TokenRow[]> {
  return db.selectFrom("tokens").selectAll().orderBy("name").execute();
}

function differenceOf(before: readonly TokenRow[], after: readonly TokenRow[]): Difference {
  return {
    removed: before.filter(({ name }) => !after.some((row) => row.name === name)),
    written: after.filter((row) => !before.some((known) => isSame(known, row))),
  };
}

function isNothing({ removed, written }: Difference): boolean {
  return removed.length + written.length === 0;
}

function isDone(rows: readonly TokenRow[], { removed, written }: Difference): boolean {
  return (
    written.every((row) => rows.some((known) => isSame(known, row))) &&
    removed.every((row) => !rows.some((known) => known.hash === row.hash))
  );
}

function isSame(one: TokenRow, other: TokenRow): boolean {
  return one.name === other.name && one.hash === other.hash && one.entry === other.entry;
}

/** What goes is gone first: a hash is there once. */
async function apply(trx: Transaction<Database>, { removed, written }: Difference): Promise<void> {
  const names = removed.map(({ name }) => name);
  if (names.length > 0) await trx.deleteFrom("tokens").where("name", "in", names).execute();
  for (const row of written) {
    await trx
      .insertInto("tokens")
      .values(row)
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ hash: row.hash, entry: row.entry }))
      .execute();
  }
}

function rowOf({ name, hash, entry }: StoredToken): TokenRow {
  return { name, hash, entry: toRequiredColumn(entry) };
}

function tokenOf({ name, hash, entry }: TokenRow): StoredToken {
  return { name, hash, entry: fromColumn(entry) as JsonObject };
}
