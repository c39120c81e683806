/** Notes when each token was last used: at most once a minute for each, so that a busy client costs nothing. */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Principal } from "../../core/principal.ts";
import type { TokenUses } from "../../core/trust-store.ts";

export interface TokenUseDeps {
  readonly uses: Pick<TokenUses, "put">;
  readonly log: Log;
  readonly clock: Clock;
}

/** A person asks whether a token is still used, and not in which second. */
const GAP_MS = 60_000;
/** The beginning of the ids of the gateway's own tokens; what follows is the name. */
const TOKEN_ID = /^token:(.+)$/;

export interface TokenUse {
  /** Never waits and never throws. */
  note(principal: Principal): void;
  /** Resolves when everything that was noted is on disk. */
  settle(): Promise<void>;
}

export function createTokenUse({ uses, log, clock }: TokenUseDeps): TokenUse {
  /** By the id of the principal; there are at most as many as there were tokens. */
  const notedAt = new Map<string, number>();
  const writes = new Set<Promise<void>>();

  function write(name: string): void {
    const writing = uses
      .put(new Map([[name, clock.now()]]))
      .catch((error: unknown) => log.warn("auth.use.failed", { token: name, error }))
      .finally(() => writes.delete(writing));
    writes.add(writing);
  }

  return {
    note({ id }) {
      const at = clock.elapsed();
      if (at - (notedAt.get(id) ?? -Infinity) < GAP_MS) return;
      const name = TOKEN_ID.exec(id)?.[1];
      if (name === undefined) return;
      notedAt.set(id, at);
      write(name);
    },
    async settle() {
      await Promise.all(writes);
    },
  };
}
