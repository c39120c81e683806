/**
 * The three ends that an action can come to from outside: its own time limit, the deadline of the run, and being
 * cancelled.
 */
import { systemClock } from "../core/clock.ts";
import { fail } from "../core/result.ts";
import type { CallContext } from "../core/tool.ts";

export interface TimeLimit {
  /** Aborts with the first of the three. */
  readonly signal: AbortSignal;
  /** Says which it was; `what` begins the sentence, `happened` tells that the action may have taken effect. */
  failure(what: string, happened: boolean): ReturnType<typeof fail>;
}

export function limitTime(context: CallContext, timeoutMs: number, setting: string): TimeLimit {
  const leftMs = context.deadlineAt === undefined ? Infinity : context.deadlineAt - systemClock.elapsed();
  const ms = Math.max(0, Math.min(timeoutMs, leftMs));
  const timeout = ms === 0 ? AbortSignal.abort() : AbortSignal.timeout(Math.ceil(ms));
  const signal = AbortSignal.any([context.signal, timeout]);
  return {
    signal,
    failure(what, happened) {
      // The signal has the reason of the first that aborted.
      if (signal.reason !== timeout.reason) return ended("CANCELLED", `${what} was cancelled.`, happened);
      if (leftMs < timeoutMs)
        return ended(
          "TOOL_TIMEOUT",
          `${what} ran into the deadline of the run${limitOf(context)}.`,
          happened,
        );
      return ended(
        "TOOL_TIMEOUT",
        `${what} took longer than ${timeoutMs} ms, which is ${setting}.`,
        happened,
      );
    },
  };
}

/** Which option raises it is the run's own error's to say. */
function limitOf({ deadlineMs }: CallContext): string {
  return deadlineMs === undefined ? "" : `, its time limit of ${deadlineMs} ms`;
}

function ended(
  code: "CANCELLED" | "TOOL_TIMEOUT",
  message: string,
  happened: boolean,
): ReturnType<typeof fail> {
  if (!happened) return fail(code, message);
  // Whether it was carried out is not known, so it must not be repeated unchecked.
  return fail(code, message, {
    retryable: false,
    mayHaveHappened: true,
    hint: "It may have taken effect. Check before you repeat it.",
  });
}
