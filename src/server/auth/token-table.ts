/**
 * The principals of the tokens in a database that several gateways share. A token that another gateway or a command has made
 * or revoked is known here as soon as the revision of the tokens is seen to have grown.
 *
 * While the database is away, the last list stays in force: a client is not refused for it, and who was revoked stays out.
 */
import type { Log } from "../../core/log.ts";
import type { StoredToken, TokenStore } from "../../core/replica-store.ts";
import { Mutex } from "../../timing/mutex.ts";
import { entriesOf } from "./token-keeper.ts";
import type { TokenEntry } from "./token.ts";
import {
  createHeldTokens,
  LOOK_MS,
  type HeldTokensOptions,
  type TokenPrincipals,
} from "./token-principals.ts";

/** Looks when the tokens have changed; what it returns ends that. */
export type FollowTokens = (look: () => Promise<void>) => () => void;

export interface TableOptions extends HeldTokensOptions {
  readonly follow: FollowTokens;
  readonly lookMs?: number;
}

/** Throws where the first list cannot be read. `look` reads it again now. */
export async function watchTokenTable(
  store: Pick<TokenStore, "list">,
  log: Log,
  { follow, lookMs = LOOK_MS, ...options }: TableOptions,
): Promise<TokenPrincipals & { look(): Promise<void> }> {
  const held = createHeldTokens(options);
  const turn = new Mutex();
  let isStale = false;

  /** One after the other: an older list must not come last. */
  const read = (): Promise<void> => turn.run(async () => held.take(readable(await store.list(), log)));

  async function look(): Promise<void> {
    try {
      await read();
      isStale = false;
    } catch (error) {
      if (!isStale) log.warn("auth.tokens.unread", { error, kept: "the tokens that were known" });
      isStale = true;
    }
    held.expire();
  }

  const stop = follow(look);
  try {
    await read();
  } catch (error) {
    stop();
    throw error;
  }
  const timer = setInterval(() => {
    held.expire();
    if (isStale) void look();
  }, lookMs);
  timer.unref();
  return {
    find: held.find,
    look,
    close() {
      clearInterval(timer);
      stop();
    },
  };
}

/** A row that cannot be read lets nobody in. A newer gateway may have written it, so the others count. */
function readable(tokens: readonly StoredToken[], log: Log): TokenEntry[] {
  return tokens.flatMap((token) => {
    try {
      return entriesOf([token]);
    } catch (error) {
      log.error("auth.tokens.refused", { error, token: token.name });
      return [];
    }
  });
}
