/**
 * A run whose client stops waiting: it becomes a background run while it is under way, and ends as one. It is so from one
 * fenced write on, and a process that dies leaves it in the queue.
 *
 * Whether a run ends in the foreground or in the background is settled once, when its end begins: a detach under way is
 * awaited, and none begins any more. So no run that the queue knows ends without a word on when it goes on.
 */
import type { Run, RunMode, RunStore } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import { leaseOf } from "../run-end.ts";
import type { RunRequest } from "../run.ts";

export interface Detaching {
  /** Makes the run on record a background run; false where that is not possible any more. */
  detach(run: Run): Promise<boolean>;
  /** The mode that the run ends in; from now on it does not change. */
  settle(): Promise<RunMode>;
}

export function createDetaching(
  { store }: { readonly store: Pick<RunStore, "detach"> },
  { mode: asked = "foreground", timeoutMs }: Pick<RunRequest, "mode" | "timeoutMs">,
): Detaching {
  let mode: RunMode = asked;
  let isSettled = false;
  let writing: Promise<boolean> | undefined;

  async function write(run: Run): Promise<boolean> {
    const isWritten = await store.detach(leaseOf(run), timeoutMs ?? null);
    if (isWritten) mode = "background";
    return isWritten;
  }

  return {
    async detach(run) {
      if (isSettled) return false;
      return (writing ??= write(run));
    },
    async settle() {
      isSettled = true;
      // Who asked for it is told of its failure.
      await writing?.catch(() => {});
      return mode;
    },
  };
}

/** A client's call that can be let go of: until then the client's end is that of the call. */
export interface LooseCall {
  /** What the call is made with. */
  readonly context: CallContext;
  /** The client has its answer: nothing more is told to it, and its end ends nothing. A token that is revoked still does. */
  letGo(): void;
}

export function createLooseCall(context: CallContext): LooseCall {
  const { signal, principal, onProgress, onNotice } = context;
  const ending = new AbortController();
  const end = function (this: AbortSignal): void {
    ending.abort(this.reason);
  };
  let isLoose = false;
  follow(signal, end);
  return {
    context: {
      ...context,
      signal: ending.signal,
      ...(onProgress !== undefined && { onProgress: (note) => void (isLoose || onProgress(note)) }),
      ...(onNotice !== undefined && {
        onNotice: (method, note) => void (isLoose || onNotice(method, note)),
      }),
    },
    letGo() {
      isLoose = true;
      signal.removeEventListener("abort", end);
      if (principal !== undefined) follow(principal.revoked, end);
    },
  };
}

function follow(signal: AbortSignal, end: (this: AbortSignal) => void): void {
  if (signal.aborted) end.call(signal);
  else signal.addEventListener("abort", end, { once: true });
}
