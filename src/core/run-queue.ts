/**
 * The queue of background runs, as the rest of the gateway sees it. What is queued is written by the store's own
 * transactions (`RunStore.enqueue`, `finish`, `decide`, `requeue`); the queue only brings due runs to a process that
 * works. A delivery can come twice: who handles it looks at the run first.
 */
import type { Log } from "./log.ts";
import type { Scope } from "./names.ts";

/** A run that is due, brought to one process. */
export interface Delivery {
  /** Which attempt it is, as far as the queue counts them. */
  readonly attempt: number;
  /** Where processes share the rows themselves: the run is taken only if it is still due at this time. */
  readonly dueAt?: number;
  /** Aborted when the process shuts down: what has not begun is put back. */
  readonly signal: AbortSignal;
}

export type DeliveryHandler = (runId: string, delivery: Delivery) => Promise<void>;

export interface QueueStats {
  /** Those that are due and have not begun. */
  readonly queuedCount: number;
  /** For how long the oldest of them has been due; null where there is none. */
  readonly oldestMs: number | null;
  /** Those that were given up and wait for a decision. */
  readonly deadCount: number;
}

export interface RunQueue {
  /** From now on due runs are brought to this process, so many at once. A second call changes nothing. */
  work(handler: DeliveryHandler, options: { readonly concurrency: number }): void;
  /** Something may be due now: the queue looks at once. */
  wake(): void;
  stats(): Promise<QueueStats>;
  /** No new deliveries; those that have not begun go back. */
  drain(): Promise<void>;
  /** Resolves when the deliveries under way have ended. */
  close(): Promise<void>;
}

export interface QueueOptions {
  /** Runs of other scopes are left to others. */
  readonly scope: () => Scope;
  /** Whether the process that holds a lease is known to be gone. */
  readonly isGone: (owner: string) => boolean;
  readonly log: Log;
}

/** How often a run is taken up that never comes to an end, before it is given up. */
export const ATTEMPTS_MAX = 5;
