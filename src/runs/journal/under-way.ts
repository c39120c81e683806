/**
 * The calls that runs of this process have made and that are not answered yet. The journal records a call that may be
 * repeated only when it has returned, which saves a write for each; a trace that is read meanwhile takes such calls
 * from here.
 */
import type { Step } from "../../core/store.ts";

/** Without its arguments: they may hold what must not be stored. */
export interface CallUnderWay extends Pick<Step, "runId" | "key" | "seq" | "tool" | "startedAt"> {}

export interface CallsUnderWay {
  /** Returns how to say that it has ended. */
  begin(call: CallUnderWay): () => void;
  /** Those that began at least so long ago. */
  list(sinceMs: number): CallUnderWay[];
}

export function createCallsUnderWay(now: () => number = Date.now): CallsUnderWay {
  const calls = new Set<CallUnderWay>();
  return {
    begin(call) {
      calls.add(call);
      return () => void calls.delete(call);
    },
    list: (sinceMs) => [...calls].filter(({ startedAt }) => now() - startedAt >= sinceMs),
  };
}
