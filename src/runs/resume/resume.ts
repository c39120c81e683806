/**
 * Going on with a run that stopped. The old run stays as it is; a new one is linked to it and has from the start what
 * the old one had done. Of several that want to go on at once, one does.
 *
 * A run whose owner is gone has no end on record: it is taken over first and marked as interrupted, so that its owner,
 * should it wake up, can write nothing more.
 */
import { crashPoint } from "../../process/crash-point.ts";
import type { JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Run, NewRun, RunStore, RunSummary, Step } from "../../core/store.ts";
import { INTERRUPTED_REASON, leaseOf } from "../run-end.ts";
import { labelOf } from "../workflow/labels.ts";
import { approvalRequired, nameRun } from "../workflow/pause.ts";
import type { Continued } from "../run-context.ts";
import { takeOver, type EarlierRun } from "./earlier-run.ts";
import { cancelledBy } from "../cancelled-by.ts";
import type { Liveness } from "../replicas/liveness.ts";

/** For writing the end of a run that was taken over. */
const CLAIM_MS = 10_000;

const INTERRUPTED: JsonObject = {
  code: "TOOL_EXECUTION_FAILED",
  reason: INTERRUPTED_REASON,
  message: "The process that ran it ended before the run did.",
  retryable: true,
};

export interface ResumeDeps {
  readonly store: RunStore;
  readonly liveness: Liveness;
  /** Runs of this process that have ended, and the store does not know it. */
  readonly unended: Set<string>;
  /** A run was ended in the place of its owner, which is gone. */
  readonly runInterrupted?: ((run: Run) => void) | undefined;
  readonly clock: { now(): number };
}

/** Takes over a run whose owner is gone, or that has none, to write its end. Undefined where the owner lives. */
export async function claimAbandoned(
  { store, liveness, unended }: Pick<ResumeDeps, "store" | "liveness" | "unended">,
  { id, leaseOwner }: Pick<Run, "id" | "leaseOwner">,
): Promise<Run | undefined> {
  const isUnended = leaseOwner !== null && unended.has(id);
  const grounds = isUnended ? { gone: leaseOwner } : liveness.groundsFor(leaseOwner);
  const claimed = await store.claim(id, liveness.settler, CLAIM_MS, grounds);
  if (claimed !== undefined) unended.delete(id);
  return claimed;
}

/** Takes over a run whose owner is gone, and writes that it was interrupted. False where the owner lives. */
export async function interrupt(deps: ResumeDeps, run: Pick<Run, "id" | "leaseOwner">): Promise<boolean> {
  const { store, clock } = deps;
  const claimed = await claimAbandoned(deps, run);
  if (claimed === undefined) return false;
  crashPoint("resume.claimed");
  const end = await endOfInterrupted(store, claimed);
  // A background run goes on by itself; one that asks a person waits for the answer.
  const isDue = claimed.mode === "background" && claimed.parentRunId === null && end.status === "failed";
  const isWritten = await store.finish(leaseOf(claimed), { ...end, ...(isDue && { wakeAt: clock.now() }) });
  if (isWritten) deps.runInterrupted?.(claimed);
  return isWritten;
}

/** The run as it is now. One that is on record as running, but whose owner is gone, is marked as interrupted first. */
export async function markIfInterrupted(deps: ResumeDeps, run: Run): Promise<Run> {
  if (run.status !== "running") return run;
  await interrupt(deps, run);
  return (await deps.store.find(run.id)) ?? run;
}

export function isInterrupted({ status, error }: Pick<Run, "status" | "error">): boolean {
  return status === "failed" && error?.["reason"] === INTERRUPTED_REASON;
}

/**
 * A process that died after it asked a person has left a run that waits. A call without an answer comes first, and a wish
 * to cancel before everything: its owner would have followed it.
 */
