/**
 * Cancelling a run. A run of this process is stopped here. A run of another process is asked through the store, and its
 * owner looks there every second while it runs. A run that waits, or whose process is gone, is ended at once. A run that
 * was cancelled can be resumed like any other that stopped.
 */
import type { JsonObject } from "../core/json.ts";
import type { Scope } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Run, RunStore } from "../core/store.ts";
import { within } from "../timing/deadline.ts";
import { cancelledBy } from "./cancelled-by.ts";
import { LOCAL_POLL, REMOTE_POLL, waitForEnd } from "./journal/checkpoint.ts";
import { claimAbandoned, readNewest, type ResumeDeps } from "./resume/resume.ts";
import { leaseOf } from "./run-end.ts";
import type { ActiveRun } from "./run-deps.ts";
import { nameRun } from "./workflow/pause.ts";

export interface CancelDeps extends ResumeDeps {
  readonly scope: () => Scope;
  readonly active: ReadonlyMap<string, ActiveRun>;
}

/** `requested`: its process was asked, and has not ended it yet. */
export interface Cancelled {
  readonly runId: string;
  readonly status: "cancelled" | "requested";
}

/** Longer than an owner takes to see the request, and short enough for a person who waits. */
const END_WAIT_MS = 2_500;
/** How deep runs start runs. */
const TREE_DEPTH_MAX = 16;

export async function cancelRun(deps: CancelDeps, asked: string, by: string): Promise<ToolResult<Cancelled>> {
  const named = await deps.store.find(asked);
  const { org, project } = deps.scope();
  if (named === undefined || named.scope.org !== org || named.scope.project !== project) return noRun(asked);
  if (named.parentRunId !== null) return partOfAnother(named);
  // A caller knows the first run of a background chain.
  const run = named.mode === "background" ? await readNewest(deps, named) : named;
  const runId = run.id;
  if (await endIfIdle(deps, run, by)) return succeed({ runId, status: "cancelled" });
  if (await endIfDue(deps, run, by)) return succeed({ runId, status: "cancelled" });
  if (!(await deps.store.requestCancel(runId, by))) {
    // Another process may have gone on with it meanwhile.
    const next = run.mode === "background" ? await deps.store.successor(runId) : undefined;
    return next === undefined ? hasEnded(deps.store, runId) : cancelRun(deps, next.id, by);
  }
  const here = deps.active.get(runId);
  here?.cancel(by);
  await (here === undefined ? ended(deps, runId) : within(settled(here), END_WAIT_MS));
  const now = await deps.store.find(runId);
  if (now === undefined || now.status === "running") return succeed({ runId, status: "requested" });
  // It came to a question at the same moment.
  if (now.status === "paused") await endIfIdle(deps, now, by);
  return (await deps.store.find(runId))?.status === "cancelled"
    ? succeed({ runId, status: "cancelled" })
    : hasEnded(deps.store, runId);
}

/** Ends a run that was interrupted and that the queue would take up again. */
async function endIfDue({ store }: CancelDeps, { id, status, wakeAt }: Run, by: string): Promise<boolean> {
  if (status !== "failed" || wakeAt === null) return false;
  const error = nameRun(cancelledBy(by), id) as unknown as JsonObject;
  return store.dequeue(id, { end: { status: "cancelled", error } });
}

/** Ends a run that waits or whose process is gone, and those below it; false where it goes on, or has ended. */
async function endIfIdle(deps: CancelDeps, run: Run, by: string, depth = 0): Promise<boolean> {
  const { store } = deps;
  const claimed = await claimAbandoned(deps, run);
  if (claimed === undefined) return false;
  const error = nameRun(cancelledBy(by), run.id) as unknown as JsonObject;
  await store.finish(leaseOf(claimed), { status: "cancelled", error });
  if (depth >= TREE_DEPTH_MAX) return true;
  for (const { id, finishedAt } of await store.children(run.id)) {
    const child = finishedAt === null ? await store.find(id) : undefined;
    if (child !== undefined) await endIfIdle(deps, child, by, depth + 1);
  }
  return true;
}

/** What became of it is read from the store. */
async function settled({ report }: ActiveRun): Promise<void> {
  await Promise.allSettled([report]);
}

async function ended({ store, liveness }: CancelDeps, runId: string): Promise<void> {
  const signal = AbortSignal.timeout(END_WAIT_MS);
  await waitForEnd(() => store.find(runId), { signal }, liveness.isShared ? REMOTE_POLL : LOCAL_POLL);
}

function noRun(runId: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `There is no run ${JSON.stringify(runId)}.`, {
    field: "run",
    hint: "repertoire runs lists the runs.",
  });
}

function partOfAnother({ id, parentRunId }: Run): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `${id} is part of another run: cancel ${parentRunId}.`, {
    field: "run",
    nearest: [parentRunId!],
  });
}

async function hasEnded(store: RunStore, runId: string): Promise<ToolResult<never>> {
  const status = (await store.find(runId))?.status ?? "gone";
  return fail(
    "TOOL_INVALID_INPUT",
    `The run ${runId} has ended: it is ${status}. There is nothing to cancel.`,
    {
      field: "run",
      reason: "already_ended",
      runId,
    },
  );
}
