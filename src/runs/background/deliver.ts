/**
 * What a process does with a run that the queue brings. The newest run of the chain says what is next: one that another
 * process owns is left to it, one that is queued begins, one that stopped goes on as a new run that is linked to it.
 * Nothing here knows whether a delivery is the first: a run that was delivered twice is run once, by its lease.
 *
 * A call whose outcome is not known is never made again by itself: such a run leaves the queue and waits in the inbox.
 */
import { randomUUID } from "node:crypto";
import { ATTEMPTS_MAX, type Delivery } from "../../core/run-queue.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ToolError } from "../../core/errors.ts";
import { fail } from "../../core/result.ts";
import type { Run } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import { doneSteps } from "../prepare/prepare.ts";
import { readEarlierRun, type EarlierRun } from "../resume/earlier-run.ts";
import { markIfInterrupted, newest } from "../resume/resume.ts";
import { continueFrom, requestOf, type ResumeRunDeps } from "../resume/resume-run.ts";
import { LEASE_SLACK_MS, type Continued } from "../run-context.ts";
import type { RunRequest } from "../run.ts";
import { awaitChange } from "./follow.ts";
import type { FindStarter } from "./starter.ts";

export interface DeliverDeps extends ResumeRunDeps {
  readonly findStarter: FindStarter;
}

/** For reading, preparing and starting it; a process that dies meanwhile keeps others from it for so long. */
const TAKE_MS = 30_000;
/** After the first attempt that could not begin; it doubles. A server that is being restarted is back before the last. */
const AGAIN_MS = 5_000;

export async function deliverRun(deps: DeliverDeps, runId: string, delivery: Delivery): Promise<void> {
  const { store, clock } = deps;
  for (;;) {
    const found = await store.find(await newest(store, runId));
    if (found === undefined || found.mode !== "background") return;
    const run = await markIfInterrupted(deps, found);
    if (run.status === "running") {
      // Where the rows are the queue, it comes again by itself.
      if (delivery.dueAt !== undefined || delivery.signal.aborted) return;
      await awaitChange(deps, run, delivery.signal);
      continue;
    }
    if (run.wakeAt === null) return;
    const dueAt = delivery.dueAt === undefined ? {} : { dueAt: clock.now() };
    const taken = await store.take(run.id, { until: clock.now() + TAKE_MS, ...dueAt });
    if (taken !== undefined) await takeUp(deps, taken, delivery);
    return;
  }
}

async function takeUp(deps: DeliverDeps, run: Run, { attempt, signal }: Delivery): Promise<void> {
  const { store, clock, log } = deps;
  if (run.attemptCount > ATTEMPTS_MAX || attempt > ATTEMPTS_MAX) {
    log.error("run.given_up", { runId: run.id, attemptCount: ATTEMPTS_MAX });
    return giveUp(deps, run, exhausted(run));
  }
  const earlier = await readEarlierRun(store, run);
  if (earlier.uncertain.length > 0) return leave(deps, run);
  const wait = waitOf(earlier, clock.now());
  if (wait === "person") return leave(deps, run);
  if (wait !== undefined) return putBack(deps, run, wait, 0);
  const starter = await deps.findStarter(run);
  if (!starter.success) return giveUp(deps, run, starter.error, 0);
  const { release, ...who } = starter.data;
  try {
    await goOnAs(deps, earlier, contextFor(run, who), signal);
  } finally {
    release?.();
  }
}

async function goOnAs(
  deps: DeliverDeps,
  earlier: EarlierRun,
  context: CallContext,
  signal: AbortSignal,
): Promise<void> {
  const { run } = earlier;
  const wanted = await requestOf(deps, run, requestFor(run));
  if (!wanted.success) return giveUp(deps, run, wanted.error, 0);
  const ready = await deps.ready(wanted.data, context, doneSteps(earlier.steps));
  if (signal.aborted) return putBack(deps, run, deps.clock.now(), run.attemptCount - 1);
  if (!ready.success) return tryAgain(deps, run, ready.error);
  const continued = await goOnFrom(deps, earlier, ready.data.request, context);
  if (continued !== undefined) await deps.run(ready.data, context, continued);
}

