/**
 * Runs something in this process and shows what came of it. A signal ends it in order: the calls under way are finished and
 * recorded, and the answer says how to go on.
 */
import { randomUUID } from "node:crypto";
import type { App } from "../app.ts";
import type { ToolError } from "../core/errors.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import type { CallContext, UncertainAnswer } from "../core/tool.ts";
import type { Checkpoint, Origin } from "./checkpoint.ts";
import { showExecuted, type Executed } from "./executed.ts";
import { startProgressLine, type ProgressLine } from "./progress-line.ts";
import type { GlobalOptions, Session } from "./session.ts";
import { watchSignals } from "./signals.ts";
import { note } from "./terminal.ts";

/** What is to run: the arguments of `execute`, or a workflow from a file, which `execute` takes by name only. */
export type Execution =
  | { readonly kind: "execute"; readonly args: JsonObject }
  | ({ readonly kind: "workflow"; readonly intent?: string; readonly inputs: JsonObject } & WorkflowFile)
  | ({
      readonly kind: "corrected_workflow";
      readonly runId: string;
      readonly inputs?: JsonObject;
      readonly uncertain?: UncertainAnswer | readonly UncertainAnswer[];
    } & WorkflowFile);

interface WorkflowFile {
  readonly source: string;
  readonly timeoutMs?: number;
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
    const work = execute(app, execution, abort.signal, progress);
    const stopped = await Promise.race([work.then(() => undefined), signals.stopped]);
    if (stopped !== undefined) await leave(app, abort, progress);
    const executed = await withWholeOutputs(app, await work);
    progress.end();
    const exitCode = showExecuted(executed, origin, options);
    return stopped ?? exitCode;
  } finally {
    progress.end();
    signals.release();
  }
}

/** What is not on its way yet, and a wait for another process, ends with the abort alone. */
async function leave(app: App, abort: AbortController, progress: ProgressLine): Promise<void> {
  progress.end();
  note("Stopping: the calls under way are finished and recorded. A second signal ends it at once.");
  await app.leave();
  abort.abort();
}

async function execute(
  app: App,
  execution: Execution,
  signal: AbortSignal,
  progress: ProgressLine,
): Promise<Executed> {
  if (execution.kind === "execute") {
    const answer = await app.gateway.callTool("execute", execution.args, {
      signal,
      onProgress: (step) => showProgress(progress, step as unknown as Progress),
    });
    return answer.structuredContent as unknown as Executed;
  }
  const context = { traceId: randomUUID(), signal };
  return execution.kind === "workflow"
    ? runWorkflow(app, execution, context, progress)
    : resumeWorkflow(app, execution, context, progress);
}

type RunReport = Awaited<ReturnType<App["runs"]["execute"]>>;
type RunRequest = Parameters<App["runs"]["execute"]>[0];

async function runWorkflow(
  app: App,
  { kind, source, inputs, intent, timeoutMs }: Extract<Execution, { kind: "workflow" }>,
  context: CallContext,
  progress: ProgressLine,
): Promise<Executed> {
  const report = await app.runs.execute(
    {
      kind,
      source,
      inputs,
      observe: observeWith(progress),
      ...(intent !== undefined && { intent }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
    context,
  );
  return executedOf(app, report);
}

async function resumeWorkflow(
  app: App,
  execution: Extract<Execution, { kind: "corrected_workflow" }>,
  context: CallContext,
  progress: ProgressLine,
): Promise<Executed> {
  const { kind: _, source, ...request } = execution;
  const resumed = await app.runs.resume(
    { ...request, corrected: { kind: "workflow", source }, observe: observeWith(progress) },
    context,
  );
  return resumed.success ? executedOf(app, resumed.data) : refused(resumed.error);
}

/** The answer that `execute` would give. */
async function executedOf(app: App, report: RunReport): Promise<Executed> {
  const { runId, result, logs, warnings, calls } = report;
  const trace = runId === null || result.success ? undefined : await app.traces.trace(runId);
  const checkpoint =
    trace?.success === true ? (trace.data["checkpoint"] as unknown as Checkpoint) : undefined;
  return {
    success: result.success,
    run_id: runId,
    outputs: result.success ? result.data : null,
    checkpoint: checkpoint ?? null,
    error: result.success ? null : result.error,
    logs: logs.map(({ level, message }) => ({ level, message })),
    calls: calls.map(({ tool, success, elapsedMs, isReplayed }) => ({
      tool,
      success,
      elapsed_ms: elapsedMs,
      ...(isReplayed && { from_journal: true }),
    })),
    warnings,
    draft: null,
  };
}

function refused(error: ToolError): Executed {
  const nothing = { run_id: null, outputs: null, checkpoint: null, draft: null };
  return { success: false, ...nothing, error, logs: [], calls: [], warnings: [] };
}

/** `execute` keeps a large result out of a conversation; a command prints it. */
async function withWholeOutputs(app: App, executed: Executed): Promise<Executed> {
  const { run_id: runId, outputs } = executed;
  const handle = isJsonObject(outputs) ? outputs["handle"] : undefined;
  if (typeof handle !== "string" || handle !== `repertoire://runs/${runId}/outputs`) return executed;
  const read = await app.traces.readResult(handle);
  return read.success ? { ...executed, outputs: read.data } : executed;
}

function observeWith(progress: ProgressLine): NonNullable<RunRequest["observe"]> {
  return (event) => {
    if (event.kind !== "call_ended") return;
    const { number, total, tool, success } = event;
    const message = `${tool} ${success ? "returned" : "failed"}`;
    showProgress(progress, { progress: number, message, ...(total !== undefined && { total }) });
  };
}

interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message: string;
}

function showProgress(line: ProgressLine, { progress, total, message }: Progress): void {
  line.show(`${total === undefined ? `${progress} calls` : `${progress} of ${total}`} · ${message}`);
}
