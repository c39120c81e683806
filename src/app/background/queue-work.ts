/** Whether and how this process works on the queue of background runs. */
import type { DeliveryHandler, QueueStats } from "../../core/run-queue.ts";
import type { AppOptions } from "../contract.ts";
import type { Foundation } from "../foundation.ts";

/** Each takes a place in the sandbox beside those of clients, who wait. */
const CONCURRENCY = 5;

export interface QueueWork {
  /** A process that serves works from now on. */
  begin(deliver: DeliveryHandler): void;
  /** This process has put a run into the queue. */
  readonly enqueued: () => void;
  readonly stats: () => Promise<QueueStats>;
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** A command puts runs into the queue and works on none: it would be gone before they end. */
export function openQueue(
  { store, scope, log, replica }: Foundation,
  { serves, isEmbedded = false }: AppOptions,
): QueueWork {
  const queue = store.openQueue({ scope, isGone: (owner) => replica.isGone(owner), log });
  let handler: DeliveryHandler | undefined;
  const work = (): void => {
    if (handler !== undefined) queue.work(handler, { concurrency: CONCURRENCY });
  };
  return {
    begin(deliver) {
      handler = deliver;
      if (serves !== undefined) work();
    },
    enqueued() {
      if (isEmbedded) work();
    },
    stats: () => queue.stats(),
    drain: () => queue.drain(),
    close: () => queue.close(),
  };
}
