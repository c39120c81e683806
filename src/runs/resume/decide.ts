/**
 * Deciding what a run asks a person: the one place for a client that is asked during the call, a client that is asked
 * in an answer, and the command line.
 *
 * - A decision is for one question, named by its id: the run, the step and what was shown. It is never for whatever waits now.
 * - Whether somebody may decide is looked at before anything is written.
 * - It is on record before the audit trail says so, and nothing else follows from an answer that came too late.
 */
import { crashPoint } from "../../process/crash-point.ts";
import { hashJson, NO_LIMITS, type JsonObject } from "../../core/json.ts";
import type { Scope } from "../../core/names.ts";
import { mayDecide, type Principal } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { QuestionAnswer, Run } from "../../core/store.ts";
import { leaseOf } from "../run-end.ts";
import { readEarlierRun } from "./earlier-run.ts";
import { claimAbandoned, markIfInterrupted, newest, type ResumeDeps } from "./resume.ts";
import type { WaitingStep } from "../run.ts";

/** What every decision needs. */
export interface RecordDeps {
  readonly recordApproval: (
    runId: string,
    details: JsonObject,
    by: { readonly principal?: Principal },
  ) => void;
  /** The name of the person at this machine, for decisions without a principal. */
  readonly person: () => string;
}

export interface DecideDeps extends RecordDeps, ResumeDeps {
  readonly scope: () => Scope;
  readonly clock: { now(): number };
}

/** A question, and the run that waits with it: the one that was named, or the newest that goes on from it. */
export interface OpenQuestion {
  readonly runId: string;
  readonly questionId: string;
  readonly waiting: WaitingStep;
  /** How many questions the run waits with, this one too. */
  readonly openCount: number;
}

/** The question that an answer is for. */
export type QuestionReference = Pick<OpenQuestion, "runId" | "questionId">;

/** What somebody said, and who it was. */
export interface GivenAnswer {
  readonly isApproved: boolean;
  readonly principal?: Principal | undefined;
}

/** 128 bits: two questions never have the same id, and a person can still copy it. */
const QUESTION_ID_LENGTH = 32;

/** The same question in another run is another question. */
export function questionIdOf({ runId, key, message, details }: WaitingStep): string {
  return hashJson([runId, key, message, details], NO_LIMITS).slice(0, QUESTION_ID_LENGTH);
}

/** The question that a run waits with: the first, or the one of this id. */
export async function findQuestion(
  deps: ResumeDeps & Pick<DecideDeps, "scope">,
  runId: string,
  questionId?: string,
): Promise<ToolResult<OpenQuestion>> {
  const { store, scope } = deps;
  const found = await store.find(await newest(store, runId));
  const { org, project } = scope();
  if (found === undefined || found.scope.org !== org || found.scope.project !== project) {
    return fail("TOOL_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`, {
      hint: "repertoire runs lists the runs.",
    });
  }
  // Its process may have died right after it asked.
  const run = await markIfInterrupted(deps, found);
  const questions = run.status === "paused" ? (await readEarlierRun(store, run)).questions : [];
  const waiting =
    questionId === undefined ? questions[0] : questions.find((one) => questionIdOf(one) === questionId);
  if (waiting !== undefined) {
    const openCount = questions.length;
    return succeed({ runId: run.id, questionId: questionIdOf(waiting), waiting, openCount });
  }
  if (questionId !== undefined) return alreadyAnswered(run, questions.length);
  return fail("TOOL_INVALID_INPUT", `The run ${run.id} is ${run.status} and waits for no approval.`, {
    hint: "repertoire runs --status paused lists those that do.",
  });
}

export async function decide(
  deps: DecideDeps,
  { runId, questionId }: QuestionReference,
  answer: GivenAnswer,
): Promise<ToolResult<OpenQuestion>> {
  const question = await findQuestion(deps, runId, questionId);
  if (!question.success) return question;
  const { waiting } = question.data;
  if (waiting.expiresAt !== null && waiting.expiresAt <= deps.clock.now()) return expired(question.data);
  const decided = await makeDecision(deps, waiting, answer, async (decision) => {
    const outcome = await deps.store.decide(waiting.runId, waiting.key, decision);
    return outcome.kind === "decided";
  });
  if (!decided.success) return decided;
  if (!answer.isApproved) await end(deps, question.data);
  return question;
}

/** `write` puts it on record for exactly this step, and says whether the step still waited. */
export async function makeDecision(
  { recordApproval, person }: RecordDeps,
  { runId, name }: Pick<WaitingStep, "runId" | "name">,
  { isApproved, principal }: GivenAnswer,
  write: (decision: QuestionAnswer) => Promise<boolean>,
): Promise<ToolResult<QuestionAnswer>> {
  if (!mayDecide(principal)) return mayNotDecide(runId);
  const decision: QuestionAnswer = { isApproved, by: principal?.id ?? person() };
  if (!(await write(decision))) return tooLate(runId);
  crashPoint("approval.decided");
  const details = { node: name, answer: isApproved ? "approved" : "denied", by: decision.by };
  recordApproval(runId, details, principal === undefined ? {} : { principal });
  return succeed(decision);
}

/** What was denied will not go on by itself: the run has failed, and so have all above it. */
async function end(deps: DecideDeps, { runId, waiting }: OpenQuestion): Promise<void> {
  const { store } = deps;
  const error = {
    code: "TOOL_EXECUTION_FAILED",
    reason: "denied",
    message: `denied: ${waiting.name} was not approved.`,
    retryable: false,
  };
  for (let id: string | null = waiting.runId; id !== null;) {
    const claimed = await claimAbandoned(deps, { id, leaseOwner: null });
    if (claimed !== undefined) await store.finish(leaseOf(claimed), { status: "failed", error });
    id = id === runId ? null : ((await store.find(id))?.parentRunId ?? null);
  }
}

const ALREADY_ANSWERED = "already_answered";

function alreadyAnswered({ id, status }: Run, openCount: number): ToolResult<never> {
  const now = openCount === 0 ? `is ${status}` : "waits with another question";
  const message = `${ALREADY_ANSWERED}: this question is not open any more; the run ${id} ${now}. The answer changed nothing.`;
  return fail("TOOL_INVALID_INPUT", message, {
    reason: ALREADY_ANSWERED,
    runId: id,
    hint: `Go on with execute {resume: "${id}"}. On the command line, repertoire approve ${id} shows what waits now.`,
  });
}

function expired({ runId, waiting }: OpenQuestion): ToolResult<never> {
  const at = new Date(waiting.expiresAt!).toISOString();
  return fail(
    "TOOL_INVALID_INPUT",
    `expired: this question could be answered until ${at}. Nothing was decided.`,
    {
      reason: "expired",
      runId,
      hint: `Continue with execute {resume: "${runId}"}: it asks again.`,
    },
  );
}

function tooLate(runId: string): ToolResult<never> {
  const message = `${ALREADY_ANSWERED}: the question was answered, or the run went on, in the meantime. The answer changed nothing.`;
  return fail("TOOL_INVALID_INPUT", message, {
    reason: ALREADY_ANSWERED,
    runId,
    hint: `Go on with execute {resume: "${runId}"}.`,
  });
}

function mayNotDecide(runId: string): ToolResult<never> {
  return fail("SECURITY_ERROR", "Deciding an approval needs a token with the scope write.", {
    runId,
    hint: `The run waits. A person with such a token decides, or the owner of the gateway with: repertoire approve ${runId}`,
  });
}
