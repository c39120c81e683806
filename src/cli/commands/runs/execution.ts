/**
 * Runs something in this process and shows the result. After a signal, the calls under way finish and are recorded, and
 * the output says how to continue.
 */
import { basename } from "node:path";
import type { App } from "../../../app/app.ts";
import { isJsonObject, type JsonObject } from "../../../core/json.ts";
import type { Origin } from "./checkpoint.ts";
import { showExecuted, type Executed } from "./executed.ts";
import { startProgressLine, type ProgressLine } from "../../terminal/progress-line.ts";
import { folderSession } from "./run-reference.ts";
import type { Session } from "../../session.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { watchSignals } from "../../terminal/signals.ts";
import { note } from "../../terminal/terminal.ts";

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
    const exitCode = showExecuted(executed, origin, options);
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
  { args, workflow }: Execution,
  given: { readonly signal: AbortSignal; readonly title?: string },
  progress: ProgressLine,
): Promise<Executed> {
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
