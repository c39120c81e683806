/**
 * The order in which answers reach the guest of a run that goes on: recorded ones in the order in which they came the
 * first time, and after them the new ones. What code does next may depend on which of two answers came first, and so
 * may its arguments, its clock and its randomness.
 *
 * An answer goes when none before it is still to come. Code that was corrected may never ask for one of those; then the
 * guest falls idle, and the earliest answer that is there for it goes.
 */
export interface ReplayQueue {
  /**
   * Delivers this answer when it is its turn, and only then the next. A number that is not on record is a new answer's.
   */
  turn<T>(endSeq: number, deliver: () => Promise<T>): Promise<T>;
  /** The guest waits, and nothing that it was sent is on the way. */
  idle(): void;
  /** Whether every recorded answer has been asked for. */
  readonly isEmpty: boolean;
}

export function createReplayQueue(endSeqs: Iterable<number>): ReplayQueue {
  const left = new Set([...endSeqs].sort((a, b) => a - b));
  const held = new Map<number, () => Promise<void>>();
  let lastDelivery = Promise.resolve();
  /** Answers that go and that the guest, when it said that it waits, cannot have known of. */
  let goingCount = 0;
  /** Nothing was there for the guest when it fell idle: whatever comes next goes. */
  let isIdle = false;

  /** One after the other: reading one from the store must not let a later one overtake it. */
  function release(endSeq: number): void {
    const deliver = held.get(endSeq);
    held.delete(endSeq);
    left.delete(endSeq);
    isIdle = false;
    goingCount++;
    lastDelivery = lastDelivery.then(deliver).finally(() => goingCount--);
  }

  function releaseEarliest(): void {
    const earliest = [...held.keys()].sort((a, b) => a - b)[0];
    isIdle = earliest === undefined;
    if (earliest !== undefined) release(earliest);
  }

  /** Sets keep their order: the first that is left is the earliest. */
  function advance(): void {
    for (const endSeq of left) {
      if (!held.has(endSeq)) return;
      release(endSeq);
    }
  }

  return {
    turn<T>(endSeq: number, deliver: () => Promise<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      // New answers come in the order of their numbers, and after all that is on record.
      left.add(endSeq);
      held.set(endSeq, () => deliver().then(resolve, reject));
      if (isIdle) releaseEarliest();
      advance();
      return promise;
    },
    idle() {
      if (goingCount > 0) return;
      releaseEarliest();
      advance();
    },
    get isEmpty() {
      return left.size === 0;
    },
  };
}
