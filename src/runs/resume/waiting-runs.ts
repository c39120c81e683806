/** The runs that wait for a person: for an answer, or for a word on a call whose outcome is not known. */
import type { RunSummary } from "../../core/store.ts";
import { createLru } from "../../timing/lru.ts";
import type { UncertainStep, WaitingStep } from "../run.ts";
import { questionIdOf, type DecideDeps } from "./decide.ts";
import { readEarlierRun } from "./earlier-run.ts";
import { markIfInterrupted } from "./resume.ts";

/** A question that can be answered, with its id. */
export interface AskedQuestion extends Omit<WaitingStep, "runId" | "until"> {
  readonly questionId: string;
}

export interface WaitingRun {
  readonly runId: string;
  readonly intent: string | null;
  readonly principal: string | null;
  readonly startedAt: number;
  readonly questions: readonly AskedQuestion[];
  readonly uncertain: readonly UncertainStep[];
  /** Everything that it asked is answered: it goes on as soon as it is resumed. */
  readonly isAnswered: boolean;
}

/** Runs that have ended and wait for nothing; they are asked about again and again while somebody looks. */
const SETTLED_COUNT_MAX = 5_000;

/** Newest first, of the newest `limit` runs that have not succeeded and were not resumed. */
export function createWaitingRuns(deps: DecideDeps): (limit: number) => Promise<WaitingRun[]> {
  const settled = createLru<true>({ countMax: SETTLED_COUNT_MAX, sizeMax: SETTLED_COUNT_MAX });
  return async (limit) => {
    const waiting: WaitingRun[] = [];
    for (const summary of await deps.store.listUnfinished(deps.scope(), limit)) {
      if (!mayWait(deps, summary) || settled.get(summary.id) === true) continue;
      const run = await readWaiting(deps, summary);
      if (run !== undefined) waiting.push(run);
      // What has an end on record does not change any more.
      else if (summary.finishedAt !== null) settled.set(summary.id, true, 1);
    }
    return waiting;
  };
}

/** A run that failed waits for nobody, unless the outcome of a call is not known. */
function mayWait({ liveness }: DecideDeps, { status, leaseOwner }: RunSummary): boolean {
  return status !== "running" || (leaseOwner !== null && liveness.isGone(leaseOwner));
}

async function readWaiting(deps: DecideDeps, { id }: RunSummary): Promise<WaitingRun | undefined> {
  const found = await deps.store.find(id);
  if (found === undefined) return undefined;
  const run = await markIfInterrupted(deps, found);
  const { questions, uncertain, waiting } = await readEarlierRun(deps.store, run);
  const asked = run.status === "paused" ? questions : [];
  const isAnswered = run.status === "paused" && waiting === null;
  if (asked.length === 0 && uncertain.length === 0 && !isAnswered) return undefined;
  const { intent, principal, startedAt } = run;
  return { runId: id, intent, principal, startedAt, questions: asked.map(askedOf), uncertain, isAnswered };
}

function askedOf(waiting: WaitingStep): AskedQuestion {
  const { runId: _run, until: _until, ...question } = waiting;
  return { ...question, questionId: questionIdOf(waiting) };
}
