/** A node that waits. The time that it waits for is on record, so a run that was interrupted waits no longer in all. */
import type { Clock } from "../../core/clock.ts";
import { fail, succeed } from "../../core/result.ts";
import type { JsonObject } from "../../core/json.ts";
import type { RunContext } from "../run-context.ts";
import type { StepEnd } from "../journal/journal.ts";
import { waitingUntil } from "./pause.ts";
import { sleep } from "./retry.ts";

/** What is left of the run after a wait must be worth it. */
const TIME_LEFT_MS_MIN = 1_000;

interface Wait {
  readonly key: string;
  readonly name: string;
  readonly params: JsonObject;
}

export async function waitForTime(
  { runContext, clock }: { readonly runContext: RunContext; readonly clock: Clock },
  { key, name, params }: Wait,
): Promise<StepEnd> {
  const { journal, waits, deadlineAt, signal } = runContext;
  const end = (result: StepEnd["result"], isReplayed = false): StepEnd => ({
    result,
    seq: 0,
    at: 0,
    isReplayed,
  });
  if (journal.recorded(key) !== undefined) return end(succeed({ waited: true }), true);
  const until = waits.get(key) ?? untilOf(params, clock.now());
  if (Number.isNaN(until)) {
    return end(
      fail("TOOL_INVALID_INPUT", `${name}: until is not an ISO 8601 time.`, { reason: "invalid_arguments" }),
    );
  }
  const isWritten = await journal.ask({ key, tool: "wait", args: { ...params, until } });
  if (!isWritten) return end(fail("CANCELLED", "The run had ended."));
  const leftMs = until - clock.now();
  // The time that is waited for is a date; how much of the run is left is not.
  const runLeftMs = deadlineAt - clock.elapsed();
  if (leftMs > 0 && leftMs > runLeftMs - TIME_LEFT_MS_MIN) return end(waitingUntil(name, until));
  if (leftMs > 0 && !(await sleep(leftMs, signal))) return end(fail("CANCELLED", "The run was cancelled."));
  const waited = succeed({ waited: true });
  return (await journal.answer(key, waited)) ? end(waited) : end(fail("CANCELLED", "The run had ended."));
}

function untilOf({ ms, until }: JsonObject, now: number): number {
  return typeof ms === "number" ? now + ms : typeof until === "string" ? Date.parse(until) : Number.NaN;
}
