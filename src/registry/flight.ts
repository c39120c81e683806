/**
 * Asking one server what it offers: one flight at a time, however many wait for it.
 *
 * A flight belongs to nobody who waits: it has its own signal, and goes on when they leave. A failure is remembered,
 * and the server is left alone for a while that grows with every failure in a row. A flight that never lands is given
 * up, so that the next can start; while the server is still starting, which has a limit of its own, it is not.
 */
import type { Clock } from "../core/clock.ts";
import { messageOf, type ToolError } from "../core/errors.ts";
import { fail, type ToolResult } from "../core/result.ts";
import { WHOLE_START_MS } from "../process/starting.ts";
import type { Offer, ToolSource } from "../core/tool.ts";
import { fullJitterMs, type Backoff } from "../timing/backoff.ts";
import type { After } from "../timing/after.ts";
import { within } from "../timing/deadline.ts";

/** The limit of a call. */
const FLIGHT_MS_MAX = 60_000;

interface Failure {
  readonly error: ToolError;
  readonly count: number;
  /** On the monotonic clock: not before this is the server asked again. */
  readonly retryAt: number;
}

/** What is under way, for those who wait. `landed` never rejects. */
export interface Flight {
  readonly startedAt: number;
  readonly landed: Promise<ToolResult<Offer>>;
}

export interface FlightDeck {
  readonly flight: Flight | undefined;
  readonly failure: Failure | undefined;
  isBackingOff(): boolean;
  /** Starts a flight, or joins the one that is under way. */
  fly(traceId: string): Flight;
  /** Gives up what is under way; nothing lands any more. */
  ground(): void;
}

export interface FlightDeckParts {
  readonly source: ToolSource;
  readonly clock: Clock;
  readonly after: After;
  readonly backoff: Backoff;
  readonly random: () => number;
  /** Runs before anybody who waits for the flight goes on. */
  readonly onLanded: (result: ToolResult<Offer>, traceId: string) => void;
}

export function createFlightDeck(parts: FlightDeckParts): FlightDeck {
  const { source, clock, after } = parts;
  const grounded = new AbortController();
  let flight: Flight | undefined;
  let failure: Failure | undefined;

  async function land(traceId: string): Promise<ToolResult<Offer>> {
    const result = await listWithin(source, traceId, grounded.signal, after);
    flight = undefined;
    if (grounded.signal.aborted) return result;
    const taken = await attempt(async () => {
      failure = result.success ? undefined : createFailure(result.error, failure, parts);
      parts.onLanded(result, traceId);
      return result;
    });
    if (taken !== result && !taken.success) failure = createFailure(taken.error, failure, parts);
    return taken;
  }

  return {
    get flight() {
      return flight;
    },
    get failure() {
      return failure;
    },
    isBackingOff: () => failure !== undefined && clock.elapsed() < failure.retryAt,
    fly(traceId) {
      if (flight !== undefined) return flight;
      // Set before the source is asked: one that asks back finds the flight under way.
      const { promise, resolve } = Promise.withResolvers<ToolResult<Offer>>();
      const started: Flight = { startedAt: clock.elapsed(), landed: promise };
      flight = started;
      void land(traceId).then(resolve);
      return started;
    },
    ground: () => grounded.abort(),
  };
}

async function listWithin(
  source: ToolSource,
  traceId: string,
  grounded: AbortSignal,
  after: After,
): Promise<ToolResult<Offer>> {
  const overdue = new AbortController();
  const signal = AbortSignal.any([grounded, overdue.signal]);
  const landed: ToolResult<Offer>[] = [];
  const context = { traceId, signal, startWaitMs: WHOLE_START_MS };
  const listing = attempt(() => source.list(context)).then((listed) => landed.push(listed));
  do await within(listing, FLIGHT_MS_MAX, { signal: grounded, after });
  while (landed.length === 0 && !grounded.aborted && source.starting?.() !== undefined);
  const [result] = landed;
  if (result !== undefined) return result;
  overdue.abort();
  return fail("TOOL_TIMEOUT", `${source.id} did not say within ${FLIGHT_MS_MAX / 1000} s what it offers.`);
}

function createFailure(error: ToolError, last: Failure | undefined, parts: FlightDeckParts): Failure {
  const count = (last?.count ?? 0) + 1;
  const backoff = { ...parts.backoff, minMs: parts.backoff.firstMs / 2 };
  const delayMs = fullJitterMs(backoff, count, parts.random());
  return { error, count, retryAt: parts.clock.elapsed() + delayMs };
}

/** A source must not throw; one that does anyway has failed, and nobody else. */
export async function attempt<T>(work: () => Promise<ToolResult<T>>): Promise<ToolResult<T>> {
  try {
    return await work();
  } catch (error) {
    return fail("TOOL_EXECUTION_FAILED", messageOf(error));
  }
}
