/** What runs are made with: `RunsDeps` is handed to `createRuns`, `RunLifecycleDeps` is what each run needs of it. */
import type { Clock } from "../core/clock.ts";
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import type { Scope } from "../core/names.ts";
import type { ToolResult } from "../core/result.ts";
import type { Guard, GuardedCall } from "../core/guard.ts";
import type { Decision } from "../core/rule.ts";
import type { ReplicaStore } from "../core/replica-store.ts";
import type { Run, RunKind, RunStatus, RunStore, SealStore } from "../core/store.ts";
import type { CallContext, CallTool, NodeType, ToolAnswer } from "../core/tool.ts";
import type { CodeAnalysis } from "../sandbox/analysis/analysis.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { ArgumentCheck } from "../sandbox/schema/argument-check.ts";
import type { TypeCheck } from "../sandbox/types/type-check.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Redactors } from "../text/redactors.ts";
import type { FindStarter } from "./background/starter.ts";
import type { CallUnderWay } from "./journal/under-way.ts";
import type { Liveness } from "./replicas/liveness.ts";
import type { ToolDirectory } from "./prepare/tool-directory.ts";
import type { RunReport, RunSource } from "./run.ts";
import type { RunGate } from "./run-gate.ts";
import type { Shutdown } from "./shutdown.ts";

export interface RunLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly callsMax: number;
  readonly callsAtOnceMax: number;
}

/** A run of this process that is under way. */
export interface ActiveRun {
  readonly report: Promise<RunReport>;
  readonly gate: RunGate;
  /** Calls under way end and are recorded, and then the run ends as cancelled. Asked again, nothing more happens. */
  readonly cancel: (by: string) => void;
}

export interface RunLifecycleDeps {
  /** A run was ended in the place of its owner, which is gone. */
  readonly runInterrupted?: ((run: Run) => void) | undefined;
  readonly store: RunStore;
  readonly scope: () => Scope;
  readonly limits: () => RunLimits;
  readonly clock: Clock;
  readonly log: Log;
  /** What this process is called as an owner, and whether other owners live. */
  readonly liveness: Liveness;
  /** What is told of a run beside its result has no secret in it, and what is stored none of the config. */
  readonly redactors: Redactors;
  readonly shutdown: Shutdown;
  readonly telemetry: Telemetry;
  /** A call of a run is made; returns how to say that it has ended. */
  readonly callBegun?: ((call: CallUnderWay) => () => void) | undefined;
  /** A run has ended, or waits. */
  readonly runEnded?: ((kind: RunKind, status: RunStatus) => void) | undefined;
  /** A run has succeeded with these tools; the intent is empty where none was given. */
  readonly runSucceeded?: ((tools: readonly string[], intent: string) => void) | undefined;
  /** A run below has used this before: what it answers is noted in the run's flow. */
  readonly noteUse: (name: string, context: CallContext) => void;
  /** Runs of this process that are under way, by id. */
  readonly active: Map<string, ActiveRun>;
  /** A run is on record and under way. */
  readonly runBegun: () => void;
  /** Runs of this process that have ended, and the store does not know it. */
  readonly unended: Set<string>;
  readonly rowAfterMs: number;
}

export interface RunsDeps {
  /** A run was ended in the place of its owner, which is gone. */
  readonly runInterrupted?: ((run: Run) => void) | undefined;
  readonly store: RunStore;
  /** Without it, all owners are on this machine. */
  readonly liveness?: Liveness;
  /** Who else owns runs; without it there is nothing to sweep. */
  readonly replicas?: Pick<ReplicaStore, "listAbandoned">;
  readonly sandbox: Sandbox;
  readonly analysis: CodeAnalysis;
  readonly types: TypeCheck;
  readonly args: ArgumentCheck;
  readonly directory: ToolDirectory;
  readonly callTool: CallTool;
  /** The built-in node types that act. */
  readonly nodes: readonly NodeType[];
  /** Decides on every call of a run; without it, all may be made. */
  readonly guard?: Guard;
  /** True for the first who uses a person's yes. */
  readonly spend?: SealStore["spend"];
  /** How long the question of a rule can be answered, and its answer used. */
  readonly approvalMs?: () => number;
  /** After how long a run is on record that makes no call; without it, a moment. */
  readonly rowAfterMs?: number;
  /** What looks like an attack in the texts of an answer; without it, none is looked at. */
  readonly scanAnswer?: (tool: string, answer: ToolAnswer, context: CallContext) => string | undefined;
  /** A person is asked about a call. */
  readonly recordAsked?: (call: GuardedCall, decision: Decision, context: CallContext) => void;
  /** The capability or draft of a name. */
  readonly findSource: (name: string, context: CallContext) => Promise<ToolResult<RunSource>>;
  /** A version of a capability, also of one that was deleted. */
  readonly findVersion: (id: string, version: number) => Promise<RunSource | undefined>;
  /** A person was asked, and this is what came of it. */
  readonly recordApproval: (runId: string, details: JsonObject, by: Pick<CallContext, "principal">) => void;
  /** Who started a background run, as they are now; without it, only the person at this machine is known. */
  readonly findStarter?: FindStarter;
  /** A run was put into the queue by this process. */
  readonly enqueued?: () => void;
  /** The name of the person at this machine, who decides where there is no principal. */
  readonly person?: () => string;
  readonly scope: () => Scope;
  readonly limits: () => RunLimits;
  readonly log?: Log;
  /** Without it, secrets are known by key and pattern alone. */
  readonly redactors?: Redactors;
  readonly clock?: Clock;
  readonly telemetry?: Telemetry;
  /** A call of a run is made; returns how to say that it has ended. */
  readonly callBegun?: (call: CallUnderWay) => () => void;
  /** A run has ended, or waits; nested ones too. */
  readonly runEnded?: (kind: RunKind, status: RunStatus) => void;
  /** A run has succeeded with these tools; the intent is empty where none was given. */
  readonly runSucceeded?: (tools: readonly string[], intent: string) => void;
}
