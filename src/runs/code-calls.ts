/**
 * The calls of one run of code. Each passes the rules before it is put on record as sent. Where a person must say yes
 * first, or a run below waits for one, this run pauses: calls under way end and are recorded, no further call begins, and
 * the guest hears of none of it. So nothing is cut off in the middle, and the run goes on from there when it is resumed.
 */
import type { ToolError } from "../core/errors.ts";
import type { GuardedCall } from "../core/guard.ts";
import { fail, type ToolResult } from "../core/result.ts";
import { aborted } from "../timing/deadline.ts";
import { clearCall, type GuardedCallDeps } from "./guarded-call.ts";
import type { StepEnd } from "./journal/journal.ts";
import type { RunContext } from "./run-context.ts";
import type { GuardedStep } from "./tool-caller.ts";
import { isPause } from "./workflow/pause.ts";

export interface CodeCalls {
  perform(step: GuardedStep, call: GuardedCall): Promise<StepEnd>;
  /** Why the run pauses; undefined where it does not. */
  paused(): ToolResult<never> | undefined;
}

export function createCodeCalls(deps: GuardedCallDeps, runContext: RunContext): CodeCalls {
  const { journal, signal, clockAt } = runContext;
  let underWayCount = 0;
  let pause: ToolError | undefined;

  async function make(step: GuardedStep, call: GuardedCall): Promise<StepEnd | undefined> {
    const cleared = await clearCall(deps, runContext, step.key, call);
    if (cleared.kind === "clear" && pause === undefined) {
      const { permit } = cleared;
      return journal.perform({ ...step, make: (trace, task) => step.make(trace, task, permit) });
    }
    if (cleared.kind === "clear" || isPauseResult(cleared.result)) return pauseAt(cleared);
    return journal.perform({ ...step, check: () => Promise.resolve(cleared.result) });
  }

  function pauseAt(cleared: Awaited<ReturnType<typeof clearCall>>): undefined {
    if (cleared.kind === "stopped" && !cleared.result.success) pause ??= cleared.result.error;
  }

  /** What was not begun, and a run below that waits, is never answered: the run ends first. */
  async function neverAnswered(): Promise<StepEnd> {
    await aborted(signal);
    const result = fail("CANCELLED", "The run had ended.");
    return { result, seq: 0, at: clockAt, isReplayed: false, isWaiting: true };
  }

  function ended(end: StepEnd | undefined): StepEnd | undefined {
    underWayCount--;
    const isWaiting = end !== undefined && isPauseResult(end.result);
    if (isWaiting && !end.result.success) pause ??= end.result.error;
    if (pause !== undefined && underWayCount === 0) runContext.stop(pause);
    return isWaiting ? undefined : end;
  }

  return {
    async perform(step, call) {
      if (journal.recorded(step.key) !== undefined) {
        deps.guard.observe(call, runContext.callerContext);
        return journal.perform(step);
      }
      underWayCount++;
      const end = ended(
        await make(step, call).catch((error: unknown) => {
          underWayCount--;
          throw error;
        }),
      );
      return end ?? neverAnswered();
    },
    paused: () => (pause === undefined ? undefined : { success: false, error: pause }),
  };
}

function isPauseResult(result: ToolResult<unknown>): boolean {
  return !result.success && isPause(result.error);
}
