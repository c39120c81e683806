/**
 * A call that takes long, or whose run waits for a person or a time, is answered with a task: its run goes on as a
 * background run, and the client asks for it when it likes. Only for clients that know tasks, and only once the run is on
 * record as a background run; until then the call goes on as any other.
 */
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import type { CallContext, RunUnderWay, ToolAnswer } from "../../core/tool.ts";
import { createLooseCall, type LooseCall } from "../../runs/background/detach.ts";
import type { Runs } from "../../runs/runs.ts";
import { within } from "../../timing/deadline.ts";
import { withTrace } from "../answer.ts";
import { takesTasks, taskAnswer } from "./task.ts";

/** Most calls have an answer by then, and clients that give up give up later. */
const TASK_AFTER_MS = 10_000;

export interface DetachedCallDeps {
  readonly runs: Pick<Runs, "look">;
  /** How long a call may take before its client gets a task; without it, 10 s. */
  readonly taskAfterMs?: number;
  readonly log: Log;
}

/** Whether calls of this client may be answered with a task. */
function mayGiveTask(context: CallContext): boolean {
  return takesTasks(context) && context.runId === undefined;
}

/** The task of a run that `execute {background: true}` has put into the queue; undefined for any other answer. */
export async function taskOfQueued(
  { runs }: Pick<DetachedCallDeps, "runs">,
  answer: JsonObject,
  { background }: JsonObject,
  context: CallContext,
): Promise<ToolAnswer | undefined> {
  const { status, run_id: runId } = answer;
  const goesOn = status === "queued" || status === "running";
  if (background !== true || !goesOn || typeof runId !== "string" || !mayGiveTask(context)) return undefined;
  const look = await runs.look(runId);
  return look && taskAnswer(runId, look);
}

/**
 * The task of a run that waits: it goes on by itself when it need not wait any more, whoever decides. Undefined where the
 * client knows no tasks, or the run cannot go on without it; then the client is asked as any other.
 */
export async function taskOfWaiting(
  { runs }: { readonly runs: Pick<Runs, "look" | "resume"> },
  runId: string,
  context: CallContext,
): Promise<ToolAnswer | undefined> {
  if (!mayGiveTask(context)) return undefined;
  const goOnByItself = () => runs.resume({ runId, background: true }, context);
  if (!(await goOnByItself()).success) return undefined;
  let look = await runs.look(runId);
  // Answered while it became a background run: nothing else would wake it.
  if (look?.state.kind === "moving" && look.run.status === "paused" && look.run.wakeAt === null) {
    await goOnByItself();
    look = await runs.look(runId);
  }
  return look === undefined || look.state.kind === "ended" ? undefined : taskAnswer(runId, look);
}

export async function answerOrTask(
  deps: DetachedCallDeps,
  context: CallContext,
  call: (context: CallContext) => Promise<ToolAnswer>,
): Promise<ToolAnswer> {
  if (!mayGiveTask(context)) return call(context);
  const loose = createLooseCall(context);
  const begun = Promise.withResolvers<RunUnderWay>();
  const answer = call({ ...loose.context, onRun: begun.resolve });
  const settled = Promise.allSettled([answer]);
  if ((await within(settled, deps.taskAfterMs ?? TASK_AFTER_MS)) !== undefined) return answer;
  const run = await Promise.race([settled.then(() => undefined), begun.promise]);
  const task = run === undefined ? undefined : await detach(deps, run, loose);
  if (task === undefined) return answer;
  answer.catch((error: unknown) => deps.log.error("run.background.failed", { runId: run!.runId, error }));
  return withTrace(task, context);
}

/** Undefined where the run has ended, or cannot be detached: then the call is answered as any other. */
async function detach(
  { runs, log }: DetachedCallDeps,
  { runId, detach: makeBackground }: RunUnderWay,
  loose: LooseCall,
): Promise<ToolAnswer | undefined> {
  try {
    const look = await runs.look(runId);
    if (look === undefined || !(await makeBackground())) return undefined;
    loose.letGo();
    return taskAnswer(runId, look);
  } catch (error) {
    log.warn("run.detach.failed", { runId, error });
    return undefined;
  }
}
