/** One run in one runner: the frames of both, the limits, and the watchdog. */
import { createHash } from "node:crypto";
import { DATA_LIMITS, parseJson, isJsonObject } from "../../core/json.ts";
import { createCallDispatcher, type CallDispatcher } from "./call-dispatcher.ts";
import { createConsoleLog, type ConsoleLog } from "./console-log.ts";
import type { Done, Start } from "./frame.ts";
import { ARGUMENTS_BYTES_MAX, CONSOLE_BYTES_MAX, KILL_GRACE_MS, RESULT_BYTES_MAX } from "./limits.ts";
import { watchMemory } from "./memory-watch.ts";
import type { RunnerPool } from "./runner-pool.ts";
import type { RunnerProcess } from "./runner-process.ts";
import type { Ending, GuestOutcome, GuestRun, Thrown } from "../sandbox.ts";

type End = Ending & Pick<GuestOutcome, "unhandled" | "unhandledCount" | "memoryBytes">;

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
  const log = createConsoleLog(run.onLog);
  const acquired = await pool.acquire(run, AbortSignal.any([run.signal, deadline]));
  if (acquired.kind !== "runner") {
    const ending: Ending =
      acquired.kind === "failed"
        ? { kind: "crashed", reason: acquired.reason }
        : run.signal.aborted
          ? { kind: "cancelled" }
          : acquired;
    return { ...bare(ending.kind), ...ending, ...log.taken(), callsDropped: 0 };
  }
  const { runner } = acquired;
  const leftMs = Math.max(1, run.timeoutMs - (performance.now() - startedAt));
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
function converse({ runner, release, run, dispatcher, log, leftMs, memoryMb }: Conversation): Promise<End> {
  return new Promise((resolve) => {
    let result: string | undefined;
    let hasEnded = false;
    const finish = (end: End): void => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(watchdog);
      stopWatching();
      run.signal.removeEventListener("abort", cancel);
      release();
      resolve(end);
    };
    const stop = (end: End): void => {
      // The runner may be another's by now.
      if (hasEnded) return;
      runner.kill();
      finish(end);
    };
    const unruly = { ...bare("crashed"), reason: "it broke the rules of the channel" };
    const watchdog = setTimeout(() => stop(bare("timeout")), leftMs + KILL_GRACE_MS);
    const stopWatching = watchMemory(runner.pid, memoryMb, () => stop(bare("memory")));
    const cancel = (): void => stop(bare("cancelled"));
    run.signal.addEventListener("abort", cancel, { once: true });

    runner.listen({
      drain: () => dispatcher.resume(),
      exit: (reason) => finish({ ...bare("crashed"), reason }),
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
            return finish(endOf(line.slice(2), result, log));
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
function seedWords(seed: string): number[] {
  const digest = createHash("sha256").update(seed).digest();
  return [0, 4, 8, 12].map((at) => digest.readUInt32LE(at));
}

function bare<K extends GuestOutcome["kind"]>(
  kind: K,
): { kind: K; unhandled: Thrown[]; unhandledCount: number; memoryBytes: number } {
  return { kind, unhandled: [], unhandledCount: 0, memoryBytes: 0 };
}

/** The runner is not trusted: what it says of the end is read as data from outside. */
function endOf(text: string, result: string | undefined, log: ConsoleLog): End {
  const done = doneOf(text);
  if (done === undefined) return { ...bare("crashed"), reason: "its last frame cannot be read" };
  log.drop(done.consoleDropped);
  const { unhandledCount, memoryBytes } = done;
  const rest = { unhandled: done.unhandled.map(thrownOf), unhandledCount, memoryBytes };
  switch (done.kind) {
    case "returned": {
      if (result === "") return { kind: "returned", value: null, isNothing: true, ...rest };
      const value = parseJson(result ?? "null", DATA_LIMITS);
      return value.ok
        ? { kind: "returned", value: value.value, ...rest }
        : { kind: "threw", thrown: { message: `The result is refused: ${value.message}.` }, ...rest };
    }
    case "threw":
      return { kind: "threw", thrown: thrownOf(done.thrown), ...rest };
    case "result_limit":
      return { kind: "result_limit", bytes: done.bytes ?? 0, ...rest };
    case "trapped":
      return { kind: "crashed", reason: JSON.stringify(done.thrown ?? "it trapped"), ...rest };
    default:
      return { kind: done.kind, ...rest };
  }
}

const DONE_KINDS: readonly string[] = [
  "returned",
  "threw",
  "timeout",
  "memory",
  "stuck",
  "result_limit",
  "trapped",
] satisfies Done["kind"][];

function doneOf(text: string): Done | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { kind, bytes = 0, unhandled, unhandledCount, consoleDropped: dropped, memoryBytes } = parsed.value;
  const isDone =
    DONE_KINDS.includes(kind as string) &&
    Array.isArray(unhandled) &&
    isJsonObject(dropped) &&
    [bytes, unhandledCount, memoryBytes, dropped["lines"], dropped["bytes"]].every(Number.isSafeInteger);
  return isDone ? (parsed.value as unknown as Done) : undefined;
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
