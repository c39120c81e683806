/**
 * Tells listeners that clients would see something else, and which lists differ.
 *
 * What was last told is compared with what is there now, when the notice goes out. So a change that is taken back in
 * the meantime, or a refresh that brought the same again, is no notice; and a storm is one notice in a second.
 */
import type { Log } from "../core/log.ts";
import { createThrottle, type ThrottleDeps } from "../timing/throttle.ts";
import type { ListKind, ToolSource } from "../core/tool.ts";
import { differs, LISTED_KINDS, type ListedKind, type Listing } from "./listing.ts";

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

/** `what` is the list that a server said has changed. */
export type SourceListener = (id: string, what?: ListKind) => void;

/** Passes on that the list of a source changed, at once and unread, for a gateway that shows one server as it is. */
interface SourceNotice {
  /** Listens to a source, and no longer to another that had its id. */
  watch(source: ToolSource): void;
  unwatch(id: string): void;
  /** What is shown of a source changed without its doing. */
  tell(id: string): void;
  subscribe(this: void, listener: SourceListener): () => void;
  stop(): void;
}

export function createSourceNotice(): SourceNotice {
  const listeners = new Set<SourceListener>();
  const watched = new Map<string, () => void>();

  function unwatch(id: string): void {
    watched.get(id)?.();
    watched.delete(id);
  }

  function tell(id: string, what?: ListKind): void {
    for (const listener of listeners) listener(id, what);
  }

  return {
    unwatch,
    tell,
    watch(source) {
      unwatch(source.id);
      watched.set(
        source.id,
        source.changed((what) => tell(source.id, what)),
      );
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      for (const id of watched.keys()) unwatch(id);
      listeners.clear();
    },
  };
}
