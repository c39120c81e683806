/**
 * One node of a workflow: its parameters are filled in, a person is asked where the node says so, and it is performed,
 * once or for each item of a batch, again after failures as often as it says.
 */
import { createHmac } from "node:crypto";
import type { ToolError } from "../../core/errors.ts";
import { DATA_LIMITS, hashJson, hashText, type Json, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext } from "../../core/tool.ts";
import type { WorkflowNode } from "../../workflows/workflow.ts";
import { fillTemplates } from "../../workflows/template.ts";
import type { PlannedNode } from "../../workflows/plan.ts";
import { askApproval, type Question } from "./approval.ts";
import type { RunContext } from "../run-context.ts";
import type { StepEnd } from "../journal/journal.ts";
import { nodeKey } from "./labels.ts";
import type { NodeKind } from "./node-kind.ts";
import { fillNode, unfilled, errorValue, keepValue, type NodeEnd, type ValueDeps } from "./node-values.ts";
import { callNode, guardedCallOfNode, mayRepeat, startsRun, type NodeCallDeps } from "./node-call.ts";
import { isPause } from "./pause.ts";
import type { PreparedWorkflow } from "../prepare/prepare-workflow.ts";
import { retryDelayMs, sleep } from "./retry.ts";
import { callLimit } from "../tool-caller.ts";
import { clearCall, type GuardedCallDeps } from "../guarded-call.ts";
import type { RunsDeps } from "../run-deps.ts";
import { waitForTime } from "./wait.ts";

export interface NodeRunDeps extends NodeCallDeps, ValueDeps, GuardedCallDeps {
  readonly args: RunsDeps["args"];
  readonly clock: RunClock;
  readonly random: () => number;
  readonly recordApproval: RunsDeps["recordApproval"];
  readonly person: () => string;
  readonly runContext: RunContext;
  readonly prepared: PreparedWorkflow;
  /** Nothing new begins any more. */
  readonly isOver: () => boolean;
  /** Called for each step that ended. */
  readonly onStep: (step: DoneStep, end: StepEnd, startedAt: number) => void;
}

/** A node, or an item of a batch, by its label, and the tool or node type that it is. */
export interface DoneStep {
  readonly node: string;
  readonly tool: string;
}

interface RunClock {
  now(): number;
  elapsed(): number;
}

/** One performance of a node: the whole, or an item of a batch. */
interface Performance {
  readonly label: string;
  readonly params: JsonObject;
  readonly hash: string;
}

type Performed = { readonly result: ToolResult<Json>; readonly key: string; readonly seq: number };

export async function runNode(
  deps: NodeRunDeps,
  { node }: PlannedNode,
  roots: ReadonlyMap<string, Json>,
  /** What everything before it rests on. */
  before: readonly string[],
): Promise<NodeEnd> {
  const filled = fillNode(deps.prepared, node, roots);
  if (!filled.success) return failedEnd(node, filled.error, hashJson([node.id, before]));
  const performances = filled.data.map(({ label, params }) => ({
    label,
    params,
    hash: hashJson([node.type, deps.runContext.seal.identify(params), before], DATA_LIMITS),
  }));
  const hash = hashJson([node.type, node.batch !== undefined, performances.map((item) => item.hash), before]);
  const asked = await askFirst(deps, node, performances, hash, roots);
  if (!asked.success) return failedEnd(node, asked.error, hash);
  if (node.batch === undefined) return endOf(deps, node, await perform(deps, node, performances[0]!), hash);
  return runBatch(deps, node, performances, hash);
}

// ── approval ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The answer is bound to the exact parameters: others have another hash, and are asked about again. */
async function askFirst(
  deps: NodeRunDeps,
  node: WorkflowNode,
  performances: readonly Performance[],
  hash: string,
  roots: ReadonlyMap<string, Json>,
): Promise<ToolResult<Json>> {
  if (node.approval === undefined) return succeed(null);
  // Invalid parameters are refused before a person is asked.
  const kind = deps.prepared.kinds.get(node.type)!;
  for (const { label, params } of performances) {
    const checked = await checkSchema(deps, kind, label, params);
    if (!checked.success) return checked;
  }
  const params = performances.map((item) => item.params);
  const starts = await startedBy(deps, node, kind, params);
  const details = {
    type: node.type,
    params: node.batch === undefined ? params[0]! : params,
    ...(starts.length > 0 && { starts }),
  };
  const written = node.approval.message ?? `May ${node.id} (${node.type}) be done?`;
  const filled = fillTemplates(written, `${node.id}.approval.message`, roots);
  if (!filled.ok) return unfilled(node.id, filled.missing);
  const message = typeof filled.value === "string" ? filled.value : JSON.stringify(filled.value);
  return askApproval(deps, {
    key: nodeKey(`${node.id}?`, questionHash(deps.runContext, hash, params, starts)),
    name: node.id,
    message,
    details,
    isNoHandled: node.onError !== "fail",
  });
}

/**
 * A yes is for these very values: also for sensitive ones, of which the step itself knows only the mark, and for what
 * is started by name.
 */
