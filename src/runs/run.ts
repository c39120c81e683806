/**
 * What runs, and how it ended. How it ended is described in run-end.ts. What runs goes through four types:
 *
 * 1. `RunSource`: the text, and where it comes from: given code, a draft, or a version of a capability. Names are looked up
 *    into one (`library/named-source.ts`), and so is the source of a run that is resumed.
 * 2. `RunRequest`: a source with its inputs and limits.
 * 3. `PreparedCode` or `PreparedWorkflow`: read, every name resolved, and checked with everything that it starts (`prepare/`).
 * 4. `ReadyRun`: the request with its inputs completed, and the body that runs it.
 */
import type { ToolError } from "../core/errors.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { ToolResult } from "../core/result.ts";
import type { CapabilityKind, RunMode } from "../core/store.ts";
import type { LogLine } from "../sandbox/sandbox.ts";
import type { SkippedCall } from "./resume/skipped.ts";
import type { Bound } from "./prepare/tool-directory.ts";

/** Something that can run: given code, a draft, or a version of a capability. */
export interface RunSource {
  /** `call` is one call of a tool by a client, which a person is asked about. */
  readonly kind: CapabilityKind | "call";
  /** TypeScript, the JSON of a workflow, or the exposed name of a tool. */
  readonly source: string;
  /** Names of inputs whose values must not be stored; a workflow names its own. */
  readonly sensitive?: readonly string[];
  /** The capability whose source this is; it may not call itself, not even through others. */
  readonly capability?: CapabilityRun;
  /** The tools that it was saved with, for a capability and for the code in the nodes of one. */
  readonly uses?: Bound;
  /** The draft whose source this is, as it is named in a path: `draft:report`. */
  readonly draft?: string;
}

export interface RunRequest extends RunSource {
  readonly inputs: JsonObject;
  readonly intent?: string;
  readonly timeoutMs?: number;
  /** Without it, `foreground`. */
  readonly mode?: RunMode;
  readonly observe?: (event: RunEvent) => void;
}

/** How a source is named in a path; undefined for given code. */
export function pathNameOf({ capability, draft }: RunSource): string | undefined {
  return capability?.tool ?? draft;
}

/** Which version of which capability runs, by its exposed name. */
interface CapabilityRun {
  readonly tool: string;
  readonly id: string;
  readonly version: number;
}

/** What happens during a run, for its observer. */
export type RunEvent =
  | { readonly kind: "call_started"; readonly tool: string; readonly number: number }
  | {
      readonly kind: "call_ended";
      readonly tool: string;
      readonly number: number;
      readonly success: boolean;
      readonly isSkipped?: boolean;
      /** How many there will be, where that is known. */
      readonly total?: number;
    }
  | { readonly kind: "log"; readonly line: LogLine };

/** A step that a run made, or that was answered from the journal. */
export interface CallRecord {
  /** By its exposed name; of a workflow, the type of the node. */
  readonly tool: string;
  /** The id of the node, in a workflow. */
  readonly node?: string;
  readonly success: boolean;
  /** From the start of the run to the start of the call. */
  readonly startedMs: number;
  readonly elapsedMs: number;
  readonly isReplayed?: true;
  /** It was not made: the run waits. */
  readonly isWaiting?: true;
  /** Who decided to go on without it; then it is no success. */
  readonly skippedBy?: string;
  readonly error?: Pick<ToolError, "code" | "message">;
}

/** How a run ended, as its body says: code-run.ts or workflow-run.ts. */
export interface RunEnd {
  /** What the code returned, or the outputs of the workflow; or why there are none. */
  readonly result: ToolResult<Json>;
  readonly calls: readonly CallRecord[];
  readonly logs: readonly LogLine[];
  /** What is doubtful and did not stop the run: types, rejections that nothing handled, output that was cut. */
  readonly warnings: readonly string[];
  /** Calls that it went on without, by decision, also those of nodes that are runs; absent where there are none. */
  readonly skipped?: readonly SkippedCall[];
  /** The step whose failure ended the run. */
  readonly failedSeq?: number;
}

/** How a run ended, as its caller is told: after the end was put on record, or read back from there. */
export interface RunReport extends RunEnd {
  /** Null when nothing has run: the source was refused. */
  readonly runId: string | null;
  /** The run that `resume` named or found, where this answers a `resume`. */
  readonly resumedFrom?: string;
  /** Where the run stopped, when it has not succeeded. */
  readonly checkpoint: Checkpoint | null;
  readonly elapsedMs: number;
  /** The result is the whole answer of a tool: the run was one call. */
  readonly isCall?: boolean;
  /** It has not ended, and goes on without its caller; the result is null. */
  readonly goesOn?: "queued" | "running";
}

/** What the journal says at a stop: what is done and will not be done again, and what is left. */
export interface Checkpoint {
  readonly runId: string;
  readonly completed: readonly string[];
  readonly failed: string | null;
  /** How many there are, whatever became of them; the calls of the answer and the trace have them one by one. */
  readonly stepCount: number;
  readonly isResumable: boolean;
  /** The run that went on from this one. */
  readonly successor: string | undefined;
  /** Calls that were sent and whose outcome is not known. */
  readonly uncertain: readonly UncertainStep[];
  /** The question that the run waits with, or the time that it waits for. */
  readonly waiting: WaitingStep | null;
  /** Of what it waits with. */
  readonly questionId?: string;
}

export interface UncertainStep {
  readonly runId: string;
  readonly key: string;
  readonly name: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** In ms since 1970. */
  readonly sentAt: number;
}

export interface WaitingStep {
  readonly runId: string;
  readonly key: string;
  readonly name: string;
  readonly message: string;
  /** What exactly would be done. */
  readonly details: Json;
  /** When it goes on by itself at the next resume; null where it waits for a person. */
  readonly until: number | null;
  /** Until when the question of a rule can be answered; null for one that a workflow asks, which does not expire. */
  readonly expiresAt: number | null;
}
