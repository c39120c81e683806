/** What became of a run, wherever it runs: the newest of its chain as it is now. Nobody is waited for. */
import type { Scope } from "../../core/names.ts";
import type { Run, RunStore } from "../../core/store.ts";
import { storedReport } from "../journal/checkpoint.ts";
import { questionIdOf, type OpenQuestion } from "../resume/decide.ts";
import { readEarlierRun } from "../resume/earlier-run.ts";
import { isInterrupted, readNewest } from "../resume/resume.ts";
import type { RunReport } from "../run.ts";
import type { RunLifecycleDeps } from "../run-deps.ts";

/** Further back a chain is not followed: each resume is one run. */
const CHAIN_LENGTH_MAX = 50;

/** A chain of runs, as somebody sees it who knows the id of one of them. */
export interface RunLook {
  /** The newest. */
  readonly run: Run;
  /** When the first of them began. */
  readonly startedAt: number;
  readonly state: RunState;
}

/**
 * `moving`: it goes on by itself, at once or at a time. `asked`: a person decides, by the questions. `unsure`: a background
 * run of which a call has no answer on record; a person decides. `ended`: with a report, whatever came of it.
 */
export type RunState =
  | { readonly kind: "moving"; readonly until?: number }
  | { readonly kind: "asked"; readonly questions: readonly OpenQuestion[] }
  | { readonly kind: "unsure"; readonly tool: string }
  | { readonly kind: "ended"; readonly report: RunReport };

/** Undefined where there is no such run in this scope, or another run started it. */
export async function lookAtRun(
  deps: RunLifecycleDeps & { readonly scope: () => Scope },
  runId: string,
): Promise<RunLook | undefined> {
  const { store, scope } = deps;
  const named = await store.find(runId);
  const { org, project } = scope();
  if (named === undefined || named.scope.org !== org || named.scope.project !== project) return undefined;
  if (named.parentRunId !== null) return undefined;
  const run = await readNewest(deps, named);
  return { run, startedAt: await firstStart(store, named), state: await stateOf(deps, run) };
}

async function firstStart(store: RunStore, named: Run): Promise<number> {
  let at = named;
  for (let i = 0; i < CHAIN_LENGTH_MAX && at.resumedFromRunId !== null; i++) {
    const before = await store.find(at.resumedFromRunId);
    if (before === undefined) break;
    at = before;
  }
  return at.startedAt;
}

async function stateOf(deps: RunLifecycleDeps, run: Run): Promise<RunState> {
  const { status, wakeAt, mode } = run;
  if (status === "queued" || status === "running") return { kind: "moving" };
  if (status === "failed" && wakeAt !== null) return { kind: "moving" };
  if (status === "paused") return pausedState(deps, run);
  const isSetAside = mode === "background" && isInterrupted(run);
  const [unsure] = isSetAside ? (await readEarlierRun(deps.store, run)).uncertain : [];
  if (unsure !== undefined) return { kind: "unsure", tool: unsure.tool };
  return { kind: "ended", report: await storedReport(deps, run) };
}

/** Answered, it is about to go on; without a question, it waits for a time. */
async function pausedState({ store }: RunLifecycleDeps, run: Run): Promise<RunState> {
  const { questions, waiting } = await readEarlierRun(store, run);
  if (questions.length === 0)
    return { kind: "moving", ...(waiting?.until != null && { until: waiting.until }) };
  const open = (one: (typeof questions)[number]): OpenQuestion => {
    return { runId: run.id, questionId: questionIdOf(one), waiting: one, openCount: questions.length };
  };
  return { kind: "asked", questions: questions.map(open) };
}
