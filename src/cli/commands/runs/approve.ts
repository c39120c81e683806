import { escapeUnprintable } from "../../../text/printable.ts";
import type { ToolError } from "../../../core/errors.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import {
  answerQuestion,
  findQuestion,
  findRule,
  keepRule,
  type AskedQuestion,
} from "../../../operator/runs/decide.ts";
import { operatorOf, refuse, type Operator } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { askYesNo, canAsk, whyNotAsked } from "../../terminal/confirm.ts";
import { quote } from "../../../text/quote.ts";
import { decidePins } from "../access/pins.ts";
import { perform } from "./execution.ts";
import { EXIT } from "../../terminal/exit-code.ts";
import { findAskingRunId } from "./run-reference.ts";
import { openSession, type Session } from "../../session.ts";
import { bold, dim, escapeLines, green, note, printJson, red, tell } from "../../terminal/terminal.ts";
import { collect, defineCommand } from "../../command.ts";
import { InvalidArgumentError } from "commander";
import type { GlobalOptions } from "../../global-options.ts";
import type { WrittenRule } from "../../../core/rule.ts";
import type { RememberOptions } from "../../../operator/runs/remember.ts";

interface ApproveOptions extends GlobalOptions, RememberOptions {
  readonly deny?: boolean;
  readonly yes?: boolean;
  readonly resume?: boolean;
  /** The id of the question that the answer is for. */
  readonly question?: string;
}

export const approveCommand = defineCommand({
  name: "approve",
  group: "runs",
  summary: "Approve what a paused run asks, or what a server offers: shows exactly what it is, then asks",
  arguments: [
    {
      words: "<run|server|last>",
      about:
        "the id of the run, or its start or end, or last for the newest that waits for an approval; or the id of a server",
      completes: ["runs", "servers"],
    },
    {
      words: "[tool]",
      about: "of a server: only this tool, prompt or template; or identity, or instructions",
    },
  ],
  options: [
    { flags: "--yes", about: "approve without asking" },
    { flags: "--deny", about: "deny it; the run then fails" },
    {
      flags: "--question <id>",
      about: "answer only this question; its id is shown with it, and in the --json of show and run",
    },
    { flags: "--resume", about: "continue the run at once" },
    {
      flags: "--remember",
      about: "write a rule that allows such calls from now on; it is shown first",
    },
    {
      flags: "--same <argument>",
      about: "with --remember: only with the same value of this argument; repeatable",
      parse: collect,
    },
    {
      flags: "--times <n>",
      about: "with --remember: so often in all; after that, it is asked again",
      parse: parseTimes,
    },
    { flags: "--script", about: "with --remember: only for the script that asks" },
  ],
  help: `Without a terminal, --yes or --deny is required. The answer applies to exactly what is shown, and is recorded in the
audit trail. If the run has moved on to another question or asks several, --yes and --deny also need --question.

For a server, the difference to what was approved before is shown. To approve a whole server also confirms what was
first seen of it: from then on, what its tools say of themselves (readOnlyHint) counts. See also: repertoire pins.`,
  examples: [
    "repertoire approve last",
    "repertoire approve last --yes --resume",
    "repertoire approve 01976a1e-58a7-7c3e-9d1f-3f6f0f1a2b3c --question 3f9a… --yes",
    "repertoire approve last --deny",
    "repertoire approve last --remember --same repo --times 20 --script",
    "repertoire approve github",
    "repertoire approve github create_issue --yes",
  ],
  run: (options: ApproveOptions, reference: string, tool?: string) => approve(reference, tool, options),
});

async function approve(
  reference: string,
  tool: string | undefined,
  options: ApproveOptions,
): Promise<number> {
  const session = await openSession(options);
  try {
    if (session.config.current().servers.some(({ id }) => id === reference))
      return await approveServer(session, reference, tool, options);
    if (tool !== undefined) return refuse(noServer(reference).error, options);
    const run = await findAskingRunId(session.app, session.config.current().scope, reference);
    if (!run.success) return refuse(orServer(run.error, reference), options);
    const operator = operatorOf(session, options);
    const { deps, viewer } = operator;
    const question = await findQuestion(deps, viewer, run.data, options.question);
    if (!question.success) return refuse(question.error, options);
    showQuestion(question.data);
    const bound = checkBound(question.data, run.data, options);
    if (!bound.success) return refuse(bound.error, options);
    const rule = await findRule(deps, question.data, options);
    if (!rule.success) return refuse(rule.error, options);
    if (rule.data !== undefined) showRule(rule.data);
    const answer = await findAnswer(options);
    if (!answer.success) return refuse(answer.error, options);
    if (answer.data && rule.data !== undefined)
      note(`${green("remembered")} in ${await keepRule(deps, viewer, rule.data)}`);
    return await record(session, operator, question.data, answer.data, options);
  } finally {
    await session.close();
  }
}

