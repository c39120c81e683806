/**
 * `tasks/get`, `tasks/update` and `tasks/cancel`: of a run, or of a task of a server (`server-tasks.ts`). Who may resume a run may ask for it here, and what a client may not see
 * is answered exactly as what is not there.
 */
import { takesForms } from "../../core/declared.ts";
import type { JsonObject } from "../../core/json.ts";
import { LOCAL, mayDecide } from "../../core/principal.ts";
import { INTERNAL_ERROR } from "../../core/rpc-codes.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext } from "../../core/tool.ts";
import type { RunLook, RunState } from "../../runs/background/look.ts";
import type { OpenQuestion } from "../../runs/resume/decide.ts";
import type { Runs } from "../../runs/runs.ts";
import { answerIn, approvalRequest, canBeShown } from "../../runs/workflow/approval.ts";
import { checkResumed, type ResumedDeps } from "../meta-tools/run-view.ts";
import { answerServerTask, type ServerTaskDeps } from "./server-tasks.ts";
import { noTask, responsesIn, taskFields, tasksNotDeclared, takesTasks, type TaskMethod } from "./task.ts";
import { resultOfTask, type TaskResultDeps } from "./task-result.ts";

export interface TaskDeps extends ResumedDeps, TaskResultDeps, ServerTaskDeps {
  readonly registry: TaskResultDeps["registry"] & ServerTaskDeps["registry"];
  readonly runs: Pick<Runs, "look" | "decide" | "cancel" | "resume" | "checkResumable">;
}

/** A task as somebody asks for it. */
interface Asked {
  readonly taskId: string;
  readonly look: RunLook;
  readonly context: CallContext;
}

const ACKNOWLEDGED: JsonObject = { resultType: "complete" };

export async function answerTask(
  deps: TaskDeps,
  method: TaskMethod,
  params: JsonObject,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  if (!takesTasks(context)) return tasksNotDeclared();
  const taskId = params["taskId"];
  const task = typeof taskId === "string" ? await deps.taskIds.open(taskId, context) : undefined;
  if (task !== undefined)
    return answerServerTask(deps, method, { id: taskId as string, task }, params, context);
  const look = typeof taskId === "string" ? await lookAs(deps, taskId, context) : undefined;
  if (typeof taskId !== "string" || look === undefined) return noTask(taskId);
  const asked = { taskId, look, context };
  if (method === "tasks/get") return succeed(await describeTask(deps, asked));
  if (method === "tasks/update") return update(deps, asked, responsesIn(params, context));
  return cancel(deps, asked);
}

/** As `execute {resume}` finds it; undefined where it would not. */
async function lookAs(deps: TaskDeps, taskId: string, context: CallContext): Promise<RunLook | undefined> {
  const shown = await checkResumed(taskId, context, deps);
  return shown.success ? deps.runs.look(taskId) : undefined;
}

async function describeTask(deps: TaskDeps, asked: Asked): Promise<JsonObject> {
  const { taskId, look } = asked;
  return { resultType: "complete", ...taskFields(taskId, look), ...(await statusOf(deps, asked)) };
}

async function statusOf(deps: TaskDeps, asked: Asked): Promise<JsonObject> {
  const { run, state } = asked.look;
  switch (state.kind) {
    case "moving":
      return { status: "working", statusMessage: movingWords(run.status, state) };
    case "unsure":
      return { status: "working", statusMessage: unsureWords(run.id, state.tool) };
    case "asked":
      return askedStatus(deps, asked, state.questions);
    case "ended":
      return endedStatus(deps, asked.look, state);
  }
}

async function endedStatus(
  deps: TaskDeps,
  { run }: RunLook,
  { report }: Extract<RunState, { kind: "ended" }>,
): Promise<JsonObject> {
  const { result } = report;
  if (run.status === "cancelled") {
    return { status: "cancelled", ...(!result.success && { statusMessage: result.error.message }) };
  }
  // No attempt came to an end: there is nothing that the tool could be said to have answered.
  if (!result.success && result.error.reason === "attempts_exhausted") {
    const { message, reason } = result.error;
    return { status: "failed", error: { code: INTERNAL_ERROR, message, data: { reason } } };
  }
  return { status: "completed", result: await resultOfTask(deps, run, report) };
}