function questionHash(
  { seal, seed }: Pick<RunContext, "seal" | "seed">,
  hash: string,
  params: readonly JsonObject[],
  starts: readonly JsonObject[],
): string {
  const text = JSON.stringify(params);
  const isSealed = seal.values.length > 0 && JSON.stringify(seal.identify(params as never)) !== text;
  if (!isSealed && starts.length === 0) return hash;
  const values = isSealed ? createHmac("sha256", seed).update(text).digest("hex") : null;
  return hashJson([hash, values, starts], DATA_LIMITS);
}

/** What the node starts by name, as it is now: another version, or a changed draft, is asked about again. */
async function startedBy(
  deps: NodeRunDeps,
  node: WorkflowNode,
  kind: NodeKind,
  params: readonly JsonObject[],
): Promise<JsonObject[]> {
  const isNamed = node.type === "workflow";
  if (!isNamed && !(kind.kind === "tool" && startsRun(kind))) return [];
  const names = new Set(params.map((each) => (isNamed ? each["name"] : node.type)));
  const started: JsonObject[] = [];
  for (const name of names) {
    const found = typeof name === "string" ? await deps.findSource(name, deps.runContext.context) : undefined;
    if (found?.success !== true) continue;
    const { source, capability } = found.data;
    const digest = hashText(source).slice(0, SHOWN_HASH_DIGITS);
    started.push({
      name: name!,
      ...(capability !== undefined && { version: capability.version }),
      sha256: digest,
    });
  }
  return started;
}

/** Enough to tell one source from another, and short enough for a person to compare. */
const SHOWN_HASH_DIGITS = 16;

// ── performing ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function perform(deps: NodeRunDeps, node: WorkflowNode, item: Performance): Promise<Performed> {
  const kind = deps.prepared.kinds.get(node.type)!;
  const key = (attempt: number) =>
    nodeKey(attempt === 1 ? item.label : `${item.label}~${attempt}`, item.hash);
  const attemptMax = 1 + (node.retry?.max ?? 0);
  const done = Array.from({ length: attemptMax }, (_, at) => at + 1).find(
    (attempt) => deps.runContext.journal.recorded(key(attempt))?.status === "succeeded",
  );
  for (let attempt = done ?? 1; ; attempt++) {
    const isLast = (error: ToolError) => attempt >= attemptMax || !canRetry(error, kind, item.params);
    const end = await attemptOnce(deps, node, kind, { ...item, key: key(attempt), attempt }, isLast);
    const { result, seq } = end;
    if (result.success || isLast(result.error)) return { result, key: key(attempt), seq };
    const delayMs = retryDelayMs(node.retry!, attempt, deps.random());
    if (!(await sleep(delayMs, deps.runContext.signal))) return { result, key: key(attempt), seq };
  }
}

interface Attempt extends Performance {
  readonly key: string;
  /** Counted from 1. */
  readonly attempt: number;
}

async function attemptOnce(
  deps: NodeRunDeps,
  node: WorkflowNode,
  kind: NodeKind,
  given: Attempt,
  isLast: (error: ToolError) => boolean,
): Promise<StepEnd> {
  const { key, label, params } = given;
  const { runContext } = deps;
  const startedAt = deps.clock.elapsed();
  const isHandled = node.onError !== "fail" || node.batch?.onError === "continue";
  const end = await waitOrPerform();
  deps.onStep({ node: label, tool: node.type }, end, startedAt);
  return end;

  async function waitOrPerform(): Promise<StepEnd> {
    if (node.type === "wait" || node.type === "approve") {
      const checked = await checkSchema(deps, kind, label, params);
      if (!checked.success) return { result: checked, seq: 0, at: 0, isReplayed: false };
    }
    if (node.type === "wait") return waitForTime(deps, { key, name: label, params });
    if (node.type === "approve") return approve(deps, { key, name: label, isNoHandled: isHandled }, params);
    const call = await guardedCallOfNode(deps, kind, params, runContext.context);
    const isDone = call === undefined || runContext.journal.recorded(key) !== undefined;
    if (isDone && call !== undefined) deps.guard.observe(call, runContext.callerContext);
    const cleared = isDone ? undefined : await clearCall(deps, runContext, key, call);
    // The guard's refusal is a failed step; what waits for a person is none yet.
    const refusal = cleared?.kind === "stopped" ? cleared.result : undefined;
    if (refusal?.success === false && isPause(refusal.error))
      return { result: refusal, seq: 0, at: 0, isReplayed: false };
    const permit = cleared?.kind === "clear" ? cleared.permit : undefined;
    return runContext.journal.perform({
      key,
      tool: node.type,
      args: params,
      isRepeatable: mayRepeat(kind, params),
      startsRun: startsRun(kind),
      // What a run cut short has not failed by itself: it is made again when the run goes on.
      isFailureHandled: (error) =>
        isHandled &&
        isLast(error) &&
        !isPause(error) &&
        error.code !== "CANCELLED" &&
        !runContext.signal.aborted,
      check: () =>
        refusal === undefined ? checkParams(deps, kind, label, params) : Promise.resolve(refusal),
      make: async (trace, task) => {
        const own = {
          ...(trace !== undefined && { trace }),
          ...(task !== undefined && { taskRecord: task }),
        };
        return callNode(deps, kind, params, { ...(await contextOf(deps, kind, given)), permit, ...own });
      },
    });
  }
}

