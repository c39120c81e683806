/** Decisions about calls whose outcome is not known, and the refusal to resume without them. */
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { UncertainAnswer, UncertainDecisions } from "../../core/tool.ts";
import { THIS_RUN } from "../workflow/pause.ts";
import type { UncertainStep } from "../run.ts";

/** By which a decision finds its step. */
export function decisionKey(runId: string, key: string): string {
  return `${runId} ${key}`;
}

/** One answer for all that is uncertain, or one for each in its order. */
export function decideUncertain(
  steps: readonly UncertainStep[],
  given: UncertainAnswer | readonly UncertainAnswer[] | undefined,
): ToolResult<UncertainDecisions> {
  if (steps.length === 0) return succeed(new Map());
  if (given === undefined) return uncertainStep(steps);
  const answers = isList(given) ? given : steps.map(() => given);
  const isOneForMany = !isList(given) && typeof given === "object" && steps.length > 1;
  if (isOneForMany || answers.length !== steps.length) return severalUncertain(steps);
  return succeed(new Map(steps.map(({ runId, key }, at) => [decisionKey(runId, key), answers[at]!])));
}

/** The refusal to resume while a call is uncertain and no decision was given for it. */
export function findUndecided(
  steps: readonly UncertainStep[],
  decisions: UncertainDecisions,
): ToolResult<never> | undefined {
  const undecided = steps.filter(({ runId, key }) => !decisions.has(decisionKey(runId, key)));
  return undecided.length === 0 ? undefined : uncertainStep(undecided);
}

function isList(given: UncertainAnswer | readonly UncertainAnswer[]): given is readonly UncertainAnswer[] {
  return Array.isArray(given);
}

function uncertainStep(steps: readonly UncertainStep[]): ToolResult<never> {
  const names = steps.map(({ name }) => name).join(", ");
  return fail(
    "TOOL_EXECUTION_FAILED",
    `uncertain_step: ${names} ${steps.length === 1 ? "was" : "were"} sent, and no answer is on record. ` +
      "It may have taken effect, and is not made again unasked.",
    {
      reason: "uncertain_step",
      hint:
        `Look whether it took effect. Then execute {"resume": "${THIS_RUN}", "uncertain": …} with "retry" (make it again), ` +
        '"skip" (go on without its result) or {"result": …} (go on with this result)' +
        (steps.length === 1
          ? "."
          : "; or a list with one answer for each, in the order of checkpoint.uncertain."),
    },
  );
}

function severalUncertain(steps: readonly UncertainStep[]): ToolResult<never> {
  const names = steps.map(({ name }) => name).join(", ");
  const message = `The outcome of ${steps.length} ${steps.length === 1 ? "call is" : "calls is"} not known: ${names}.`;
  return fail("TOOL_INVALID_INPUT", message, {
    field: "uncertain",
    reason: "uncertain_step",
    hint: `Give "retry" or "skip", which mean all of them, or a list of ${steps.length} answers in this order.`,
  });
}
