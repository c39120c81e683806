/**
 * What a run that goes on has from those before it: the steps that ended, the runs that its steps had started, and what
 * is not known.
 *
 * A step that succeeded is taken over. A step that failed is made again, unless the run went past its failure: then
 * what followed rests on that failure, and it is answered again. A step without an answer on record, and one whose call
 * was sent and never answered, is uncertain: nothing is made again before somebody has decided what to do about it. Where
 * the server answered the call with a task that is on record, nothing is uncertain: the next run goes on with the task.
 */
import type { JsonObject } from "../../core/json.ts";
import type { Run, RunStore, RunSummary, Step, TakenSteps } from "../../core/store.ts";
import type { UncertainDecisions } from "../../core/tool.ts";
import { ANSWER_LIMIT } from "../journal/journal.ts";
import { taskOfStep } from "../journal/step-task.ts";
import { isNodeKey, namesOf } from "../workflow/labels.ts";
import type { UncertainStep, WaitingStep } from "../run.ts";
import { skipNote } from "./skipped.ts";
import { decisionKey } from "./uncertain.ts";

/** How far back is looked for what a step had started; each resume is one. */
const CHAIN_LENGTH_MAX = 50;
/** How deep runs start runs. */
const TREE_DEPTH_MAX = 16;

export interface EarlierRun {
  readonly run: Run;
  readonly steps: readonly Step[];
  /** The newest run that each step had started, by the step's key; the newest first. */
  readonly children: ReadonlyMap<string, RunSummary>;
  /** In this run and in all that it had started. */
  readonly uncertain: readonly UncertainStep[];
  /** What all of them ask a person. */
  readonly questions: readonly WaitingStep[];
  /** What goes on first: a question, or the time that one of them waits for. */
  readonly waiting: WaitingStep | null;
}

export async function readEarlierRun(store: RunStore, run: Run, depth = 0): Promise<EarlierRun> {
  const steps = await store.steps(run.id);
  const children = await readChildren(store, run);
  const names = namesOf(steps);
  const own = steps.filter((step) => isUncertain(step, steps, run));
  const below = depth < TREE_DEPTH_MAX ? await readUnfinished(store, steps, children, depth) : [];
  const waits = waitingSteps(run.id, steps, names);
  // A person comes first, also one whom a run below waits for: a time comes by itself.
  const questions = [
    ...waits.filter(({ until }) => until === null),
    ...below.flatMap((one) => one.questions),
  ];
  return {
    run,
    steps,
    children,
    uncertain: [
      ...own.map(({ tool, args, key, startedAt }) => {
        return { runId: run.id, key, name: names.get(key)!, tool, args, sentAt: startedAt };
      }),
      ...below.flatMap(({ uncertain }) => uncertain),
    ],
    questions,
    waiting: questions[0] ?? waits[0] ?? below.find(({ waiting }) => waiting !== null)?.waiting ?? null,
  };
}

/** The runs below that steps had started which have not ended. */
async function readUnfinished(
  store: RunStore,
  steps: readonly Step[],
  children: ReadonlyMap<string, RunSummary>,
  depth: number,
): Promise<EarlierRun[]> {
  const ended = new Set(steps.filter(({ status }) => status === "succeeded").map(({ key }) => key));
  const below: EarlierRun[] = [];
  for (const [key, child] of children) {
    const run = child.status === "succeeded" || ended.has(key) ? undefined : await store.find(child.id);
    if (run !== undefined) below.push(await readEarlierRun(store, run, depth + 1));
  }
  return below;
}

/** One that another goes on from is that other's past: whatever was uncertain in it has been decided on. */
async function readChildren(store: RunStore, run: Run): Promise<Map<string, RunSummary>> {
  const byKey = new Map<string, RunSummary>();
  const goneOnFrom = new Set<string | null>();
  let at: Pick<Run, "id" | "resumedFromRunId"> | undefined = run;
  for (let i = 0; i < CHAIN_LENGTH_MAX && at !== undefined; i++) {
    for (const child of (await store.children(at.id)).toReversed()) {
      const { id, parentStep, resumedFromRunId } = child;
      if (parentStep !== null && !byKey.has(parentStep) && !goneOnFrom.has(id)) byKey.set(parentStep, child);
      goneOnFrom.add(resumedFromRunId);
    }
    at = at.resumedFromRunId === null ? undefined : await store.find(at.resumedFromRunId);
  }
  return byKey;
}

function waitingSteps(
  runId: string,
  steps: readonly Step[],
  names: ReadonlyMap<string, string>,
): WaitingStep[] {
  const waiting = steps.filter(({ status }) => status === "waiting");
  return waiting.map(({ key, args: { message, details, until, expires_at: expiresAt } }) => ({
    runId,
    key,
    // The question about a node is the node's.
    name: names.get(key)!.replace(/\?$/, ""),
    message: typeof message === "string" ? message : "",
    details: details ?? null,
    until: typeof until === "number" ? until : null,
    expiresAt: typeof expiresAt === "number" ? expiresAt : null,
  }));
}

function isUncertain(step: Step, steps: readonly Step[], run: Pick<Run, "error" | "kind">): boolean {
  if (step.status === "sent") return taskOfStep(step) === undefined;
  return step.status === "failed" && step.error?.["mayHaveHappened"] === true && !isPassed(step, steps, run);
}

/** Whether the run went on after this failure in a way that rests on it. */
function isPassed(step: Step, steps: readonly Step[], run: Pick<Run, "error" | "kind">): boolean {
  if (step.error?.["handled"] === true || step.error?.["reason"] === ANSWER_LIMIT) return true;
  // In a workflow only what is handled has consequences; in code whatever came after its end may be one.
  if (isNodeKey(step.key) || run.error?.["step"] === step.seq) return false;
  // A call under way counts as one that was answered: its effect may be there, and rests on the failure as well.
  const isAfter = ({ seq }: Step): boolean => seq > (step.endSeq ?? step.seq);
  return steps.some((other) => (other.status === "succeeded" || other.status === "sent") && isAfter(other));
}

/** What the next run takes over; everything uncertain has been decided on. */
export function takeOver(
  { run, steps }: EarlierRun,
  decisions: UncertainDecisions,
  /** Who has decided. */
  by: string,
): TakenSteps {
  const again = steps.filter((step) => step.status === "failed" && !isPassed(step, steps, run));
  const decided = steps.flatMap((step) => {
    const answer = isUncertain(step, steps, run) ? decisions.get(decisionKey(run.id, step.key)) : "retry";
    if (answer === undefined || answer === "retry") return [];
    if (answer === "skip") return [{ key: step.key, result: null, note: skipNote(by) }];
    return [{ key: step.key, result: answer.result }];
  });
  const going = steps.filter((step) => taskOfStep(step) !== undefined);
  return { except: again.map(({ key }) => key), going: going.map(({ key }) => key), decided };
}

/** The marks of sensitive inputs that were left out of the store. */
export function sensitiveNames(inputs: JsonObject): string[] {
  return Object.entries(inputs).flatMap(([name, value]) => (value === `[sensitive:${name}]` ? [name] : []));
}