/** A run that an attempt before this one had started goes on: what it had done is not done again. */
async function contextOf(
  deps: NodeRunDeps,
  kind: NodeKind,
  { label, hash, attempt }: Attempt,
): Promise<CallContext> {
  const key = nodeKey(label, hash);
  const context = await deps.runContext.contextFor(key);
  if (attempt === 1 || !startsRun(kind)) return context;
  const children = await deps.store.children(deps.runId);
  const before = children.findLast(({ parentStep }) => parentStep === key);
  return { ...context, step: { key, resumes: before && { runId: before.id } } };
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

async function approve(
  deps: NodeRunDeps,
  asked: Pick<Question, "key" | "name" | "isNoHandled">,
  { message, details = null }: JsonObject,
): Promise<StepEnd> {
  const isReplayed = deps.runContext.journal.recorded(asked.key) !== undefined;
  const result = await askApproval(deps, { ...asked, message: textOf(message), details });
  return { result, seq: 0, at: 0, isReplayed };
}

async function checkParams(
  deps: NodeRunDeps,
  kind: NodeKind,
  label: string,
  params: JsonObject,
): Promise<ToolResult<unknown>> {
  const { budget, signal } = deps.runContext;
  if (signal.aborted) return fail("CANCELLED", "The run had ended before this node ran.");
  if (budget.callsLeft <= 0) return callLimit(budget);
  budget.callsLeft--;
  return checkSchema(deps, kind, label, params);
}

/** Templates can fill in anything, so what the validator could not see is looked at here. */
async function checkSchema(
  { args }: NodeRunDeps,
  kind: NodeKind,
  label: string,
  params: JsonObject,
): Promise<ToolResult<unknown>> {
  const verdict = await args.check(kind.definition.inputSchema, params, { fillDefaults: true });
  if (verdict.kind !== "invalid") return succeed(undefined);
  const told = verdict.problems.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  return fail("TOOL_INVALID_INPUT", `${label}: the parameters are not valid: ${told}.`, {
    reason: "invalid_arguments",
  });
}

const NEVER_RETRIED: ReadonlySet<string> = new Set([
  "TOOL_INVALID_INPUT",
  "TOOL_NOT_FOUND",
  "TOOL_NOT_IMPLEMENTED",
  "SECURITY_ERROR",
  "CANCELLED",
]);

/** A person said no, or will have to say something first; or no further call may be made. */
const NEVER_RETRIED_REASONS: ReadonlySet<string | undefined> = new Set([
  "uncertain_step",
  "denied",
  "call_limit",
]);

/** What may have taken effect is not done again unasked, however often the node would be tried. */
function canRetry(error: ToolError, kind: NodeKind, params: JsonObject): boolean {
  if (NEVER_RETRIED.has(error.code) || NEVER_RETRIED_REASONS.has(error.reason) || isPause(error))
    return false;
  return error.mayHaveHappened !== true || mayRepeat(kind, params);
}

// ── ends ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function endOf(
  deps: NodeRunDeps,
  node: WorkflowNode,
  { result, key, seq }: Performed,
  hash: string,
): NodeEnd {
  if (!result.success) return failedEnd(node, result.error, hash, seq);
  return { kind: "done", value: keepValue(deps, key, result.data), hash };
}

function failedEnd(node: WorkflowNode, error: ToolError, hash: string, seq?: number): NodeEnd {
  const isHandled = node.onError !== "fail" && !isPause(error) && error.code !== "CANCELLED";
  return { kind: "failed", error, hash, isHandled, seq };
}

async function runBatch(
  deps: NodeRunDeps,
  node: WorkflowNode,
  performances: readonly Performance[],
  hash: string,
): Promise<NodeEnd> {
  const { concurrency, onError } = node.batch!;
  const results: Performed[] = [];
  let next = 0;
  let failed: Performed | undefined;
  const work = async (): Promise<void> => {
    while (next < performances.length && failed === undefined && !deps.isOver()) {
      const at = next++;
      const done = await perform(deps, node, performances[at]!);
      results[at] = done;
      if (!done.result.success && (onError === "fail" || isPause(done.result.error))) failed ??= done;
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, performances.length) }, work));
  if (failed?.result.success === false) return failedEnd(node, failed.result.error, hash, failed.seq);
  const isCutShort = deps.runContext.signal.aborted || results.length < performances.length;
  if (isCutShort) return failedEnd(node, CANCELLED, hash);
  const values = results.map(({ result, key }) =>
    result.success ? keepValue(deps, key, result.data) : () => Promise.resolve(errorValue(result.error)),
  );
  return { kind: "done", hash, value: () => Promise.all(values.map((value) => value())) };
}

const CANCELLED = fail("CANCELLED", "The run was cancelled.").error;
