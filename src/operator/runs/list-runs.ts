/** Runs, newest first, and how many began when. */
import { succeed, type ToolResult } from "../../core/result.ts";
import type { ListedRun, RunStatus } from "../../core/store.ts";
import type { AnswerOf } from "../contract/contract.ts";
import type { OperatorDeps, Viewer } from "../operator.ts";
import { mayList, sightOf } from "./run-access.ts";
import { readFilter, type AskedRuns, type WantedRuns } from "./run-filter.ts";
import { viewRun } from "./run-view.ts";

interface Page {
  readonly limit: number;
  readonly before?: string | undefined;
}

/** How many are read at a time where only some of them are shown. */
const READ_LENGTH = 200;
/** A page that would need more is shorter, and its `next` goes on from there. */
const READ_COUNT_MAX = 25;

export async function listRuns(
  deps: OperatorDeps,
  viewer: Viewer,
  asked: AskedRuns,
  page: Page,
): Promise<ToolResult<AnswerOf<"listRuns">>> {
  const wanted = readFilter(deps.app, asked, viewer);
  if (!wanted.success) return wanted;
  const { runs, next } = await findRuns(deps, viewer, wanted.data, page);
  const views = [];
  for (const run of runs) views.push(await viewRun(deps, run));
  return succeed({ runs: views, ...(next !== undefined && { next }) });
}

interface FoundRuns {
  readonly runs: readonly ListedRun[];
  readonly next?: string;
}

async function findRuns(
  deps: OperatorDeps,
  viewer: Viewer,
  { filter, isWanted }: WantedRuns,
  { limit, before }: Page,
): Promise<FoundRuns> {
  const runs: ListedRun[] = [];
  let beforeId = before;
  for (let read = 0; mayList(viewer) && read < READ_COUNT_MAX; read++) {
    const length = Math.min(READ_LENGTH, limit - runs.length + 1);
    const some = await deps.app.store.runs.list(deps.config.current().scope, {
      ...filter,
      limit: length,
      ...(beforeId !== undefined && { beforeId }),
    });
    for (const run of some) {
      if (!isWanted(run) || (await sightOf(deps, viewer, run)) === "none") continue;
      if (runs.length === limit) return { runs, next: runs.at(-1)!.id };
      runs.push(run);
    }
    if (some.length < length) return { runs };
    beforeId = some.at(-1)!.id;
  }
  return beforeId === undefined ? { runs } : { runs, next: beforeId };
}

type Histogram = AnswerOf<"countRuns">;
type Bar = Exclude<keyof Histogram["buckets"][number], "at">;

const DAY_MS = 24 * 60 * 60_000;

export async function countRuns(
  deps: OperatorDeps,
  viewer: Viewer,
  asked: AskedRuns,
  bucketCount: number,
): Promise<ToolResult<Histogram>> {
  const wanted = readFilter(deps.app, asked, viewer);
  if (!wanted.success) return wanted;
  const { since, until = Date.now(), ...rest } = wanted.data.filter;
  const begin = since ?? until - DAY_MS;
  const bucketMs = Math.max(1, Math.ceil((until - begin) / bucketCount));
  // Bars begin at round times, so that they stay the same while nothing happens.
  const from = Math.floor(begin / bucketMs) * bucketMs;
  const filter = { ...rest, since: from, until };
  const counts = await countIn(deps, viewer, { ...wanted.data, filter }, { bucketMs, from });
  const length = Math.max(1, Math.ceil((until - from) / bucketMs));
  const buckets = Array.from({ length }, (_, at) => ({
    at: new Date(from + at * bucketMs).toISOString(),
    succeeded: 0,
    failed: 0,
    waiting: 0,
    running: 0,
  }));
  for (const { bucket, count, ...run } of counts) {
    const bar = buckets[Math.min(bucket, length - 1)];
    if (bar !== undefined && wanted.data.isWanted(run)) bar[BARS[deps.app.traces.statusOf(run)]] += count;
  }
  return succeed({ from: new Date(from).toISOString(), bucket_ms: bucketMs, buckets });
}

const BARS: Readonly<Record<RunStatus | "interrupted", Bar>> = {
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "failed",
  interrupted: "failed",
  queued: "waiting",
  paused: "waiting",
  running: "running",
};

/** More runs of one token than a picture of a day needs. */
const COUNTED_MAX = 1_000;

/** In a profile each run is looked at: whether it is shown depends on what it used. */
async function countIn(
  deps: OperatorDeps,
  viewer: Viewer,
  wanted: WantedRuns,
  { bucketMs, from }: { readonly bucketMs: number; readonly from: number },
) {
  const { scope } = deps.config.current();
  if (viewer.view === undefined) return deps.app.store.runs.count(scope, wanted.filter, bucketMs, from);
  const { runs } = await findRuns(deps, viewer, wanted, { limit: COUNTED_MAX });
  return runs.map(({ startedAt, status, leaseOwner }) => {
    return { bucket: Math.floor((startedAt - from) / bucketMs), status, leaseOwner, count: 1 };
  });
}
