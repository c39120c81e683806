/**
 * Runs something in this process and shows the result. After a signal, the calls under way finish and are recorded, and
 * the output says how to continue.
 */
import { basename } from "node:path";
import type { App } from "../../../app/app.ts";
import { isJsonObject, type JsonObject, type Json } from "../../../core/json.ts";
import { type Origin, standingLines, type ShownCheckpoint } from "./checkpoint.ts";
import { startProgressLine, type ProgressLine } from "../../terminal/progress-line.ts";
import { folderSession } from "./run-reference.ts";
import type { Session } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { watchSignals } from "../../terminal/signals.ts";
import {
  note,
  dim,
  escapeLines,
  print,
  printJson,
  printToolError,
  tell,
  yellow,
} from "../../terminal/terminal.ts";
import type { ToolError } from "../../../core/errors.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT, exitCodeOfToolError } from "../../terminal/exit-code.ts";
import { problemLines } from "./workflow-file.ts";

/** What is to run: the arguments of `execute`, and the text of a workflow that is only in a file. */
export interface Execution {
  readonly args: JsonObject;
  readonly workflow?: string;
}

export async function perform(
  { app }: Session,
  execution: Execution,
  origin: Origin,
  options: GlobalOptions,
): Promise<number> {
  const signals = watchSignals();
  const abort = new AbortController();
  const progress = startProgressLine();
  try {
    const title = origin.file === undefined ? {} : { title: basename(origin.file) };
    const work = execute(app, execution, { signal: abort.signal, ...title }, progress);
    const stopped = await Promise.race([work.then(() => undefined), signals.stopped]);
    if (stopped !== undefined) await stop(app, abort, progress);
    const executed = await withWholeOutputs(app, await work);
    progress.end();
    const isServed = (): boolean => app.gatewayCount() > 0;
    const exitCode = showExecuted(executed, origin, { ...options, isServed });
    return stopped ?? exitCode;
  } finally {
    progress.end();
    signals.release();
  }
}

/** What is not on its way yet, and a wait for another process, ends with the abort alone. */
async function stop(app: App, abort: AbortController, progress: ProgressLine): Promise<void> {
  progress.end();
  note("Stopping: waiting for the calls under way to finish. A second signal exits at once.");
  await app.drain();
  abort.abort();
}

async function execute(
  { gateway, executeWorkflow }: App,
  { args: asked, workflow }: Execution,
  given: { readonly signal: AbortSignal; readonly title?: string },
  progress: ProgressLine,
): Promise<Executed> {
  const args = { ...asked, calls: true };
  const context = {
    ...given,
    session: folderSession(),
    onProgress: (step: JsonObject) => showProgress(progress, step as unknown as Progress),
  };
  const answer = await (workflow === undefined
    ? gateway.callTool("execute", args, context)
    : executeWorkflow(workflow, args, context));
  return answer.structuredContent as unknown as Executed;
}

/** `execute` keeps a large result out of a conversation; a command prints it. */
async function withWholeOutputs(app: App, executed: Executed): Promise<Executed> {
  const { run_id: runId, outputs } = executed;
  const handle = isJsonObject(outputs) ? outputs["handle"] : undefined;
  if (typeof handle !== "string" || handle !== `repertoire://runs/${runId}/outputs`) return executed;
  const read = await app.traces.readResult(handle);
  return read.success ? { ...executed, outputs: read.data } : executed;
}

interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

function showProgress(line: ProgressLine, { progress, total, message }: Progress): void {
  line.show(`${total === undefined ? `${progress} calls` : `${progress} of ${total}`} · ${message}`);
}

/** What `execute` answers. The result is shown on stdout, everything about it on stderr. */
interface Executed {
  readonly success: boolean;
  /** Of a run that has not ended. */
  readonly status?: string;
  readonly run_id: string | null;
  readonly outputs: Json;
  readonly checkpoint: ShownCheckpoint | null;
  readonly error: ToolError | null;
  readonly logs: readonly { readonly level: string; readonly message: string }[];
  readonly calls: readonly {
    readonly tool: string;
    readonly success: boolean;
    readonly elapsed_ms: number;
    readonly from_journal?: boolean;
    readonly skipped_by?: string;
    readonly waiting?: boolean;
    readonly error?: { readonly code: string };
  }[];
  readonly warnings: readonly string[];
  readonly draft: string | null;
}