async function endOfInterrupted(
  store: RunStore,
  { id: runId, cancelBy }: Run,
): Promise<Pick<Run, "status" | "error">> {
  if (cancelBy !== null) {
    const cancelled = nameRun(cancelledBy(cancelBy), runId);
    return { status: "cancelled", error: cancelled as unknown as JsonObject };
  }
  const steps = await store.steps(runId);
  const question = steps.find(({ status, args }) => status === "waiting" && isAsked(args));
  const isUnknown = steps.some(({ status }) => status === "sent");
  if (question === undefined || isUnknown) return { status: "failed", error: INTERRUPTED };
  const name = labelOf(question.key).replace(/\?$/, "");
  const message = typeof question.args["message"] === "string" ? question.args["message"] : "";
  const { error } = approvalRequired(name, message, true);
  return { status: "paused", error: nameRun(error, runId) as unknown as JsonObject };
}

function isAsked({ message, until }: JsonObject): boolean {
  return typeof message === "string" && until === undefined;
}

interface GoingOn extends Pick<Continued, "decisions" | "isCorrected"> {
  /** Who decided. */
  readonly by: string;
  readonly leaseMs: number;
}

/** Puts the run on record that goes on from a stopped one. */
export async function goOn(
  { store, liveness }: ResumeDeps,
  earlier: EarlierRun,
  newRun: NewRun,
  { decisions, by, leaseMs, isCorrected }: GoingOn,
): Promise<ToolResult<Continued>> {
  const taken = takeOver(earlier, decisions, by);
  const { run: old, children, steps } = earlier;
  await liveness.begin();
  const outcome = await store.resume(old.id, newRun, taken, liveness.owner, leaseMs);
  if (outcome.kind === "superseded") return superseded(old.id, await newest(store, outcome.byRunId));
  crashPoint("resume.started");
  const { run } = outcome;
  return succeed({
    run,
    steps: await store.steps(run.id),
    children,
    waits: waitsOf(steps),
    decisions,
    isCorrected,
    begun: isCorrected ? await findBegun(store, earlier) : [],
    usedBelow: await findUsedBelow(store, [...children.values()]),
  });
}

/** More runs than one run starts; beyond, what they used is not looked at. */
const BELOW_COUNT_MAX = 2_000;

/** What the runs that a run had started have used, with all that those had started. */
async function findUsedBelow(store: RunStore, started: readonly RunSummary[]): Promise<string[]> {
  const used = new Set<string>();
  const runs = [...started];
  for (let at = 0; at < runs.length && at < BELOW_COUNT_MAX; at++) {
    const { id } = runs[at]!;
    for (const { tool, status } of await store.steps(id)) if (status === "succeeded") used.add(tool);
    runs.push(...(await store.children(id)));
  }
  return [...used];
}

/** Steps that did not end, and whose runs had effects all the same. */
async function findBegun(store: RunStore, { steps, children }: EarlierRun): Promise<Step[]> {
  const ended = new Set(steps.filter(({ status }) => status === "succeeded").map(({ key }) => key));
  const begun: Step[] = [];
  for (const [key, child] of children) {
    if (ended.has(key)) continue;
    const below = await store.steps(child.id);
    const last = below.findLast(({ status }) => status === "succeeded");
    if (last !== undefined) begun.push({ ...last, key });
  }
  return begun;
}

function waitsOf(steps: EarlierRun["steps"]): ReadonlyMap<string, number> {
  const waiting = steps.filter(
    ({ status, args }) => status === "waiting" && typeof args["until"] === "number",
  );
  return new Map(waiting.map(({ key, args }) => [key, args["until"] as number]));
}

export async function newest(store: RunStore, id: string): Promise<string> {
  let at = id;
  for (let next = await store.successor(at); next !== undefined; next = await store.successor(at))
    at = next.id;
  return at;
}

/**
 * The newest run of a chain as it is now. One that another process goes on with leaves the queue in the moment in which it
 * gets its successor: read between the two looks, it would seem to have ended.
 */
export async function readNewest(deps: ResumeDeps, named: Run): Promise<Run> {
  for (;;) {
    const found = await deps.store.find(await newest(deps.store, named.id));
    const run = await markIfInterrupted(deps, found ?? named);
    const isUnderWay = run.status === "running" || run.status === "queued";
    if (isUnderWay || (await deps.store.successor(run.id)) === undefined) return run;
  }
}

export function superseded(runId: string, by: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `superseded: ${runId} was resumed already; the newest run is ${by}.`, {
    reason: "superseded",
    field: "resume",
    nearest: [by],
    hint: `Look at repertoire://runs/${by}, or resume that one.`,
  });
}
