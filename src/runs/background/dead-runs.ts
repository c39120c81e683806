/** Background runs that were given up: a person has them tried again, or leaves them. */
import type { Clock } from "../../core/clock.ts";
import type { Scope } from "../../core/names.ts";
import { ATTEMPTS_MAX } from "../../core/run-queue.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Run, RunStore } from "../../core/store.ts";
import { newest } from "../resume/resume.ts";

interface DeadRunDeps {
  readonly store: RunStore;
  readonly scope: () => Scope;
  readonly clock: Clock;
}

export async function settleDead(
  { store, scope, clock }: DeadRunDeps,
  runId: string,
  answer: "retry" | "dismiss",
): Promise<ToolResult<void>> {
  const run = await store.find(await newest(store, runId));
  const { org, project } = scope();
  if (run === undefined || run.scope.org !== org || run.scope.project !== project) return noRun(runId);
  if (!isDead(run)) return notDead(run);
  const isSettled =
    answer === "retry"
      ? await store.requeue(run.id, clock.now(), { attemptCount: 0 })
      : await store.dequeue(run.id, { attemptCount: 0 });
  return isSettled ? succeed(undefined) : notDead(run);
}

function isDead({ status, attemptCount, wakeAt }: Run): boolean {
  return status === "failed" && attemptCount > ATTEMPTS_MAX && wakeAt === null;
}

function noRun(runId: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`, {
    field: "run",
    hint: "repertoire inbox lists the runs that were given up.",
  });
}

function notDead({ id, status }: Run): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `The run ${id} is ${status} and was not given up by the queue.`, {
    field: "run",
    reason: "not_given_up",
    hint: `repertoire inbox lists those that were. Any other stopped run goes on with: repertoire resume ${id}`,
  });
}
