/** One run in one runner: the frames of both, the limits, and the watchdog. */
import { createHash } from "node:crypto";
import { DATA_LIMITS, parseJson, isJsonObject } from "../../core/json.ts";
import { createCallDispatcher, type CallDispatcher } from "./call-dispatcher.ts";
import { createConsoleLog, type ConsoleLog } from "./console-log.ts";
import type { Start } from "./frame.ts";
import { ARGUMENTS_BYTES_MAX, CONSOLE_BYTES_MAX, KILL_GRACE_MS, RESULT_BYTES_MAX } from "./limits.ts";
import { residentBytes } from "./resident-memory.ts";
import type { RunnerPool } from "./runner-pool.ts";
import type { RunnerProcess } from "./runner-process.ts";
import type { GuestOutcome, GuestRun, Thrown } from "../guest-contract.ts";

const MEMORY_INTERVAL_MS = 100;
/** What a runner needs beside the guest's memory: Node itself, the engine's code, a copy on the way. */
const RUNNER_MB = 160;

/** The rest of an outcome that the runner did not tell, or that comes from elsewhere. */
const UNTOLD: Omit<GuestOutcome, "kind"> = {
  logs: [],
  consoleDropped: { lines: 0, bytes: 0 },
  unhandled: [],
  unhandledCount: 0,
  callsDropped: 0,
  memoryBytes: 0,
};

