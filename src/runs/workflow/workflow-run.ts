/**
 * The body of a run of a workflow. A node runs when everything that it waits for has ended; independent ones run at the
 * same time.
 *
 * - A node that reads a missing result is skipped, and so is one whose every edge comes from a skipped node.
 * - A failure that nothing handles ends the run: what is under way ends, nothing new begins.
 * - A failure with a route runs the nodes of the route, and skips those that needed a success.
 */
import type { Json, JsonObject } from "../../core/json.ts";
import { fail, succeed } from "../../core/result.ts";
import type { PlannedNode } from "../../workflows/plan.ts";
import { findTemplates, fillTemplates } from "../../workflows/template.ts";
import type { LogLine } from "../../sandbox/sandbox.ts";
import type { GuardedCallDeps } from "../guarded-call.ts";
import type { RunContext } from "../run-context.ts";
import type { StepEnd } from "../journal/journal.ts";
import type { NodeCallDeps } from "./node-call.ts";
import { runNode, type NodeRunDeps, type DoneStep } from "./node-run.ts";
import { errorValue, type NodeEnd } from "./node-values.ts";
import type { PreparedWorkflow } from "../prepare/prepare-workflow.ts";
import type { RecordDeps } from "../resume/decide.ts";
import { isTimeUp } from "./pause.ts";
import type { CallRecord, RunEnd } from "../run.ts";
import { skippedCalls, skippedWarning, type SkippedCall } from "../resume/skipped.ts";
import { recordOf } from "../tool-caller.ts";
import type { RunLifecycleDeps, RunsDeps } from "../run-deps.ts";
import { findUnmatchedNodes } from "../resume/unmatched.ts";

export type WorkflowRunDeps = Omit<NodeCallDeps, "onLogs" | "onSkipped" | "uses"> &
  RunLifecycleDeps &
  Pick<RunsDeps, "args"> &
  GuardedCallDeps &
  RecordDeps;

export async function runWorkflow(
  deps: WorkflowRunDeps,
  prepared: PreparedWorkflow,
  runContext: RunContext,
): Promise<RunEnd> {
  const { id: runId } = await runContext.begin();
  const mismatch = findUnmatchedNodes(
    runContext.corrects,
    prepared.plan.nodes.map(({ node }) => node.id),
  );
  if (mismatch !== undefined)
    return { result: { success: false, error: mismatch }, calls: [], logs: [], warnings: [] };
  const calls = createCalls(prepared, runContext, deps.clock.elapsed());
  const ends = new Map<string, NodeEnd>();
  const logs: LogLine[] = [];
  const below: SkippedCall[] = [];
  const nodeDeps = {
    ...deps,
    runContext,
    prepared,
    runId,
    seal: runContext.seal,
    uses: runContext.request.uses,
    random: Math.random,
    onLogs: (lines: readonly LogLine[]) => void logs.push(...lines),
    onSkipped: (skips: readonly SkippedCall[]) => void below.push(...skips),
    onStep: (step: DoneStep, end: StepEnd, startedAt: number) =>
      calls.add(step, end, startedAt, deps.clock.elapsed()),
  };
  const failure = await runAll(nodeDeps, ends);
  const warnings = [...prepared.warnings];
  const result =
    failure === undefined
      ? succeed(await outputsOf(prepared, runContext.request.inputs, ends, warnings))
      : { success: false as const, error: failure.error };
  const skipped = [...skippedCalls(calls.records), ...below];
  return {
    result,
    calls: calls.records,
    logs,
    warnings: [...warnings, ...skipped.map(skippedWarning)],
    ...(skipped.length > 0 && { skipped }),
    ...(failure?.seq !== undefined && failure.seq > 0 && { failedSeq: failure.seq }),
  };
}

type Failed = Extract<NodeEnd, { kind: "failed" }>;

/** For what was cancelled to say so; what does not listen is not waited for, and its step stays open. */
const CANCEL_GRACE_MS = 500;

async function runAll(
  given: Omit<NodeRunDeps, "isOver">,
  ends: Map<string, NodeEnd>,
): Promise<Failed | undefined> {
  const deps: NodeRunDeps = {
    ...given,
    isOver: () => failure !== undefined || given.runContext.signal.aborted,
  };
  const waiting = new Set(deps.prepared.plan.nodes);
  const underWay = new Map<string, Promise<void>>();
  const givenUp = afterAbort(deps.runContext.signal, CANCEL_GRACE_MS);
  let failure: Failed | undefined;

  const begin = (planned: PlannedNode): void => {
    const { id } = planned.node;
    const work = endOfNode(deps, planned, ends).then((end) => {
      ends.set(id, end);
      underWay.delete(id);
      if (end.kind === "failed" && !end.isHandled) failure ??= { ...end, error: { ...end.error, node: id } };
      return undefined;
    });
    underWay.set(id, work);
  };
  for (;;) {
    const ready = deps.isOver() ? [] : [...waiting].filter((planned) => isReady(planned, ends));
    for (const planned of ready) {
      if (underWay.size >= deps.runContext.limits.callsAtOnceMax) break;
      waiting.delete(planned);
      begin(planned);
    }
    if (underWay.size === 0) break;
    if ((await Promise.race([...underWay.values(), givenUp.promise])) === "given_up") break;
  }
  givenUp.stop();
  const isLeft = waiting.size > 0 || underWay.size > 0;
  const isCutShort = failure === undefined ? isLeft : failure.error.code === "CANCELLED";
  return isCutShort ? { ...failure, ...cutShort(deps) } : failure;
}

