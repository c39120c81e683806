/** Answers from outside to the question that a paused run waits with. */
import type { JsonObject } from "../core/json.ts";
import type { Scope } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Decision, RunStore } from "../core/store.ts";
import { leaseOf } from "./run-end.ts";
import { readEarlierRun } from "./earlier-run.ts";
import { newest } from "./resume.ts";
import type { WaitingStep } from "./run.ts";

export interface DecideParts {
  readonly store: RunStore;
  readonly scope: () => Scope;
  readonly owner: string;
  readonly recordApproval: (runId: string, details: JsonObject) => void;
}

/** A question, and the run that waits with it: the one that was named, or the newest that goes on from it. */
export interface OpenQuestion {
  readonly runId: string;
  readonly waiting: WaitingStep;
}

/** For marking a run as denied. */
const CLAIM_MS = 10_000;

export async function findQuestion(
  { store, scope }: Pick<DecideParts, "store" | "scope">,
  runId: string,
): Promise<ToolResult<OpenQuestion>> {
  const run = await store.find(await newest(store, runId));
  const { org, project } = scope();
  if (run === undefined || run.scope.org !== org || run.scope.project !== project) {
    return fail("TOOL_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`, {
      hint: "repertoire runs lists the runs.",
    });
  }
  const { waiting } = await readEarlierRun(store, run);
  if (run.status === "paused" && waiting !== null && waiting.until === null) {
    return succeed({ runId: run.id, waiting });
  }
  return fail("TOOL_INVALID_INPUT", `The run ${run.id} is ${run.status} and waits for no approval.`, {
    hint: "repertoire runs --status paused lists those that do.",
  });
}

export async function decide(
  parts: DecideParts,
  runId: string,
  decision: Decision,
): Promise<ToolResult<OpenQuestion>> {
  const question = await findQuestion(parts, runId);
  if (!question.success) return question;
  const { waiting } = question.data;
  const outcome = await parts.store.decide(waiting.runId, waiting.key, decision);
  if (outcome.kind === "late") {
    return fail("TOOL_INVALID_INPUT", "The question was answered, or the run went on, in the meantime.");
  }
  const answer = decision.isApproved ? "approved" : "denied";
  parts.recordApproval(waiting.runId, { node: waiting.name, answer, by: decision.by });
  if (!decision.isApproved) await end(parts, question.data);
  return question;
}

/** What was denied will not go on by itself: the run has failed, and so have all above it. */
async function end({ store, owner }: DecideParts, { runId, waiting }: OpenQuestion): Promise<void> {
  const error = {
    code: "TOOL_EXECUTION_FAILED",
    reason: "denied",
    message: `denied: ${waiting.name} was not approved.`,
    retryable: false,
  };
  for (let id: string | null = waiting.runId; id !== null;) {
    const claimed = await store.claim(id, owner, CLAIM_MS);
    if (claimed !== undefined) await store.finish(leaseOf(claimed), { status: "failed", error });
    id = id === runId ? null : ((await store.find(id))?.parentRunId ?? null);
  }
}
