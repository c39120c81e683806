/** Where the gateway's own tokens are: in a file of the home, or in the database that several gateways share. */
import { RepertoireError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { StoredToken, TokenStore } from "../../core/replica-store.ts";
import { changeTokens, readTokens } from "./token-file.ts";
import { parseEntries, type TokenEntry } from "./token.ts";

/** Makes other entries of those that there are, which are undefined before the first; without `entries` they stay. */
export type EntryChange<T> = (entries: readonly TokenEntry[] | undefined) => {
  readonly entries?: readonly TokenEntry[];
  readonly outcome: T;
};

/** All of it throws where the tokens cannot or must not be read. */
export interface TokenKeeper {
  /** Whether the text of the default token may be kept, to be shown again: where only its owner can read. */
  readonly keepsText: boolean;
  read(): Promise<readonly TokenEntry[] | undefined>;
  /** Replaces the entries while no other process can. `change` may be asked again, so it does nothing else. */
  change<T>(change: EntryChange<T>): Promise<T>;
}

export function keepInFile(home: string): TokenKeeper {
  return {
    keepsText: true,
    read: async () => readTokens(home),
    change: async (change) => changeTokens(home, change),
  };
}

export function keepInStore(store: TokenStore): TokenKeeper {
  return {
    keepsText: false,
    read: async () => entriesOf(await store.list()),
    change: (change) =>
      store.change((tokens) => {
        const { entries, outcome } = change(entriesOf(tokens));
        return { outcome, ...(entries !== undefined && { tokens: entries.map(tokenOf) }) };
      }),
  };
}

/** The entries of the table. Throws where a row is damaged: a limit that cannot be read must not be taken for none. */
export function entriesOf(tokens: readonly StoredToken[]): readonly TokenEntry[] {
  const entries = parseEntries({ tokens: tokens.map(({ name, hash, entry }) => ({ ...entry, name, hash })) });
  if (entries !== undefined) return entries;
  throw new RepertoireError("STORE_DAMAGED", "the table of tokens is damaged: a row is not a token", {
    hint: "Remove the row that was changed by hand, then create its token again: repertoire token create NAME",
  });
}

/** Never its text. */
function tokenOf({ name, hash, value: _text, ...entry }: TokenEntry): StoredToken {
  return { name, hash, entry: JSON.parse(JSON.stringify(entry)) as JsonObject };
}
