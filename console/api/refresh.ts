/**
 * Re-fetches what has gone stale. A gateway under load may say a hundred times a second that its runs have changed; each query
 * is fetched at most four times a second, and never again before its last fetch has ended.
 */
import type { Query, QueryClient } from "@tanstack/react-query";
import { TOPICS_OF, type RouteName, type Topic } from "../../src/operator/routes.ts";

/** At most four fetches of one query in a second. */
const REFRESH_MS = 250;

/** One thing that changed; without an id, anything of its topic. */
export interface Change {
  readonly topic: Topic;
  readonly id?: string | undefined;
}

export interface Refresher {
  refresh(change: Change): void;
  refreshAll(): void;
}

export function createRefresher(client: QueryClient): Refresher {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();
  const fetchedAt = new Map<string, number>();

  function fetchNow(query: Query): void {
    waiting.delete(query.queryHash);
    // An answer that is on its way may be from before the change.
    if (query.state.fetchStatus === "fetching") return schedule(query, REFRESH_MS);
    fetchedAt.set(query.queryHash, Date.now());
    void client.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
  }

  function schedule(query: Query, afterMs: number): void {
    if (waiting.has(query.queryHash)) return;
    waiting.set(
      query.queryHash,
      setTimeout(() => fetchNow(query), afterMs),
    );
  }

  function refreshWhere(isStale: (query: Query) => boolean): void {
    for (const query of client.getQueryCache().getAll().filter(isStale)) {
      const sinceMs = Date.now() - (fetchedAt.get(query.queryHash) ?? 0);
      schedule(query, Math.max(0, REFRESH_MS - sinceMs));
    }
  }

  return {
    refresh: (change) => refreshWhere((query) => goesStaleWith(query.queryKey, change)),
    refreshAll: () => refreshWhere(() => true),
  };
}

/** Keys are `[name, input]`. Of a run that is shown, only what happens to that run matters. */
export function goesStaleWith(key: readonly unknown[], { topic, id }: Change): boolean {
  const [name, input] = key as [RouteName, { params?: { run?: string } } | undefined];
  if (TOPICS_OF[name]?.includes(topic) !== true) return false;
  const run = input?.params?.run;
  return topic !== "runs" || id === undefined || run === undefined || run === id;
}
