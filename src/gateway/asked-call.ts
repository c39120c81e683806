/**
 * A tool that a client called and that a rule asks a person about. The call becomes a run of one step, which waits as
 * every run does: for days, over a restart, without anything held open.
 *
 * A person behind the client is asked there: a legacy client during the call, a modern one in the answer. Anybody else is
 * told the run and how it goes on. The same call again, while it waits, is the same run and no second question.
 */
import { ERROR_KEY, type ToolError } from "../core/errors.ts";
import { NOT_APPROVED } from "../core/guard.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, ToolAnswer, ToolDefinition } from "../core/tool.ts";
import { capabilityAnswer } from "../library/library-source.ts";
import { checkpointJson } from "../runs/journal/checkpoint.ts";
import { refusedReport } from "../runs/run-end.ts";
import type { RunReport } from "../runs/run.ts";
import type { Runs } from "../runs/runs.ts";
import { canBeAsked, elicitApproval } from "../runs/workflow/approval.ts";
import { APPROVAL_REQUIRED, isPause } from "../runs/workflow/pause.ts";
import { toldError } from "./answer.ts";
import { nextHop } from "./hops.ts";
import { askInAnswer, denied, enterRound, resumeOf, type ApprovalRoundDeps } from "./approval-round.ts";
import type { MetaTool } from "./meta-tools/meta-tool.ts";
import type { BoundRequest, StateContent } from "./sealed-state.ts";
import { taskOfWaiting } from "./tasks/detached-call.ts";

export interface AskedCallDeps extends ApprovalRoundDeps {
  readonly runs: Runs;
}

/** How many waiting runs of a caller are compared with a call: more than a person would leave unanswered. */
const COMPARED_MAX = 50;

/** A call as the client made it, and the exposed name of its tool. */
export interface AskedCall extends BoundRequest {
  readonly tool: string;
  readonly definition: () => ToolDefinition | undefined;
}