export async function runInRunner(pool: RunnerPool, run: GuestRun, memoryMb: number): Promise<GuestOutcome> {
  const deadline = new AbortController();
  // This timer also keeps the process alive for as long as somebody waits: runners themselves do not.
  const timer = setTimeout(() => deadline.abort(), run.timeoutMs);
  try {
    return await holdRunner(pool, run, memoryMb, deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function holdRunner(
  pool: RunnerPool,
  run: GuestRun,
  memoryMb: number,
  deadline: AbortSignal,
): Promise<GuestOutcome> {
  const startedAt = performance.now();
  const acquired = await pool.acquire(run, AbortSignal.any([run.signal, deadline]));
  if (acquired.kind === "failed") return { kind: "crashed", reason: acquired.reason, ...UNTOLD };
  if (acquired.kind === "busy")
    return run.signal.aborted ? { kind: "cancelled", ...UNTOLD } : { ...acquired, ...UNTOLD };
  const { runner } = acquired;
  const leftMs = Math.max(1, run.timeoutMs - (performance.now() - startedAt));
  const log = createConsoleLog(run.onLog);
  const dispatcher = createCallDispatcher(run, runner);
  const end = await converse({
    runner,
    release: () => acquired.release(),
    run,
    dispatcher,
    log,
    leftMs,
    memoryMb,
  });
  const isCutShort = end.kind === "timeout" || end.kind === "cancelled";
  const callsDropped = await dispatcher.close(
    isCutShort ? AbortSignal.abort() : AbortSignal.any([deadline, run.signal]),
  );
  return { ...end, ...log.taken(), callsDropped };
}

interface Conversation {
  readonly runner: RunnerProcess;
  readonly release: () => void;
  readonly run: GuestRun;
  readonly dispatcher: CallDispatcher;
  readonly log: ConsoleLog;
  readonly leftMs: number;
  readonly memoryMb: number;
}

/** Speaks with the runner until the run has ended, one way or another; the runner is given back then. */
function converse(conversation: Conversation): Promise<GuestOutcome> {
  const { runner, release, run, dispatcher, log, leftMs, memoryMb } = conversation;
  return new Promise((resolve) => {
    let result: string | undefined;
    let hasEnded = false;
    const finish = (end: GuestOutcome): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(watchdog);
      stopWatching();
      run.signal.removeEventListener("abort", cancel);
      release();
      resolve(end);
    };
    const stop = (end: GuestOutcome): void => {
      // The runner may be another's by now.
      if (hasEnded) return;
      runner.kill();
      finish(end);
    };
    const unruly: GuestOutcome = {
      kind: "crashed",
      reason: "it broke the rules of the channel",
      ...UNTOLD,
    };
    const watchdog = setTimeout(() => stop({ kind: "timeout", ...UNTOLD }), leftMs + KILL_GRACE_MS);
    const stopWatching = watchMemory(runner.pid, memoryMb, () => stop({ kind: "memory", ...UNTOLD }));
    const cancel = (): void => stop({ kind: "cancelled", ...UNTOLD });
    run.signal.addEventListener("abort", cancel, { once: true });

    runner.listen({
      drain: () => dispatcher.resume(),
      exit: (reason) => finish({ kind: "crashed", reason, ...UNTOLD }),
      frame: (line) => {
        switch (line[0]) {
          case "C":
            return dispatcher.take(line) ? undefined : stop(unruly);
          case "I":
            return dispatcher.idle(line);
          case "L":
            return log.take(line) ? undefined : stop(unruly);
          case "V":
            result = line.slice(2);
            return;
          case "D":
            return finish(outcomeOf(line.slice(2), result, log));
          default:
            return stop(unruly);
        }
      },
    });
    if (run.signal.aborted) return cancel();
    runner.send(`S ${JSON.stringify(startOf(run, leftMs))}`);
    run.onStart?.();
  });
}

function startOf(run: GuestRun, timeoutMs: number): Start {
  return {
    script: run.script,
    timeoutMs,
    clockAt: run.clockAt,
    tellsIdle: run.onIdle !== undefined,
    resultBytesMax: RESULT_BYTES_MAX,
    guest: {
      args: run.args,
      functions: run.functions.map(({ namespace, name }) => [namespace, name]),
      seed: seedWords(run.seed),
      limits: {
        callsMax: run.callsMax,
        argumentsMax: ARGUMENTS_BYTES_MAX,
        resultMax: RESULT_BYTES_MAX,
        consoleMax: CONSOLE_BYTES_MAX,
      },
    },
  };
}

/** Four words of state from any text. */
function seedWords(seed: string): Start["guest"]["seed"] {
  const digest = createHash("sha256").update(seed).digest();
  return [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), digest.readUInt32LE(12)];
}

/**
 * Looks at a runner from outside and tells when it uses more than twice what its guest may. The engine's limit and the
 * hard maximum of its memory come first; this holds where both fail. Without /proc there is nothing to look at.
 */
function watchMemory(pid: number | undefined, memoryMb: number, onExcess: () => void): () => void {
  if (process.platform !== "linux" || pid === undefined) return () => {};
  const limitBytes = (2 * memoryMb + RUNNER_MB) * 1024 * 1024;
  const timer = setInterval(() => {
    if (residentBytes(pid) > limitBytes) onExcess();
  }, MEMORY_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

const UNREADABLE = "its last frame cannot be read";

/** The runner is not trusted: what it says of the end is read as data from outside. */
function outcomeOf(text: string, result: string | undefined, log: ConsoleLog): GuestOutcome {
  const told = readTold(text);
  if (told === undefined) return { kind: "crashed", reason: UNREADABLE, ...UNTOLD };
  log.drop(told.consoleDropped ?? UNTOLD.consoleDropped);
  const { unhandled = [], unhandledCount = 0, memoryBytes = 0 } = told;
  const rest = { ...UNTOLD, unhandled: unhandled.map(thrownOf), unhandledCount, memoryBytes };
  switch (told.kind) {
    case "returned": {
      if (result === "") return { kind: "returned", value: null, isNothing: true, ...rest };
      const value = parseJson(result ?? "null", DATA_LIMITS);
      return value.ok
        ? { kind: "returned", value: value.value, ...rest }
        : { kind: "threw", thrown: { message: `The result is refused: ${value.message}.` }, ...rest };
    }
    case "threw":
      return { kind: "threw", thrown: thrownOf(told.thrown), ...rest };
    case "result_limit":
      return { kind: "result_limit", bytes: told.bytes ?? 0, ...rest };
    case "timeout":
    case "memory":
    case "stuck":
      return { kind: told.kind, ...rest };
    case "crashed":
      return { kind: "crashed", reason: JSON.stringify(told.reason ?? "it trapped"), ...rest };
    default:
      return { kind: "crashed", reason: UNREADABLE, ...rest };
  }
}

const TOLD_KINDS: readonly string[] = [
  "returned",
  "threw",
  "timeout",
  "memory",
  "stuck",
  "result_limit",
  "crashed",
] satisfies GuestOutcome["kind"][];

function readTold(text: string): Partial<GuestOutcome> | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { kind, bytes = 0, unhandled, unhandledCount, consoleDropped: dropped, memoryBytes } = parsed.value;
  const isWhole =
    TOLD_KINDS.includes(kind as string) &&
    Array.isArray(unhandled) &&
    isJsonObject(dropped) &&
    [bytes, unhandledCount, memoryBytes, dropped["lines"], dropped["bytes"]].every(Number.isSafeInteger);
  return isWhole ? parsed.value : undefined;
}

function thrownOf(value: unknown): Thrown {
  const told = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const texts = ["name", "stack", "code", "reason", "tool", "hint"].flatMap((key) =>
    typeof told[key] === "string" ? [[key, told[key]]] : [],
  );
  const message = typeof told["message"] === "string" ? told["message"] : "The code threw.";
  const { retryable, step } = told;
  return {
    message,
    ...(Object.fromEntries(texts) as Partial<Thrown>),
    ...(typeof retryable === "boolean" && { retryable }),
    ...(Number.isSafeInteger(step) && { step: step as number }),
  };
}
