/**
 * Answering what a run asks, and the rule that a yes can become. The answer is for exactly one question; a rule is
 * written before the answer is given, so that nobody reads "remembered" of a rule that could not be written.
 */
import { localActor, type App } from "../../app/app.ts";
import type { JsonObject } from "../../core/json.ts";
import { isJsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { WrittenRule } from "../../core/rule.ts";
import type { AnswerOf, Asked } from "../contract/contract.ts";
import type { OperatorDeps, Viewer } from "../operator.ts";
import { ruleOf, rulesFile, writeRule, type RememberOptions } from "./remember.ts";
import { findWholeRun } from "./run-access.ts";

/** A question that a run waits with. */
export type AskedQuestion = Extract<Awaited<ReturnType<App["runs"]["question"]>>, { success: true }>["data"];

/** The question of a run that the viewer sees. */
export async function findQuestion(
  deps: OperatorDeps,
  viewer: Viewer,
  runId: string,
  questionId: string | undefined,
): Promise<ToolResult<AskedQuestion>> {
  const run = await findWholeRun(deps, viewer, runId);
  return run.success ? deps.app.runs.question(runId, questionId) : run;
}

/** What a yes to a question would be remembered as; undefined where nothing is to be. */
export async function findRule(
  { app }: OperatorDeps,
  { waiting }: AskedQuestion,
  options: RememberOptions,
): Promise<ToolResult<WrittenRule | undefined>> {
  const run = await app.store.runs.find(await outermost(app, waiting.runId));
  return ruleOf(waiting, run ?? { principal: null, source: null, kind: "call" }, options);
}

/** Rules about a script are about the run that a client started. */
async function outermost(app: App, runId: string): Promise<string> {
  const parent = (await app.store.runs.find(runId))?.parentRunId ?? null;
  return parent === null ? runId : outermost(app, parent);
}

/** Writes the rule, and that it was written; gives the file. */
export async function keepRule(deps: OperatorDeps, viewer: Viewer, rule: WrittenRule): Promise<string> {
  const path = writeRule(rule, deps.place);
  await deps.app.store.audit.append({
    actor: viewer.principal?.id ?? localActor(),
    action: "rules.remembered",
    subject: rule.tool as string,
    details: { rule: rule as unknown as JsonObject },
  });
  return path;
}

export async function proposeRule(
  deps: OperatorDeps,
  viewer: Viewer,
  runId: string,
  { question, same, times, script }: Asked<"proposeRule">["query"],
): Promise<ToolResult<AnswerOf<"proposeRule">>> {
  const asked = await findQuestion(deps, viewer, runId, question);
  if (!asked.success) return asked;
  const names = (same ?? "").split(",").filter((name) => name !== "");
  const options = {
    remember: true,
    ...(names.length > 0 && { same: names }),
    ...(times !== undefined && { times }),
    ...(script && { script }),
  };
  const rule = await findRule(deps, asked.data, options);
  if (!rule.success) return rule;
  return succeed({
    rule: rule.data as unknown as JsonObject,
    file: rulesFile(deps.place).path,
    arguments: argumentsOf(asked.data),
  });
}

function argumentsOf({ waiting: { details } }: AskedQuestion): string[] {
  const params = isJsonObject(details) ? details["params"] : undefined;
  return isJsonObject(params) ? Object.keys(params) : [];
}

export async function decideRun(
  deps: OperatorDeps,
  viewer: Viewer,
  runId: string,
  { question, approve, remember }: Asked<"decideRun">["body"],
): Promise<ToolResult<AnswerOf<"decideRun">>> {
  const asked = await findQuestion(deps, viewer, runId, question);
  if (!asked.success) return asked;
  const isKept = approve && remember !== undefined;
  if (isKept && !mayRemember(viewer)) return mayNotRemember();
  const rule = await findRule(
    deps,
    asked.data,
    isKept ? { remember: true, ...withoutUndefined(remember) } : {},
  );
  if (!rule.success) return rule;
  // An answer that comes too late writes no rule.
  const decided = await answerQuestion(deps, viewer, asked.data, approve);
  if (!decided.success) return decided;
  if (rule.data !== undefined) await keepRule(deps, viewer, rule.data);
  return succeed({
    ...decided.data,
    ...(rule.data !== undefined && { rule: rule.data as unknown as JsonObject }),
  });
}

/** As `repertoire approve --json` has it. */
export async function answerQuestion(
  { app }: OperatorDeps,
  { principal }: Viewer,
  { runId, questionId, waiting }: AskedQuestion,
  isApproved: boolean,
) {
  const decided = await app.runs.decide({ runId, questionId }, { isApproved, principal });
  if (!decided.success) return decided;
  return succeed({ run_id: runId, node: waiting.name, question: questionId, approved: isApproved });
}

function withoutUndefined({
  same,
  times,
  script,
}: NonNullable<Asked<"decideRun">["body"]["remember"]>): RememberOptions {
  return {
    ...(same !== undefined && { same }),
    ...(times !== undefined && { times }),
    ...(script !== undefined && { script }),
  };
}

/** A rule is about the gateway as a whole. */
function mayRemember({ principal, owner, view }: Viewer): boolean {
  return (
    principal === undefined ||
    (principal.permissions.has("admin") && owner === undefined && view === undefined)
  );
}

function mayNotRemember(): ToolResult<never> {
  return fail("SECURITY_ERROR", "Writing a rule needs a token with the scope admin and without limits.", {
    field: "remember",
    hint: "Nothing was decided. Approve it without remembering, or with such a token.",
  });
}
