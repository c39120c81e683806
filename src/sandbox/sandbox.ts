/**
 * Runs untrusted code against functions that it is handed, and nothing else.
 *
 * The code runs in a fresh VM in a process of its own (`runner.ts`); what it calls is called here, on its behalf, within the
 * run's limits. `run` never throws and always ends: the guest stops itself at its deadline, and if it cannot, its process is
 * killed a moment later.
 *
 * **How a run ends.** When the code's own promise settles, the run is over: its VM is gone, detached code does not go on, and
 * no call starts any more. Calls that are already under way are awaited, because their effects are real; calls that still
 * waited for their turn are not made. At the deadline and on cancellation, calls under way are cancelled.
 */
import type { Json, JsonObject } from "../core/json.ts";
import { createRunnerPool, type RunnerPool } from "./runner/runner-pool.ts";
import type { LaunchChild } from "./runner/runner-process.ts";
import { runInRunner } from "./runner/session.ts";

/** A function that the guest may call. Without a name it only makes the namespace visible. */
export interface GuestFunction {
  readonly namespace: string;
  readonly name: string | null;
}

/** What a call of the guest's came to; `at` is what its clock shows then. */
export type CallReply =
  | { readonly kind: "returned"; readonly value: Json | undefined; readonly at: number }
  | { readonly kind: "failed"; readonly error: JsonObject; readonly at: number };

export interface GuestRun {
  /** The text of an async function expression without parameters. */
  readonly script: string;
  readonly args: JsonObject;
  readonly functions: readonly GuestFunction[];
  /** Called for each call, at most `callsAtOnceMax` at a time and `callsMax` in all. It must not throw. */
  readonly call: (index: number, args: JsonObject, signal: AbortSignal) => Promise<CallReply>;
  /** Seeds the guest's randomness; any text. */
  readonly seed: string;
  readonly clockAt: number;
  readonly timeoutMs: number;
  readonly callsMax: number;
  readonly callsAtOnceMax: number;
  readonly signal: AbortSignal;
  /** How many runs this one is below. */
  readonly level: number;
  /** Whose turn it takes when runs must wait. */
  readonly owner: string;
  readonly onLog?: (line: LogLine) => void;
  /** Called when the run has a place, as its code starts. */
  readonly onStart?: () => void;
  /** Called whenever the guest has taken every answer that it was sent and waits for more. */
  readonly onIdle?: () => void;
}

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  /** Its full length in characters, where it was cut. */
  readonly truncatedFrom?: number;
}

/** What the guest threw, in its own words: they are untrusted, and bounded. */
export interface Thrown {
  readonly name?: string;
  readonly message: string;
  readonly stack?: string;
  /** Of a failed tool call that the code did not catch. */
  readonly code?: string;
  readonly reason?: string;
  readonly tool?: string;
  readonly hint?: string;
  readonly retryable?: boolean;
  /** The number that the failed call had been given. */
  readonly step?: number;
}

export type Ending =
  /** `isNothing` where it was undefined, or nothing that JSON has. */
  | { readonly kind: "returned"; readonly value: Json; readonly isNothing?: true }
  | { readonly kind: "threw"; readonly thrown: Thrown }
  | { readonly kind: "result_limit"; readonly bytes: number }
  /** The code waits for something that nothing will bring about. */
  | { readonly kind: "stuck" }
  | { readonly kind: "timeout" | "memory" | "cancelled" }
  /** With whose share of the places was used up, where that was it. */
  | { readonly kind: "busy"; readonly reason?: string }
  | { readonly kind: "crashed"; readonly reason: string };

export type GuestOutcome = Ending & {
  readonly logs: readonly LogLine[];
  /** Console output beyond the limits. */
  readonly logsDropped: { readonly lines: number; readonly bytes: number };
  /** Rejections that nothing handled: the first of them, and how many there were. */
  readonly unhandled: readonly Thrown[];
  readonly unhandledCount: number;
  /** Calls that waited for their turn when the run ended, and were not made. */
  readonly callsDropped: number;
  readonly memoryBytes: number;
};

export interface Sandbox {
  run(run: GuestRun): Promise<GuestOutcome>;
  /** Starts a spare process before it is needed. */
  warm(): void;
  /** The process ids of all runners. */
  pids(): number[];
  close(): Promise<void>;
}

export interface SandboxDeps {
  readonly launch: LaunchChild;
  /** What a guest may use. */
  readonly memoryMb: () => number;
}

export function createSandbox(deps: SandboxDeps): Sandbox {
  const pool: RunnerPool = createRunnerPool(deps);
  return {
    run: (run) => runInRunner(pool, run, deps.memoryMb()),
    warm: () => pool.warm(),
    pids: () => pool.pids(),
    close: () => pool.close(),
  };
}
