/** What a guest is given, what it may ask for, and how it ends. */
import type { Json, JsonObject } from "../core/json.ts";

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

/**
 * How a guest ended. The runner's last frame has what the runner knows of it; the value and the console output went
 * ahead in frames of their own, and the rest is the gateway's.
 */
export type GuestOutcome = {
  readonly logs: readonly LogLine[];
  /** Console output beyond the limits. */
  readonly consoleDropped: { readonly lines: number; readonly bytes: number };
  /** Rejections that nothing handled: the first of them, and how many there were. */
  readonly unhandled: readonly Thrown[];
  readonly unhandledCount: number;
  /** Calls that waited for their turn when the run ended, and were not made. */
  readonly callsDropped: number;
  /** The largest that the guest's memory was. */
  readonly memoryBytes: number;
} & (
  | { readonly kind: "threw"; readonly thrown: Thrown }
  /** `isNothing` where it was undefined, or nothing that JSON has. */
  | { readonly kind: "returned"; readonly value: Json; readonly isNothing?: true }
  | { readonly kind: "result_limit"; readonly bytes: number }
  /** The code waits for something that nothing will bring about. */
  | { readonly kind: "stuck" }
  | { readonly kind: "timeout" | "memory" }
  /** The engine or the process broke, or spoke out of turn. */
  | { readonly kind: "crashed"; readonly reason: string }
  /** Only the gateway knows of these two. */
  | { readonly kind: "cancelled" }
  /** With whose share of the places was used up, where that was it. */
  | { readonly kind: "busy"; readonly reason?: string }
);
