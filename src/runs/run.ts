/** What a run is asked for, and what it comes to. */
import type { ToolError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { ToolResult } from "../core/result.ts";
import type { LogLine } from "../sandbox/sandbox.ts";

export interface CodeRequest {
  readonly code: string;
  readonly inputs: JsonObject;
  readonly intent?: string;
  readonly timeoutMs?: number;
  /** The capability whose code this is; it may not call itself, not even through others. */
  readonly capability?: CapabilityRun;
  readonly observe?: (event: RunEvent) => void;
}

/** Which version of which capability runs, by its exposed name. */
export interface CapabilityRun {
  readonly tool: string;
  readonly id: string;
  readonly version: number;
}

/** What happens during a run, for whoever watches. */
export type RunEvent =
  | { readonly kind: "call_started"; readonly tool: string; readonly number: number }
  | { readonly kind: "call_ended"; readonly tool: string; readonly number: number; readonly success: boolean }
  | { readonly kind: "log"; readonly line: LogLine };

/** A tool call that a run made. */
export interface CallRecord {
  readonly tool: string;
  readonly success: boolean;
  /** From the start of the run to the start of the call. */
  readonly startedMs: number;
  readonly elapsedMs: number;
  readonly error?: Pick<ToolError, "code" | "message">;
}

export interface RunReport {
  /** Null when the code was refused before anything ran. */
  readonly runId: string | null;
  /** What the code returned, or why it did not. */
  readonly result: ToolResult<Json>;
  readonly calls: readonly CallRecord[];
  readonly logs: readonly LogLine[];
  /** What is doubtful and did not stop the run: types, rejections that nothing handled, output that was cut. */
  readonly warnings: readonly string[];
  readonly elapsedMs: number;
}
