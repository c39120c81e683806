/** Looks in the store, while runs of this process are under way, whether somebody in another process wants one to end. */
import type { Log } from "../core/log.ts";
import type { RunStore } from "../core/store.ts";
import type { ActiveRun } from "./run-deps.ts";

export interface CancelWatch {
  /** A run has begun. */
  begin(): void;
  /** Looks once, and cancels what is asked for. */
  look(): Promise<void>;
  close(): void;
}

export interface CancelWatchDeps {
  readonly store: Pick<RunStore, "cancelRequests">;
  readonly owner: string;
  readonly active: ReadonlyMap<string, ActiveRun>;
  readonly log: Log;
}

/** A person who cancels a run waits no longer; most runs have ended before the first look. */
const LOOK_MS = 1_000;

export function createCancelWatch({ store, owner, active, log }: CancelWatchDeps): CancelWatch {
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    try {
      for (const { runId, by } of await store.cancelRequests(owner)) active.get(runId)?.cancel(by);
    } catch (error) {
      // The store is told of elsewhere; the next look may work.
      log.debug("run.cancel.unread", { error });
    }
  }

  function tick(): void {
    timer = undefined;
    if (active.size > 0) void look().finally(begin);
  }

  function begin(): void {
    if (active.size === 0) return;
    timer ??= setTimeout(tick, LOOK_MS).unref();
  }

  return {
    begin,
    look,
    close: () => clearTimeout(timer),
  };
}