export interface AskedCalls {
  /** What becomes of a call for which a person must be asked first; any other failure is told as it is. */
  ask(
    failure: { success: false; error: ToolError },
    call: AskedCall,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>>;
  /** Goes on with a call, once a modern client brings what the person said. */
  decide(
    state: Extract<StateContent, { kind: "approval" }>,
    call: AskedCall,
    context: CallContext,
  ): Promise<ToolResult<ToolAnswer>>;
}

export function createAskedCalls(deps: AskedCallDeps): AskedCalls {
  return {
    async ask(failure, call, context) {
      const { reason, runId } = failure.error;
      const task =
        isPause(failure.error) && runId !== undefined && (await taskOf(deps, runId, call, context));
      if (task) return succeed(task);
      if (reason === APPROVAL_REQUIRED && runId !== undefined)
        return askInCapability(deps, failure, call.definition(), context);
      if (reason !== NOT_APPROVED) return failure;
      const meta = nextHop(context.meta);
      if (!meta.success) return meta;
      const report = await callAsked(deps, call, { ...context, meta: meta.data });
      return answerOfAsked(deps, report, call, context);
    },
    decide: async (state, call, context) =>
      answerOfAsked(deps, await answerAsked(deps, state, context), call, context),
  };
}

/** Makes a call that a person must say yes to first, as far as that can be done now. */
async function callAsked(
  deps: AskedCallDeps,
  { tool: name, args }: Pick<AskedCall, "tool" | "args">,
  context: CallContext,
): Promise<RunReport> {
  const waiting = await deps.runs.findCall(name, args, COMPARED_MAX, context);
  const report =
    waiting === undefined
      ? await deps.runs.execute({ kind: "call", source: name, inputs: args }, context)
      : await resume(deps, waiting, context);
  return askClient(deps, report, context);
}

/** A capability that a client called and that waits for a person: the person behind a legacy client is asked. */
async function askInCapability(
  deps: AskedCallDeps,
  waiting: { success: false; error: ToolError },
  definition: ToolDefinition | undefined,
  context: CallContext,
): Promise<ToolResult<ToolAnswer>> {
  const { runId = null } = waiting.error;
  const report = await askClient(deps, { ...refusedReport(waiting), runId }, context);
  const answer = capabilityAnswer(report, definition?.outputSchema !== undefined);
  return answer.success ? answer : withRun(answer.error, report.runId ?? runId);
}

function withRun(error: ToolError, runId: string | null): ToolResult<never> {
  return { success: false, error: runId === null ? error : { ...error, runId } };
}

/** What came of a question that a modern client brings the answer to. */
async function answerAsked(
  deps: AskedCallDeps,
  state: Extract<StateContent, { kind: "approval" }>,
  context: CallContext,
): Promise<RunReport> {
  const entered = await enterRound(deps, {}, state, context);
  return entered.success ? resume(deps, state.runId, context) : refusedReport(entered);
}

/** What a person behind a legacy client said: the run goes on, waits, or was refused. */
type Said =
  | { readonly kind: "go_on" | "wait" }
  | { readonly kind: "over"; readonly failure: ToolResult<never> };

/** Puts the question of a rule to the person behind a legacy client. A workflow asks its own questions while it runs. */
async function putToClient(
  { runs }: Pick<AskedCallDeps, "runs">,
  runId: string,
  context: CallContext,
): Promise<Said> {
  const question = canBeAsked(context) ? await runs.question(runId) : undefined;
  if (question?.success !== true || question.data.waiting.expiresAt === null) return { kind: "wait" };
  const answer = await elicitApproval(context, question.data.waiting);
  if (answer === "unanswered") return { kind: "wait" };
  const given = { isApproved: answer === "approved", principal: context.principal };
  const decided = await runs.decide(question.data, given);
  if (!decided.success) return { kind: "over", failure: decided };
  return answer === "approved" ? { kind: "go_on" } : { kind: "over", failure: denied(runId) };
}

/** Asks for as long as the run waits with a question and the person answers. */
async function askClient(deps: AskedCallDeps, first: RunReport, context: CallContext): Promise<RunReport> {
  let report = first;
  while (isWaiting(report)) {
    const said = await putToClient(deps, report.runId!, context);
    if (said.kind === "wait") return report;
    if (said.kind === "over") return refusedReport(said.failure);
    report = await resume(deps, report.runId!, context);
  }
  return report;
}

/** `execute`, with the questions of rules put to the person behind a legacy client; each yes resumes the run. */
export async function executeAsking(
  deps: Pick<AskedCallDeps, "runs">,
  execute: MetaTool,
  args: JsonObject,
  context: CallContext,
): Promise<ToolResult<JsonObject>> {
  let answer = await execute.call(args, context);
  for (;;) {
    const runId = answer.success ? waitingRunIn(answer.data) : undefined;
    if (runId === undefined) return answer;
    const said = await putToClient(deps, runId, context);
    if (said.kind === "wait") return answer;
    if (said.kind === "over") return said.failure;
    answer = await execute.call(resumeOf(runId, args), context);
  }
}

function waitingRunIn({ run_id: runId, error }: JsonObject): string | undefined {
  const isAsked = isJsonObject(error) && error["reason"] === APPROVAL_REQUIRED;
  return isAsked && typeof runId === "string" ? runId : undefined;
}

function isWaiting({ result, runId }: RunReport): boolean {
  return runId !== null && !result.success && result.error.reason === APPROVAL_REQUIRED;
}

async function resume({ runs }: AskedCallDeps, runId: string, context: CallContext): Promise<RunReport> {
  const resumed = await runs.resume({ runId }, context);
  return resumed.success ? resumed.data : refusedReport(resumed);
}

/** A transparent profile has the tasks of its server, and none of ours. */
function taskOf(
  deps: AskedCallDeps,
  runId: string,
  { profile }: AskedCall,
  context: CallContext,
): Promise<ToolAnswer | undefined> {
  return profile === undefined ? taskOfWaiting(deps, runId, context) : Promise.resolve(undefined);
}

/** The answer to the client: that of the tool, a task, a question, or that the call waits. */
async function answerOfAsked(
  deps: AskedCallDeps,
  report: RunReport,
  call: AskedCall,
  context: CallContext,
): Promise<ToolResult<ToolAnswer>> {
  const { method, name, args, profile, definition } = call;
  const { result, runId } = report;
  if (result.success) return succeed(result.data as unknown as ToolAnswer);
  if (!isWaiting(report)) return withRun(result.error, runId);
  const task = await taskOf(deps, runId!, call, context);
  if (task !== undefined) return succeed(task);
  const asked = { run_id: runId, error: { reason: APPROVAL_REQUIRED } };
  const request = { method, name, args, ...(profile !== undefined && { profile }) };
  const question = await askInAnswer(deps, asked, request, context);
  return succeed(question ?? waitingAnswer(report, result.error, definition()));
}

/**
 * The call has not failed, so it is no error; but a tool that promises a structure cannot answer with another, and some
 * clients refuse such an answer unless it is an error.
 */
function waitingAnswer(
  { runId, checkpoint }: RunReport,
  error: ToolError,
  definition: ToolDefinition | undefined,
): ToolAnswer {
  const told: JsonObject = {
    status: "paused",
    run_id: runId,
    ...(checkpoint !== null && { waiting_for: checkpointJson(checkpoint)["waiting_for"] ?? null }),
    message: error.message,
    ...(error.hint !== undefined && { hint: error.hint }),
  };
  const isPromised = definition?.outputSchema !== undefined;
  return {
    content: [{ type: "text", text: JSON.stringify(told) }],
    ...(isPromised ? { isError: true } : { structuredContent: told }),
    _meta: { [ERROR_KEY]: { ...toldError(error), runId } as unknown as JsonObject },
  };
}
