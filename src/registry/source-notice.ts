import type { ListKind, ToolSource } from "../core/tool.ts";

/** `what` is the list that a server said has changed. */
export type SourceListener = (id: string, what?: ListKind) => void;

/** Passes on that the list of a source changed, at once and unread, for a gateway that shows one server as it is. */
export interface SourceNotice {
  /** Listens to a source, and no longer to another that had its id. */
  watch(source: ToolSource): void;
  unwatch(id: string): void;
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

  return {
    unwatch,
    watch(source) {
      unwatch(source.id);
      const stop = source.changed((what) => {
        for (const listener of listeners) listener(source.id, what);
      });
      watched.set(source.id, stop);
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
