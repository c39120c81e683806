/**
 * Tells listeners that clients would see something else, and which lists differ.
 *
 * What was last told is compared with what is there now, when the notice goes out. So a change that is taken back in
 * the meantime, or a refresh that brought the same again, is no notice; and a storm is one notice in a second.
 */
import type { Log } from "../core/log.ts";
import { differs, LISTED_KINDS, type ListedKind, type Listing } from "./listing.ts";
import { createThrottle, type ThrottleDeps } from "../timing/throttle.ts";

const WINDOW_MS = 50;
/** Each notice makes every connected client read the lists again. */
const GAP_MS = 1000;

/** `kinds` are the lists that differ. */
export type ChangeListener = (kinds: ReadonlySet<ListedKind>) => void;

export interface ChangeNotice {
  /** To be called whenever a server's listing was replaced, with the one it had. */
  replaced(server: string, before: Listing): void;
  subscribe(listener: ChangeListener): () => void;
  stop(): void;
}

export function createChangeNotice(
  deps: Pick<ThrottleDeps, "clock" | "after"> & {
    readonly log: Log;
    readonly listingOf: (server: string) => Listing;
  },
): ChangeNotice {
  const listeners = new Set<ChangeListener>();
  /** What listeners last knew of the servers that were touched since. */
  const told = new Map<string, Listing>();
  const throttle = createThrottle({ ...deps, windowMs: WINDOW_MS, gapMs: GAP_MS, run: tell });

  function tell(): void {
    const kinds = LISTED_KINDS.filter((kind) =>
      [...told].some(([server, before]) => differs(kind, before, deps.listingOf(server))),
    );
    told.clear();
    if (kinds.length === 0) return;
    for (const listener of listeners) {
      try {
        listener(new Set(kinds));
      } catch (error) {
        deps.log.error("tools.registry.listener.failed", { event: "changed", error });
      }
    }
  }

  return {
    replaced(server, before) {
      if (!told.has(server)) told.set(server, before);
      throttle.ask();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      throttle.stop();
      told.clear();
    },
  };
}