function requestFor({ id, timeoutMs }: Run) {
  return { runId: id, background: true, ...(timeoutMs !== null && { timeoutMs }) };
}

/** Undefined where another process was faster. */
async function goOnFrom(
  deps: DeliverDeps,
  earlier: EarlierRun,
  request: RunRequest,
  context: CallContext,
): Promise<Continued | undefined> {
  const { run } = earlier;
  if (run.status === "queued") {
    const leaseMs = (request.timeoutMs ?? deps.limits().timeoutMs) + LEASE_SLACK_MS;
    await deps.liveness.begin();
    const claimed = await deps.store.claim(run.id, deps.liveness.owner, leaseMs);
    return claimed && begunNow(claimed);
  }
  const going = { decisions: new Map(), isCorrected: false, attemptCount: run.attemptCount };
  const continued = await continueFrom(deps, earlier, request, context, going);
  return continued.success ? continued.data : undefined;
}

function begunNow(run: Run): Continued {
  return {
    run,
    steps: [],
    children: new Map(),
    waits: new Map(),
    decisions: new Map(),
    isCorrected: false,
    usedBelow: [],
    begun: [],
  };
}

/** As the one who started it, with nobody to ask. A token that is revoked ends the run. */
function contextFor({ session, client }: Run, starter: Pick<CallContext, "principal" | "view">): CallContext {
  return {
    traceId: randomUUID(),
    signal: starter.principal?.revoked ?? new AbortController().signal,
    ...starter,
    ...(session !== null && { session }),
    ...(client !== null && { clientName: client }),
  };
}

/** What a paused run still waits for: a person, or a time that has not come. */
function waitOf({ run, waiting }: EarlierRun, now: number): "person" | number | undefined {
  if (run.status !== "paused" || waiting === null) return undefined;
  if (waiting.until !== null) return waiting.until > now ? waiting.until : undefined;
  // The question of a rule that has expired is asked again.
  return waiting.expiresAt !== null && waiting.expiresAt <= now ? undefined : "person";
}

/** It stays as it is, and somebody decides on it. An answer that came since it was taken has made it due again. */
async function leave({ store }: DeliverDeps, { id, wakeAt }: Run): Promise<void> {
  await store.dequeue(id, { attemptCount: 0, ...(wakeAt !== null && { takenUntil: wakeAt }) });
}

async function putBack({ store }: DeliverDeps, { id }: Run, at: number, attemptCount: number): Promise<void> {
  await store.requeue(id, at, { attemptCount });
}

/** It was checked before it was queued, so what is missing now may come back: a server, a tool, a place. */
async function tryAgain(deps: DeliverDeps, run: Run, error: ToolError): Promise<void> {
  deps.log.warn("run.not_begun", { runId: run.id, attempt: run.attemptCount, error: error.message });
  if (run.attemptCount >= ATTEMPTS_MAX) return giveUp(deps, run, exhausted(run, error));
  await putBack(deps, run, deps.clock.now() + AGAIN_MS * 2 ** (run.attemptCount - 1), run.attemptCount);
}

async function giveUp(
  { store, redactors }: DeliverDeps,
  { id, inputs }: Run,
  error: ToolError,
  attemptCount = ATTEMPTS_MAX + 1,
): Promise<void> {
  const told = redactors.knowing(inputs).value({ ...error }) as JsonObject;
  await store.dequeue(id, { end: { status: "failed", error: told }, attemptCount });
}

function exhausted({ id }: Run, last?: ToolError): ToolError {
  const why =
    last === undefined
      ? "its process ended each time before the run did"
      : `it could not begin: ${last.message}`;
  return fail(
    "TOOL_EXECUTION_FAILED",
    `attempts_exhausted: ${ATTEMPTS_MAX} attempts came to no end; ${why}.`,
    {
      reason: "attempts_exhausted",
      hint: `repertoire inbox lists it. Try again with: repertoire retry ${id}. Leave it for good with: repertoire dismiss ${id}.`,
    },
  ).error;
}
