/** Waiting for a background run, wherever it runs: a caller knows the first run of the chain, and wants the newest. */
import { setTimeout as sleep } from "node:timers/promises";
import { succeed } from "../../core/result.ts";
import type { Run } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import { within } from "../../timing/deadline.ts";
import { storedReport } from "../journal/checkpoint.ts";
import { markIfInterrupted, readNewest } from "../resume/resume.ts";
import type { RunReport } from "../run.ts";
import type { RunLifecycleDeps } from "../run-deps.ts";

/** How often a run of another process is looked at: soon at first, as most end soon. */
const POLL_MS_MIN = 50;
const POLL_MS_MAX = 1_000;

/** The report of the newest run as soon as it has ended or waits; after so long, that it goes on. */
export async function followRun(
  deps: RunLifecycleDeps,
  run: Run,
  timeoutMs: number,
  { signal }: Pick<CallContext, "signal">,
): Promise<RunReport> {
  const until = deps.clock.elapsed() + timeoutMs;
  for (let pollMs = POLL_MS_MIN; ; pollMs = Math.min(POLL_MS_MAX, pollMs * 2)) {
    const now = await readNewest(deps, run);
    const status = movingAs(now, deps.clock.now());
    if (status === undefined) return storedReport(deps, now);
    const leftMs = until - deps.clock.elapsed();
    if (leftMs <= 0 || signal.aborted) return goingOn(now.id, status);
    await pause(deps, now.id, Math.min(pollMs, leftMs), signal);
  }
}

/** A run that goes on without its caller. */
export function goingOn(runId: string, goesOn: "queued" | "running"): RunReport {
  const result = succeed(null);
  return { runId, result, goesOn, calls: [], logs: [], warnings: [], checkpoint: null, elapsedMs: 0 };
}

/** Waits until a run that another process owns is no longer under way. */
export async function awaitChange(deps: RunLifecycleDeps, run: Run, signal: AbortSignal): Promise<void> {
  for (let pollMs = POLL_MS_MIN; !signal.aborted; pollMs = Math.min(POLL_MS_MAX, pollMs * 2)) {
    await pause(deps, run.id, pollMs, signal);
    const now = await deps.store.find(run.id);
    if (now === undefined || (await markIfInterrupted(deps, now)).status !== "running") return;
  }
}

/** Undefined for one that has ended, or that nothing moves before a person or a later time. */
function movingAs({ status, wakeAt, attemptCount }: Run, now: number): "queued" | "running" | undefined {
  if (status === "running" || status === "queued") return status;
  if (wakeAt === null) return undefined;
  // One that is being taken up has an attempt to its name.
  const isWaiting = status === "paused" && attemptCount === 0 && wakeAt > now + POLL_MS_MAX;
  return isWaiting ? undefined : "queued";
}

/** Until the run ends, if it is under way here; at most so long. */
async function pause(
  { active }: RunLifecycleDeps,
  runId: string,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const here = active.get(runId);
  if (here !== undefined) await within(Promise.allSettled([here.report]), ms);
  else await sleep(ms, undefined, { signal }).catch(() => {});
}
