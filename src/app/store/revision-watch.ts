/**
 * Tells the rooms of this process what other processes have changed: one statement every `POLL_MS` for all topics.
 *
 * A listener hears the number of its topic with the first poll, and then whenever it has changed; of several changes
 * meanwhile it hears once. It is not called again before it has ended, and one that fails is told again with the next
 * poll. Nothing is asked before `start`: a command that does not serve does not poll.
 */
import type { Log } from "../../core/log.ts";
import type { RevisionStore, RevisionTopic } from "../../core/replica-store.ts";
import { backgroundAfter, type After } from "../../timing/after.ts";
import { SingleFlight } from "../../timing/single-flight.ts";

/** A change by another process counts, and reaches clients, within a second. */
const POLL_MS = 400;

type RevisionListener = (revision: number) => unknown;

export interface RevisionWatch {
  /** Returns the function that stops it. */
  on(topic: RevisionTopic, listener: RevisionListener): () => void;
  /** Begins to poll, once. */
  start(): void;
  /** Polls now, or waits for the poll under way; resolves when the listeners have ended. Never rejects. */
  tick(): Promise<void>;
  close(): void;
}

export interface RevisionWatchDeps {
  readonly revisions: RevisionStore;
  readonly log: Log;
  readonly after?: After;
}

interface Hearing {
  readonly topic: RevisionTopic;
  readonly listener: RevisionListener;
  heard: number | undefined;
  isFailing: boolean;
  underWay: Promise<void> | undefined;
}

export function createRevisionWatch(deps: RevisionWatchDeps): RevisionWatch {
  const { revisions, log, after = backgroundAfter } = deps;
  const hearings = new Set<Hearing>();
  const polling = new SingleFlight<void>();
  let cancel: (() => void) | undefined;
  let isFailing = false;
  let isClosed = false;

  async function poll(): Promise<void> {
    try {
      const read = await revisions.read();
      if (isFailing) log.info("revisions.readable");
      isFailing = false;
      if (!isClosed) for (const hearing of hearings) tell(hearing, read[hearing.topic]);
    } catch (error) {
      if (!isFailing && !isClosed) log.warn("revisions.unreadable", { error });
      isFailing = true;
    }
  }

  function tell(hearing: Hearing, revision: number): void {
    if (hearing.heard === revision || hearing.underWay !== undefined) return;
    hearing.underWay = hear(hearing, revision).finally(() => (hearing.underWay = undefined));
  }

  async function hear(hearing: Hearing, revision: number): Promise<void> {
    const { topic, listener } = hearing;
    try {
      await listener(revision);
      hearing.heard = revision;
      hearing.isFailing = false;
    } catch (error) {
      if (!hearing.isFailing) log.warn("revisions.listener.failed", { topic, error });
      hearing.isFailing = true;
    }
  }

  function schedule(): void {
    cancel = after(POLL_MS, () => void polling.run(poll).then(() => !isClosed && schedule()));
  }

  return {
    on(topic, listener) {
      const hearing: Hearing = { topic, listener, heard: undefined, isFailing: false, underWay: undefined };
      hearings.add(hearing);
      return () => void hearings.delete(hearing);
    },
    start() {
      if (cancel === undefined && !isClosed) schedule();
    },
    async tick() {
      await polling.run(poll);
      await Promise.all([...hearings].flatMap(({ underWay }) => underWay ?? []));
    },
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}