function showRule(rule: WrittenRule): void {
  tell("This rule would be added in front of yours:");
  for (const line of escapeLines(JSON.stringify(rule, null, 2)).split("\n")) tell(`${dim("  │ ")}${line}`);
}

function parseTimes(written: string): number {
  const times = Number(written);
  if (Number.isSafeInteger(times) && times >= 1 && times <= TIMES_MAX) return times;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${TIMES_MAX}.`);
}

/** More than anybody means by "so often". */
const TIMES_MAX = 1_000_000;

async function approveServer(
  session: Session,
  server: string,
  tool: string | undefined,
  options: ApproveOptions,
): Promise<number> {
  const ofRuns = ["deny", "resume", "question", "remember", "same", "times", "script"].find(
    (name) => options[name as keyof ApproveOptions] !== undefined,
  );
  if (ofRuns === undefined) return decidePins(session, { server, tool, isApproved: true }, options);
  const { error } = fail("TOOL_INVALID_INPUT", `--${ofRuns} is for runs; "${server}" is a server.`, {
    field: ofRuns,
    hint: `To reject what it offers, run: ${commandLine(["reject", server, ...(tool === undefined ? [] : [tool])], options)}`,
  });
  return refuse(error, options);
}

/** A name that is no run's may be meant for a server. */
function orServer(error: ToolError, reference: string): ToolError {
  if (error.code !== "TOOL_NOT_FOUND" || reference === "last") return error;
  return {
    ...error,
    message: `There is no run and no server ${quote(reference)}.`,
    hint: "repertoire inbox lists everything that waits for an approval.",
  };
}

function noServer(reference: string) {
  return fail("TOOL_NOT_FOUND", `There is no server ${quote(reference)}.`, {
    field: "server",
    hint: "Run: repertoire servers",
  });
}

/**
 * An answer that was given before the question was shown is for the one question of the run that was named, or for
 * none.
 */
function checkBound(
  { runId, questionId, openCount }: AskedQuestion,
  namedRunId: string,
  options: ApproveOptions,
): ToolResult<void> {
  const isGiven = options.yes === true || options.deny === true;
  if (!isGiven || options.question !== undefined) return succeed(undefined);
  const answer = options.yes === true ? "--yes" : "--deny";
  const hint = `After reading it, run: ${commandLine(["approve", runId, "--question", questionId, answer], options)}`;
  if (runId !== namedRunId) {
    const message = `Nothing was decided: the run ${namedRunId} went on as ${runId}, which asks the question above.`;
    return fail("TOOL_INVALID_INPUT", message, { reason: "already_answered", field: "run", runId, hint });
  }
  if (openCount === 1) return succeed(undefined);
  const message = `Nothing was decided: the run asks ${openCount} questions; only the first is shown.`;
  return fail("TOOL_INVALID_INPUT", message, { reason: "several_questions", field: "question", runId, hint });
}

/** Everything, cut nowhere: what is not shown cannot be agreed to. */
function showQuestion({ runId, questionId, waiting }: AskedQuestion): void {
  tell(`${bold(escapeUnprintable(waiting.name))} of ${runId} waits for an approval:`);
  tell(`  ${escapeUnprintable(waiting.message)}`);
  if (waiting.details !== null) {
    const lines = escapeLines(JSON.stringify(waiting.details, null, 2)).split("\n");
    for (const line of lines) tell(`${dim("  │ ")}${line}`);
  }
  tell(dim(`  question ${questionId}`));
}

async function findAnswer({ yes, deny }: ApproveOptions): Promise<ToolResult<boolean>> {
  if (yes === true && deny === true) {
    return fail("TOOL_INVALID_INPUT", "Give --yes or --deny, not both.", { field: "yes" });
  }
  if (yes === true || deny === true) return succeed(yes === true);
  if (canAsk()) return succeed(await askYesNo("Approve it?"));
  return fail("TOOL_INVALID_INPUT", `Nothing was decided: ${whyNotAsked()}.`, {
    field: "yes",
    hint: "Read the question, then give --yes or --deny.",
  });
}

async function record(
  session: Session,
  { deps, viewer }: Operator,
  question: AskedQuestion,
  isApproved: boolean,
  options: ApproveOptions,
): Promise<number> {
  const { runId, waiting } = question;
  const decided = await answerQuestion(deps, viewer, question, isApproved);
  if (!decided.success) return refuse(decided.error, options);
  const what = escapeUnprintable(waiting.name);
  if (isApproved && options.resume === true) {
    note(`${green("approved")} ${what}`);
    return perform(session, { args: { resume: runId } }, {}, options);
  }
  if (options.json === true) printJson(decided.data);
  if (!isApproved) note(`${red("denied")} ${what}: the run has failed, and nothing was done.`);
  else note(`${green("approved")} ${what}. Continue with: ${commandLine(["resume", runId], options)}`);
  return EXIT.ok;
}
