/** One run of one guest, inside the runner: what the guest asks for, what comes back, and how it ends. */
import type { GuestOutcome, Thrown } from "../guest-contract.ts";
import { splitFrame, type Start } from "./frame.ts";
import type { Guest } from "./guest.ts";
import { ARGUMENTS_BYTES_MAX, CONSOLE_BYTES_MAX, CONSOLE_LINES_MAX } from "./limits.ts";
import { send } from "./runner-channel.ts";
import { cutToBytes } from "../../text/cut.ts";

/** The run's state that the guest's frames change. */
export interface Progress {
  inFlightCount: number;
  answerCount: number;
  /** Calls whose arguments are too large. */
  readonly refusedCalls: { readonly id: string; readonly bytes: number }[];
  consoleLines: number;
  consoleBytes: number;
  readonly consoleDropped: { lines: number; bytes: number };
  result: string | undefined;
  /** Of a result that is too large to be sent. */
  resultBytes: number;
  /** As the guest's side described it. */
  thrown: Thrown | undefined;
  hasEnded: boolean;
}

export function takeFrame(progress: Progress, frame: string): void {
  // What detached code does after the end is ignored; and a frame is one line.
  if ((progress.hasEnded && frame[0] !== "L") || frame.includes("\n")) return;
  switch (frame[0]) {
    case "C":
      return takeCall(progress, frame);
    case "L":
      return takeConsole(progress, frame);
    case "V":
      progress.result = frame.slice(2);
      progress.resultBytes = Buffer.byteLength(progress.result);
      break;
    case "Y":
      progress.resultBytes = Number(frame.slice(2));
      break;
    case "X":
      progress.thrown = JSON.parse(frame.slice(2)) as Thrown;
      break;
    default:
      return;
  }
  progress.hasEnded = true;
}

function takeCall(progress: Progress, frame: string): void {
  const [, id, , body] = splitFrame(frame, 3) as [string, string, string, string];
  const bytes = Buffer.byteLength(body);
  if (bytes > ARGUMENTS_BYTES_MAX) return void progress.refusedCalls.push({ id, bytes });
  progress.inFlightCount++;
  send(frame);
}

/** What is beyond the limits is counted here and not sent: a guest that prints without end costs the gateway nothing. */
function takeConsole(progress: Progress, frame: string): void {
  const [, level, lengthText, body] = splitFrame(frame, 3) as [string, string, string, string];
  const [length, leftBytes] = [Number(lengthText), CONSOLE_BYTES_MAX - progress.consoleBytes];
  if (progress.consoleLines >= CONSOLE_LINES_MAX || leftBytes <= 0) {
    progress.consoleDropped.lines++;
    progress.consoleDropped.bytes += length;
    return;
  }
  const kept = cutToBytes(JSON.parse(body) as string, leftBytes);
  progress.consoleLines++;
  progress.consoleBytes += Buffer.byteLength(kept);
  send(`L ${level} ${length} ${JSON.stringify(kept)}`);
}

/** Says how the guest ended; what else is known of that outcome is added once it is over. */
export function runGuest(
  guest: Guest,
  progress: Progress,
  start: Start,
  readLine: () => string | undefined,
): Partial<GuestOutcome> {
  guest.clockAt = start.clockAt;
  guest.deadlineAt = performance.now() + start.timeoutMs;
  try {
    guest.begin(JSON.stringify(start.guest), start.script);
    for (;;) {
      guest.advance();
      if (progress.hasEnded || guest.wasInterrupted) break;
      if (refuseCalls(guest, progress)) continue;
      if (progress.inFlightCount === 0) return { kind: "stuck" };
      if (start.tellsIdle) send(`I ${progress.answerCount}`);
      takeAnswer(guest, progress, readLine());
    }
  } catch (error) {
    if (!progress.hasEnded && !guest.wasInterrupted) return endOfBroken(error);
  }
  return progress.hasEnded ? endOf(progress, start.resultBytesMax) : { kind: "timeout" };
}

/** Says whether there was something to refuse. */
function refuseCalls(guest: Guest, { refusedCalls }: Progress): boolean {
  const refused = refusedCalls.splice(0);
  for (const { id, bytes } of refused) {
    const message = `The arguments have ${bytes} bytes as JSON; the limit is ${ARGUMENTS_BYTES_MAX} bytes.`;
    guest.deliver("T", id, message);
  }
  return refused.length > 0;
}

function takeAnswer(guest: Guest, progress: Progress, line: string | undefined): void {
  if (line === undefined) process.exit(0);
  const [kind, id, clockAt, body] = splitFrame(line, 3) as [string, string, string, string];
  guest.clockAt = Number(clockAt);
  progress.inFlightCount--;
  progress.answerCount++;
  guest.deliver(kind, id, body);
}

function endOf(progress: Progress, resultBytesMax: number): Partial<GuestOutcome> {
  if (progress.thrown !== undefined)
    return isOutOfMemory(progress.thrown) ? { kind: "memory" } : { kind: "threw", thrown: progress.thrown };
  if (progress.result === undefined || progress.resultBytes > resultBytesMax)
    return { kind: "result_limit", bytes: progress.resultBytes };
  send(`V ${progress.result}`);
  return { kind: "returned" };
}

/** What came up through the engine's own calls: the guest's code did not compile, or the engine itself gave up. */
function endOfBroken(error: unknown): Partial<GuestOutcome> {
  const { name, message, stack = "" } = error instanceof Error ? error : new Error(String(error));
  if (isOutOfMemory({ name, message })) return { kind: "memory" };
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
    return { kind: "crashed", reason: message };
  return { kind: "threw", thrown: { name, message, stack } };
}

/** The engine's own name and words for it. */
function isOutOfMemory(thrown: unknown): boolean {
  const { name, message } = (thrown ?? {}) as { name?: unknown; message?: unknown };
  return name === "InternalError" && message === "out of memory";
}

export function createProgress(): Progress {
  return {
    inFlightCount: 0,
    answerCount: 0,
    refusedCalls: [],
    consoleLines: 0,
    consoleBytes: 0,
    consoleDropped: { lines: 0, bytes: 0 },
    result: undefined,
    resultBytes: 0,
    thrown: undefined,
    hasEnded: false,
  };
}
