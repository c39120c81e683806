/**
 * What a run may still begin. When somebody cancels it, the gate closes: no new call begins, the calls under way are
 * awaited and recorded, and then the run is stopped. The gate of a run that another one started is behind the gate of
 * that one, so cancelling a run cancels all that it has started, in the same way.
 */
import { aborted, within } from "../timing/deadline.ts";
import type { Shutdown } from "./shutdown.ts";

export interface RunGate extends Pick<Shutdown, "enter" | "track"> {
  /** Resolves when no call is under way, or after so long. */
  close(graceMs: number): Promise<void>;
}

/** `outer` is the gate of the run above, or of the whole gateway. */
export function createRunGate(outer: Pick<Shutdown, "enter" | "track">): RunGate {
  const calls = new Set<Promise<unknown>>();
  let isClosed = false;

  return {
    async enter(signal) {
      // Asked twice: the gate may have closed while the outer one was asked.
      if (!isClosed && !(await outer.enter(signal))) return false;
      if (!isClosed) return true;
      await aborted(signal);
      return false;
    },
    track(call) {
      calls.add(call);
      const forget = () => void calls.delete(call);
      call.then(forget, forget);
      return outer.track(call);
    },
    async close(graceMs) {
      isClosed = true;
      // A call that has just entered is counted in the same turn.
      await new Promise((resolve) => setImmediate(resolve));
      await within(Promise.allSettled(calls), graceMs);
    },
  };
}
