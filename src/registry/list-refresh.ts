/**
 * Asks one source what it offers: one refresh at a time, however many wait for it.
 *
 * A refresh has its own signal: it goes on when those who wait for it give up. A failure is remembered, and the source
 * is left alone for a pause that grows with every failure in a row. A refresh that takes too long is given up, so that
 * the next can start. While the server is still starting, which has its own limit, it is not given up.
 */
import type { Clock } from "../core/clock.ts";
import type { ToolError } from "../core/errors.ts";
import { attempt, fail, type ToolResult } from "../core/result.ts";
import { WHOLE_START_MS } from "../process/starting.ts";
import type { Offer, ToolSource } from "../core/tool.ts";
import type { After } from "../timing/after.ts";
import { fullJitterMs, type Backoff } from "../timing/backoff.ts";
import { within } from "../timing/deadline.ts";

/** As long as a call may take. */
const LIST_MS_MAX = 60_000;

interface Failure {
  readonly error: ToolError;
  readonly count: number;
  /** On the monotonic clock: not before this is the server asked again. */
  readonly retryAt: number;
}

/** A refresh that has not ended yet. `settled` never rejects. */
export interface RunningRefresh {
  readonly startedAt: number;
  readonly settled: Promise<ToolResult<Offer>>;
}

export interface ListRefresh {
  readonly running: RunningRefresh | undefined;
  readonly failure: Failure | undefined;
  isBackingOff(): boolean;
  /** Starts a refresh, or joins the one that is running. */
  start(traceId: string): RunningRefresh;
  /** Gives up the running refresh and reports nothing more. */
  cancel(): void;
}

export interface ListRefreshDeps {
  readonly source: ToolSource;
  readonly clock: Clock;
  readonly after: After;
  readonly backoff: Backoff;
  readonly random: () => number;
  /** Called, and awaited, before those who wait for the refresh go on. */
  readonly onSettled: (result: ToolResult<Offer>, traceId: string) => void | Promise<void>;
}

export function createListRefresh(deps: ListRefreshDeps): ListRefresh {
  const { source, clock, after } = deps;
  const cancelled = new AbortController();
  let running: RunningRefresh | undefined;
  let failure: Failure | undefined;

  async function settle(traceId: string): Promise<ToolResult<Offer>> {
    const result = await listWithin(source, traceId, cancelled.signal, after);
    if (cancelled.signal.aborted) {
      running = undefined;
      return result;
    }
    const taken = await attempt(async () => {
      failure = result.success ? undefined : createFailure(result.error, failure, deps);
      await deps.onSettled(result, traceId);
      return result;
    });
    running = undefined;
    if (taken !== result && !taken.success) failure = createFailure(taken.error, failure, deps);
    return taken;
  }

  return {
    get running() {
      return running;
    },
    get failure() {
      return failure;
    },
    isBackingOff: () => failure !== undefined && clock.elapsed() < failure.retryAt,
    start(traceId) {
      if (running !== undefined) return running;
      // Set before the source is asked: one that asks back finds the refresh running.
      const { promise, resolve } = Promise.withResolvers<ToolResult<Offer>>();
      const started: RunningRefresh = { startedAt: clock.elapsed(), settled: promise };
      running = started;
      void settle(traceId).then(resolve);
      return started;
    },
    cancel: () => cancelled.abort(),
  };
}

async function listWithin(
  source: ToolSource,
  traceId: string,
  cancelled: AbortSignal,
  after: After,
): Promise<ToolResult<Offer>> {
  const overdue = new AbortController();
  const signal = AbortSignal.any([cancelled, overdue.signal]);
  const answers: ToolResult<Offer>[] = [];
  const context = { traceId, signal, startWaitMs: WHOLE_START_MS };
  const listing = attempt(() => source.list(context)).then((listed) => answers.push(listed));
  do await within(listing, LIST_MS_MAX, { signal: cancelled, after });
  while (answers.length === 0 && !cancelled.aborted && source.starting?.() !== undefined);
  const [result] = answers;
  if (result !== undefined) return result;
  overdue.abort();
  return fail("TOOL_TIMEOUT", `${source.id} did not list its tools within ${LIST_MS_MAX / 1000} s.`);
}

function createFailure(error: ToolError, last: Failure | undefined, deps: ListRefreshDeps): Failure {
  const count = (last?.count ?? 0) + 1;
  const backoff = { ...deps.backoff, minMs: deps.backoff.firstMs / 2 };
  const delayMs = fullJitterMs(backoff, count, deps.random());
  return { error, count, retryAt: deps.clock.elapsed() + delayMs };
}