/** Resolves a while after the signal. */
function afterAbort(
  signal: AbortSignal,
  ms: number,
): { readonly promise: Promise<"given_up">; readonly stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<"given_up">();
  let timer: NodeJS.Timeout | undefined;
  const start = (): void => {
    timer = setTimeout(() => resolve("given_up"), ms);
  };
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return {
    promise,
    stop() {
      clearTimeout(timer);
      signal.removeEventListener("abort", start);
    },
  };
}

function cutShort({ runContext, clock }: NodeRunDeps): Failed {
  const { error } =
    clock.elapsed() >= runContext.deadlineAt || isTimeUp(runContext.signal)
      ? fail("TOOL_TIMEOUT", `The run was stopped at its time limit of ${runContext.limitMs} ms.`, {
          reason: "timeout",
          retryable: false,
          hint: "Resume it to go on, or set timeout_ms.",
        })
      : fail("CANCELLED", "The run was cancelled.");
  return { kind: "failed", error, hash: "", isHandled: false };
}

function isReady({ after, handles }: PlannedNode, ends: ReadonlyMap<string, NodeEnd>): boolean {
  return [...after, ...handles].every((id) => ends.has(id));
}

async function endOfNode(
  deps: NodeRunDeps,
  planned: PlannedNode,
  ends: ReadonlyMap<string, NodeEnd>,
): Promise<NodeEnd> {
  if (!isWanted(planned, ends, deps.prepared)) return { kind: "skipped" };
  const roots = await rootsFor(planned.reads, deps.runContext.request.inputs, ends);
  const before = [...planned.after, ...planned.handles].map((id) => {
    const end = ends.get(id)!;
    return `${id} ${end.kind} ${end.kind === "skipped" ? "" : end.hash}`;
  });
  return runNode(deps, planned, roots, before);
}

function isWanted(
  { after, reads, handles }: PlannedNode,
  ends: ReadonlyMap<string, NodeEnd>,
  { workflow }: PreparedWorkflow,
): boolean {
  const onError = new Map(workflow.nodes.map((node) => [node.id, node.onError]));
  const end = (id: string): NodeEnd => ends.get(id)!;
  const isDone = (id: string): boolean =>
    end(id).kind === "done" || (end(id).kind === "failed" && onError.get(id) === "continue");
  const hasFailed = (id: string): boolean => end(id).kind === "failed";
  if (handles.length > 0 && !handles.some(hasFailed)) return false;
  if (!reads.every((id) => isDone(id) || (handles.includes(id) && hasFailed(id)))) return false;
  const edges = after.filter((id) => !reads.includes(id));
  return edges.length === 0 || edges.some(isDone);
}

async function rootsFor(
  ids: readonly string[],
  inputs: JsonObject,
  ends: ReadonlyMap<string, NodeEnd>,
): Promise<ReadonlyMap<string, Json>> {
  const roots = new Map<string, Json>(Object.entries(inputs));
  for (const id of ids) {
    const end = ends.get(id);
    if (end?.kind === "done") roots.set(id, await end.value());
    else if (end?.kind === "failed") roots.set(id, errorValue(end.error));
  }
  return roots;
}

/** Null for the result of a skipped node; a path that does not exist is a warning. */
async function outputsOf(
  { workflow }: PreparedWorkflow,
  inputs: JsonObject,
  ends: ReadonlyMap<string, NodeEnd>,
  warnings: string[],
): Promise<JsonObject> {
  const outputs: [string, Json][] = [];
  for (const [name, { source }] of workflow.outputs) {
    const { uses } = findTemplates(source, name);
    const roots = await rootsFor(
      uses.map(({ root }) => root),
      inputs,
      ends,
    );
    const filled = fillTemplates(source, `outputs.${name}.source`, roots);
    const isSkipped = uses.some(({ root }) => ends.get(root)?.kind === "skipped");
    if (!filled.ok && !isSkipped) warnings.push(`The output ${name} is null: ${source} is not there.`);
    outputs.push([name, filled.ok ? filled.value : null]);
  }
  return Object.fromEntries(outputs);
}

/** The steps as they are told, while they happen and at the end. */
function createCalls({ workflow }: PreparedWorkflow, { request }: RunContext, startedAt: number) {
  const records: CallRecord[] = [];
  return {
    records,
    add({ node, tool }: DoneStep, end: StepEnd, beganAt: number, endedAt: number): void {
      const record = recordOf(end);
      records.push({ tool, node, ...record, startedMs: beganAt - startedAt, elapsedMs: endedAt - beganAt });
      const number = records.length;
      const total = Math.max(number, workflow.nodes.length);
      const { success } = record;
      const isSkipped = record.skippedBy !== undefined;
      request.observe?.({ kind: "call_ended", tool: node, number, success, isSkipped, total });
    },
  };
}