/** The questions, where this client can put them to a person; else how they are decided elsewhere. */
async function askedStatus(
  deps: TaskDeps,
  { look, context }: Asked,
  questions: readonly OpenQuestion[],
): Promise<JsonObject> {
  const { modern, principal } = context;
  const canAsk = takesForms(modern!.capabilities) && mayDecide(principal);
  const shown = canAsk ? questions.filter(({ waiting }) => canBeShown(waiting.details)) : [];
  if (shown.length === 0 || !(await isUsable(deps, look, context))) {
    return { status: "working", statusMessage: decideWords(look.run.id) };
  }
  const requests = shown.map(({ questionId, waiting }) => [
    questionId,
    { method: "elicitation/create", params: approvalRequest(waiting) },
  ]);
  return {
    status: "input_required",
    statusMessage: "It waits for a person's decision.",
    inputRequests: Object.fromEntries(requests) as JsonObject,
  };
}

/** In a profile that hides what would be done, it is not offered for decision. */
async function isUsable({ runs }: TaskDeps, { run }: RunLook, context: CallContext): Promise<boolean> {
  if (context.view === undefined) return true;
  return (await runs.checkResumable({ runId: run.id }, context)).success;
}

/** What is no open question of this task counts for nothing. A client that may not decide is told so. */
async function update(
  deps: TaskDeps,
  { look, context }: Asked,
  responses: JsonObject,
): Promise<ToolResult<JsonObject>> {
  const { state, run } = look;
  const open = state.kind === "asked" ? state.questions : [];
  const answered = open.filter(({ questionId }) => Object.hasOwn(responses, questionId));
  if (answered.length === 0 || !(await isUsable(deps, look, context))) return succeed(ACKNOWLEDGED);
  let isLeft = false;
  for (const question of answered) {
    const said = answerIn(responses[question.questionId]);
    if (said === "unanswered") continue;
    const given = { isApproved: said === "approved", principal: context.principal };
    const decided = await deps.runs.decide(question, given);
    if (!decided.success && decided.error.code === "SECURITY_ERROR") return decided;
    // One that has expired is asked again; one in the foreground has nobody else who goes on with it.
    isLeft ||= decided.success ? given.isApproved && run.mode === "foreground" : isExpired(decided.error);
  }
  if (isLeft) await deps.runs.resume({ runId: run.id, background: true }, context);
  return succeed(ACKNOWLEDGED);
}

function isExpired({ reason }: { readonly reason?: string }): boolean {
  return reason === "expired";
}

/** One that has ended has nothing to cancel, and that is no mistake. */
async function cancel(deps: TaskDeps, { taskId, context }: Asked): Promise<ToolResult<JsonObject>> {
  await deps.runs.cancel(taskId, context.principal?.id ?? LOCAL);
  return succeed(ACKNOWLEDGED);
}

function movingWords(status: string, { until }: Extract<RunState, { kind: "moving" }>): string {
  if (until !== undefined)
    return `It waits until ${new Date(until).toISOString()}, and then goes on by itself.`;
  if (status === "running") return "It runs.";
  return status === "queued" ? "It waits for its turn." : "It goes on by itself in a moment.";
}

function decideWords(runId: string): string {
  return `It waits for a person's decision. A person decides with: repertoire approve ${runId}. Then it goes on.`;
}

function unsureWords(runId: string, tool: string): string {
  return (
    `A call of ${tool} was sent, and no answer to it is on record. It is not made again unasked: a person decides with ` +
    `execute {"resume": "${runId}", "uncertain": …}, or finds it in: repertoire inbox`
  );
}
