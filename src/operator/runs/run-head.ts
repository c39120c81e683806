/** One run: what it was given and gave, its console, where it stopped, and the attempts before and after it. */
import {
  checkpointJson,
  checkpointOf,
  questionIdOf,
  readEarlierRun,
  resultUriOf,
  type App,
} from "../../app/app.ts";
import { displayNameOf } from "../../core/names.ts";
import type { Run, RunSummary } from "../../core/store.ts";
import { VERSION } from "../../core/version.ts";
import type { Redactor } from "../../text/redaction.ts";
import type { AnswerOf } from "../contract/contract.ts";
import type { OperatorDeps } from "../operator.ts";
import { redactorOf } from "./run-redactor.ts";
import { sourceOf } from "./run-source.ts";
import { boundedValue } from "./run-value.ts";
import { viewRun } from "./run-view.ts";

type Head = AnswerOf<"getRun">;

/** Of the runs that it started; the trace has more. */
const STARTED_MAX = 200;
/** How far the chain of attempts is followed, each way. */
const ATTEMPTS_MAX = 50;

/** `isOutcome`: nothing of what it did is shown. */
export async function readHead(deps: OperatorDeps, run: Run, isOutcome: boolean): Promise<Head> {
  const { app } = deps;
  const redactor = await redactorOf(app, run);
  return {
    ...(await viewRun(deps, run)),
    inputs: boundedValue(run.inputs, `${resultUriOf(run.id)}#inputs`, redactor),
    ...(run.status === "succeeded" && { outputs: boundedValue(run.result, resultUriOf(run.id), redactor) }),
    ...(await readCapability(app, run)),
    ...(run.parentRunId !== null && { parent: run.parentRunId }),
    attempts: await readAttempts(app, run),
    ...(isOutcome ? NOTHING_INSIDE : await readInside(deps, run, redactor)),
    ...(await readCost(app, run)),
    version: VERSION,
  };
}

const NOTHING_INSIDE = { source: null, language: "text" as const, started: [], logs: [], questions: [] };

type Inside = Pick<Head, "source" | "language" | "started" | "logs" | "checkpoint" | "questions">;

async function readInside(deps: OperatorDeps, run: Run, redactor: Redactor): Promise<Inside> {
  const { app } = deps;
  const source = await sourceOf(app, run);
  const children = (await app.store.runs.children(run.id)).slice(0, STARTED_MAX);
  const started = [];
  for (const child of children) started.push(await viewRun(deps, child));
  return {
    source: source === undefined ? null : redactor.text(source.text),
    language: LANGUAGES[source?.kind ?? "call"],
    started,
    logs: redactor.value(run.logs.map(viewLine)) as Head["logs"],
    ...(await readStop(app, run, redactor)),
  };
}

const LANGUAGES = { code: "typescript", workflow: "json", call: "text" } as const;

/** As the answer of `execute` has it. */
function viewLine({ level, message, truncatedFrom }: Run["logs"][number]) {
  return { level, message, ...(truncatedFrom !== undefined && { truncated_from: truncatedFrom }) };
}

/** Where it stopped, and what it asks. */
async function readStop(
  { store, traces }: App,
  run: Run,
  redactor: Redactor,
): Promise<Pick<Head, "checkpoint" | "questions">> {
  const status = traces.statusOf(run);
  if (status === "succeeded" || status === "running") return { questions: [] };
  const earlier = await readEarlierRun(store.runs, run);
  const successor = await store.runs.successor(run.id);
  const asked = run.status === "paused" && successor === undefined ? earlier.questions : [];
  const questions = asked.map((question) => ({
    question: questionIdOf(question),
    name: question.name,
    message: question.message,
    details: question.details,
    ...(question.expiresAt !== null && { expires: new Date(question.expiresAt).toISOString() }),
  }));
  const checkpoint = checkpointJson(checkpointOf(earlier, successor?.id));
  return redactor.value({ checkpoint, questions }) as Pick<Head, "checkpoint" | "questions">;
}

async function readCapability({ store }: App, run: Run): Promise<Pick<Head, "capability">> {
  if (run.capabilityId === null) return {};
  const capability = await store.capabilities.get(run.capabilityId);
  if (capability === undefined) return {};
  return { capability: { name: displayNameOf(capability), version: run.capabilityVersion ?? 1 } };
}

/** This run, and those before and after it, oldest first. */
async function readAttempts({ store: { runs }, traces }: App, run: Run): Promise<Head["attempts"]> {
  const attempts: RunSummary[] = [run];
  for (let from = run.resumedFromRunId; from !== null && attempts.length < ATTEMPTS_MAX;) {
    const before = await runs.find(from);
    if (before !== undefined) attempts.unshift(before);
    from = before?.resumedFromRunId ?? null;
  }
  const length = attempts.length + ATTEMPTS_MAX;
  for (let next = await runs.successor(run.id); next !== undefined && attempts.length < length;) {
    attempts.push(next);
    next = await runs.successor(next.id);
  }
  return attempts.map((one) => ({
    run_id: one.id,
    status: traces.statusOf(one),
    started_at: new Date(one.startedAt).toISOString(),
  }));
}

/** Of the calls that it made itself, by the call log. */
async function readCost({ store }: App, { id }: Run): Promise<Pick<Head, "call_count" | "cost">> {
  const { count, totalMs, bytes } = await store.calls.summary({ since: 0, runId: id });
  return { call_count: count, cost: { calls_ms: totalMs, bytes } };
}