interface ShowOptions extends GlobalOptions {
  /** Whether a gateway is there that takes up background runs. */
  readonly isServed: () => boolean;
}

function showExecuted(executed: Executed, origin: Origin, options: ShowOptions): number {
  if (options.json === true) printJson(executed);
  else showForPeople(executed, origin, options);
  if (executed.success) return EXIT.ok;
  return executed.error === null ? EXIT.failed : exitCodeOfToolError(executed.error);
}

/** A request that was refused has an error and nothing else. */
function showForPeople(executed: Executed, origin: Origin, options: ShowOptions): void {
  const { success, outputs } = executed;
  if (success && (executed.status === "queued" || executed.status === "running"))
    return showGoingOn(executed, options);
  const {
    error = null,
    logs = [],
    calls = [],
    warnings = [],
    draft = null,
    checkpoint = null,
  } = executed as Partial<Executed>;
  const isPaused = checkpoint?.waiting_for !== undefined;
  for (const { level, message } of logs) note(dim(`${level.padEnd(5)} ${escapeLines(message)}`));
  for (const warning of warnings) note(`${yellow("warning")} ${escapeLines(warning)}`);
  const made = calls.filter((call) => call.waiting !== true);
  if (made.length > 0) note(dim(summaryOf(made, isPaused)));
  if (success) print(typeof outputs === "string" ? escapeLines(outputs) : JSON.stringify(outputs, null, 2));
  if (isPaused) tell(`${yellow("paused")} ${checkpoint.run_id}`);
  else if (error !== null) showError(error, origin, options);
  if (checkpoint !== null) for (const line of standingLines(checkpoint, origin, options)) tell(`  ${line}`);
  if (draft !== null) note(dim(`draft ${escapeUnprintable(draft)}`));
}

/** The id alone is the answer; what to do with it is for a person. */
function showGoingOn({ status, run_id: id }: Executed, { isServed, ...options }: ShowOptions): void {
  print(`${id}`);
  const begins = "No gateway serves this home now: it begins when one does (repertoire serve).";
  note(dim(`${status} in the background. Its end: ${commandLine(["resume", id!], options)}`));
  if (status === "queued" && !isServed()) note(`${yellow("note")} ${begins}`);
}

/** What waits has not failed, and what waits for an approval was not called. */
function summaryOf(calls: Executed["calls"], isPaused: boolean): string {
  const ms = calls.reduce((sum, call) => sum + call.elapsed_ms, 0);
  const skipped = calls.filter((call) => call.skipped_by !== undefined).length;
  const failed = calls.filter((call) => !call.success).length - skipped;
  const recorded = calls.filter((call) => call.from_journal === true).length;
  const tools = escapeUnprintable([...new Set(calls.map((call) => call.tool))].join(", "));
  const left = skipped === 0 ? "" : `, ${skipped} skipped`;
  const journal = recorded === 0 ? "" : `, ${recorded} answered from the journal`;
  return `${calls.length} ${calls.length === 1 ? "call" : "calls"} (${tools})${isPaused ? "" : `, ${failed} failed`}${left}${journal}, ${Math.round(ms)} ms in all`;
}

function showError(error: ToolError, { file = "" }: Origin, options: GlobalOptions): void {
  if (error.problems !== undefined) {
    for (const line of problemLines(file, error.problems)) tell(line);
    tell("Nothing was run.");
    return;
  }
  printToolError(error);
  if (error.place !== undefined) tell(dim(`  ${error.place.line} | ${escapeUnprintable(error.place.text)}`));
  const [newest] = error.nearest ?? [];
  if (error.reason === "superseded" && newest !== undefined) {
    tell(`  see: ${commandLine(["show", newest], options)}`);
  }
}
