/**
 * A server whose process runs and has not finished its handshake: what callers are told, and how long they wait for it.
 */
import { escapeUnprintable, withoutColours } from "../text/printable.ts";
import { fail } from "../core/result.ts";
import type { CallContext, Starting } from "../core/tool.ts";
import { cut } from "../text/cut.ts";

/**
 * Clients commonly give up on a request after 60 s, without a word to their user; an answer well before that is heard.
 */
export const START_WAIT_MS = 25_000;
/** Longer than any start may take, for those who can wait for its end. */
export const WHOLE_START_MS = 15 * 60 * 1000;
/** A run that reaches its deadline tells of that alone; a little before, it can still tell what it waited for. */
const BEFORE_DEADLINE_MS = 300;
/** Longer lines are data, not news. */
const SAID_LENGTH_MAX = 200;
const REPORT_EVERY_MS = 2_000;
/** Progress must grow, and what the server itself reports later begins at 0 or 1. */
const PROGRESS_STEP = 1e-6;

interface StartPatience {
  /** On the clock that the deadline is on. */
  readonly elapsedMs: number;
  /** What this process gives to callers that have no deadline; without it, what a client's request has. */
  readonly startWaitMs?: number | undefined;
  readonly callTimeoutMs?: number;
}

/** How long a caller waits for a start; the start itself goes on. */
export function startPatienceMs(context: CallContext, patience: StartPatience): number {
  const { elapsedMs, startWaitMs, callTimeoutMs = Infinity } = patience;
  const { deadlineAt } = context;
  if (deadlineAt === undefined)
    return context.startWaitMs ?? startWaitMs ?? Math.min(START_WAIT_MS, callTimeoutMs);
  const leftMs = deadlineAt - elapsedMs - BEFORE_DEADLINE_MS;
  return Math.max(0, Math.min(leftMs, context.startWaitMs ?? callTimeoutMs));
}

export function stillStarting(server: string, starting: Starting): ReturnType<typeof fail> {
  return fail("TOOL_UNAVAILABLE", `The server ${server} is ${describeStarting(starting)}.`, {
    reason: "starting",
    hint: "Ask again in a few seconds: it goes on starting, and nothing was sent to it yet.",
  });
}

/** `still starting, for 12 s; its last line: …` */
export function describeStarting({ forMs, said }: Starting): string {
  const line = said === undefined ? "" : `; its last line: ${said}`;
  return `still starting, for ${Math.round(forMs / 1000)} s${line}`;
}

/**
 * The last of the lines that says something, as it is shown to others. A progress bar writes over its line: the rest
 * counts.
 */
export function lastLineOf(stderr: readonly string[]): string | undefined {
  const lines = stderr.flatMap((line) => line.split("\r")).map((line) => withoutColours(line).trim());
  const last = lines.findLast((line) => line !== "");
  if (last === undefined) return undefined;
  const shown = escapeUnprintable(last);
  return cut(shown, SAID_LENGTH_MAX);
}

/** Tells a caller that hears progress what it waits for, until the returned function is called. */
export function reportStarting(
  { onProgress }: CallContext,
  starting: () => (Starting & { readonly source?: string }) | undefined,
): () => void {
  if (onProgress === undefined) return () => {};
  let step = 0;
  const timer = setInterval(() => {
    const now = starting();
    if (now === undefined) return;
    const who = now.source === undefined ? "" : ` ${now.source}`;
    const message = `starting${who}: ${now.said ?? "no output yet"}`;
    onProgress({ progress: ++step * PROGRESS_STEP, message });
  }, REPORT_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
