import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/**
 * What is in a pipe arrives within a few turns of the event loop; longer silence means that another process holds the
 * pipe.
 */
const QUIET_MS = 50;
/** Another process that keeps writing is read for at most this many times the silence. */
const ROUND_COUNT_MAX = 20;

/** Resolves when the outputs of an exited process have ended, or when nothing has come from them for a moment. */
export function whenDrained(child: ChildProcess, outputs: readonly Socket[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let roundCount = 0;
  let before = bytesRead(outputs);
  const look = (): void => {
    const now = bytesRead(outputs);
    roundCount += 1;
    if (now === before || roundCount === ROUND_COUNT_MAX) finish();
    before = now;
  };
  // Timers run before the pipes are read: after a pause of the event loop, only the immediate knows what has come.
  const timer = setInterval(() => setImmediate(look), QUIET_MS);
  const finish = (): void => {
    clearInterval(timer);
    child.off("close", finish);
    resolve();
  };
  child.once("close", finish);
  return promise;
}

function bytesRead(outputs: readonly Socket[]): number {
  return outputs.reduce((sum, output) => sum + output.bytesRead, 0);
}
