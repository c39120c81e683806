/**
 * What the reads of a run answered, on its way to the store. Code goes on with an answer at once, and its record is
 * written while it does. Reads that answer together are recorded together.
 *
 * No call is sent, no question asked and no end told before the reads that came earlier are on record: `flush` comes
 * first. So a process that dies in between loses nothing that anything rests on. When a record cannot be written, or
 * another owner has the run, the run ends as it would for any other step.
 */
import { crashPoint } from "../../process/crash-point.ts";
import type { FinishedStep, Lease, RunStore } from "../../core/store.ts";

interface ReadRecord {
  readonly lease: Lease;
  readonly step: FinishedStep;
  /** It is on record, or never will be. */
  readonly ended: () => void;
}

export interface ReadRecords {
  add(record: ReadRecord): void;
  /** All that were added are on record; false when they cannot be, and then the run has been told. */
  flush(): Promise<boolean>;
}

interface ReadRecordsDeps {
  readonly store: Pick<RunStore, "recordSteps">;
  readonly onLost: () => void;
  readonly onBroken: (error: unknown) => void;
}

export function createReadRecords({ store, onLost, onBroken }: ReadRecordsDeps): ReadRecords {
  let waiting: ReadRecord[] = [];
  let written = Promise.resolve(true);
  let soon: NodeJS.Immediate | undefined;

  async function write(records: readonly ReadRecord[]): Promise<boolean> {
    try {
      const steps = records.map(({ step }) => step);
      const isWritten = await store.recordSteps(records[0]!.lease, steps, "process");
      if (!isWritten) onLost();
      return isWritten;
    } catch (error) {
      onBroken(error);
      return false;
    }
  }

  function end(records: readonly ReadRecord[]): void {
    crashPoint("step.closed");
    for (const { ended } of records) ended();
  }

  function flush(): Promise<boolean> {
    clearImmediate(soon);
    soon = undefined;
    const records = waiting;
    waiting = [];
    if (records.length > 0)
      written = written.then((isWritten) => isWritten && write(records)).finally(() => end(records));
    return written;
  }

  return {
    add(record) {
      waiting.push(record);
      // The answer is on its way to the guest by then.
      soon ??= setImmediate(() => void flush());
    },
    flush,
  };
}
