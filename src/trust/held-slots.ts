/**
 * The slots that calls of this process hold while they are under way. One timer renews all of them; a process that is
 * killed renews none, and the store frees them.
 */
import type { LimitStore } from "../core/trust-store.ts";
import type { After } from "../timing/after.ts";

/** Three times within the minute after which the store takes a slot for abandoned. */
const RENEW_MS = 20_000;

export interface HeldSlots {
  /** Returns what gives them back. */
  hold(ids: readonly string[]): () => void;
  /** Resolves when what was given back until now is on disk. */
  settle(): Promise<void>;
}

export function createHeldSlots(store: Pick<LimitStore, "giveBack" | "renew">, after: After): HeldSlots {
  const held = new Set<string>();
  const endings = new Set<Promise<void>>();
  let stopTimer: (() => void) | undefined;

  function renewLater(): void {
    stopTimer ??= after(RENEW_MS, () => {
      stopTimer = undefined;
      if (held.size === 0) return;
      // What fails now is tried again in time: a slot lasts for three turns.
      void store.renew([...held]).catch(() => {});
      renewLater();
    });
  }

  function giveBack(ids: readonly string[]): void {
    for (const id of ids) held.delete(id);
    if (held.size === 0) {
      stopTimer?.();
      stopTimer = undefined;
    }
    // A slot that cannot be given back is free when it has not been renewed for a minute.
    const ending = store
      .giveBack(ids)
      .catch(() => {})
      .finally(() => endings.delete(ending));
    endings.add(ending);
  }

  return {
    hold(ids) {
      if (ids.length === 0) return () => {};
      for (const id of ids) held.add(id);
      renewLater();
      return () => giveBack(ids);
    },
    async settle() {
      await Promise.all(endings);
    },
  };
}
