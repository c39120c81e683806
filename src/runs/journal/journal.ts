/**
 * The journal of one run. A call that could do harm twice is put on record before it is sent and again when it has
 * returned, each in one transaction; any other only when it has returned, and a read while its answer is on the way
 * (`read-records.ts`). Each is on record before the next one is sent. A call that is on record is answered from there and not made.
 *
 * When the process dies between two lines here, what is on record tells the rest: an opened step without an end may
 * have taken effect, anything that is not on record has not been sent or may be sent again. When another owner has
 * taken the run over, nothing more is written or begun.
 */
import type { Clock } from "../../core/clock.ts";
import { crashPoint, crashPointSoon } from "../../process/crash-point.ts";
import type { ToolError } from "../../core/errors.ts";
import { DATA_LIMITS, findJsonProblem, type Json, type JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Lease, RunStore, Step, StepOutcome } from "../../core/store.ts";
import { endSpan, NO_TELEMETRY, type Telemetry } from "../../telemetry/telemetry.ts";
import type { TaskRecord } from "../../core/tool.ts";
import type { TraceContext } from "../../core/trace-context.ts";
import { ANSWER_BYTES_MAX } from "../../sandbox/runner/limits.ts";
import type { Shutdown } from "../shutdown.ts";
import { isPause } from "../workflow/pause.ts";
import { createReadRecords } from "./read-records.ts";
import { createReplayQueue } from "./replay-queue.ts";
import { startStepSpan } from "../run-span.ts";
import type { Seal } from "./seal.ts";
import { createStepTask, taskOfStep, type StepTask } from "./step-task.ts";
import { skippedBy } from "../resume/skipped.ts";
import type { CallUnderWay } from "./under-way.ts";

/** The tool of a step that is a question to a person: an approval node, or a call that a rule asks about. */
export const QUESTION_TOOL = "approve";

export interface StepRequest {
  readonly key: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** Making it twice does no harm. */
  readonly isRepeatable: boolean;
  /** It changes nothing: its answer is on record before the next call is sent, and on disk before one that changes something. */
  readonly isRead?: boolean;
  /** It is a run of its own, with a journal of its own. */
  readonly startsRun?: boolean;
  /** Whether a failure is part of the plan: then it is answered from the journal like a success. */
  readonly isFailureHandled?: (error: ToolError) => boolean;
  /** Looked at before anything is put on record as sent. */
  readonly check?: () => Promise<ToolResult<unknown>>;
  /** What is called below is told of the trace, if there is one. */
  readonly make: (trace?: TraceContext, task?: TaskRecord) => Promise<ToolResult<Json>>;
}

export interface StepEnd {
  readonly result: ToolResult<Json>;
  readonly seq: number;
  /** The guest's clock at that moment. */
  readonly at: number;
  readonly isReplayed: boolean;
  /** Who decided to go on without it. */
  readonly skippedBy?: string;
  /** It was not made: the run waits, for this call or for another. */
  readonly isWaiting?: true;
}

export interface Journal {
  perform(step: StepRequest): Promise<StepEnd>;
  /** What is on record for a key; undefined when it has not ended. */
  recorded(key: string): Step | undefined;
  /** Puts a question on record. False when another owner took over. */
  ask(step: Pick<StepRequest, "key" | "tool" | "args">): Promise<boolean>;
  /** Puts the answer to a question on record that was asked in this run. */
  answer(key: string, result: ToolResult<Json>, isFailureHandled?: boolean): Promise<boolean>;
  /** The guest has taken all answers and waits. */
  idle(): void;
  /** Every call that has ended is on record; false when the run has been told why not. */
  flush(): Promise<boolean>;
  /** Whether something was begun that is more than a read: then a failure of the machine may not lose how the run ended. */
  readonly hasChanged: boolean;
}

export interface JournalDeps {
  readonly store: RunStore;
  readonly lease: () => Promise<Lease>;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly shutdown: Pick<Shutdown, "enter" | "track">;
  readonly signal: AbortSignal;
  readonly telemetry?: Telemetry;
  /** The span of the run. */
  readonly trace?: TraceContext | undefined;
  /** What earlier runs have done already. */
  readonly taken: readonly Step[];
  readonly clockAt: number;
  /** Whether the run is only set aside, and goes on later; without it, it never is. */
  readonly isSetAside?: () => boolean;
  /** Whether recorded answers go in the order in which they came. */
  readonly isOrdered: boolean;
  /** A call is made; returns how to say that it has ended. */
  readonly callBegun?: ((call: CallUnderWay) => () => void) | undefined;
  /** Another owner has the run. */
  readonly onLost: () => void;
  /** A step could not be recorded. The run must stop: a resume could repeat what was done. */
  readonly onBroken: (error: unknown) => void;
}

interface BegunStep extends Pick<Step, "seq" | "args" | "startedAt"> {
  readonly lease: Lease;
  /** It is on record as sent. */
  readonly isOpened: boolean;
  /** The record of what its call becomes, where it is on record as sent. */
  readonly task: StepTask | undefined;
  /** It is on record as ended, or never will be. */
  readonly ended: () => void;
}

export function createJournal(deps: JournalDeps): Journal {
  const { store, clock, seal } = deps;
  const taken = new Map(deps.taken.filter(({ status }) => status !== "sent").map((step) => [step.key, step]));
  /** What the calls of steps became that have no answer yet. */
  const going = new Map(deps.taken.map((step) => [step.key, taskOfStep(step)]));
  // A question is no answer that code waits for.
  const answers = [...taken.values()].filter(({ tool }) => tool !== QUESTION_TOOL);
  const queue = createReplayQueue(answers.map(endSeqOf));
  const reads = createReadRecords({ store, onLost: tellLost, onBroken: deps.onBroken });
  let counter = Math.max(0, ...deps.taken.map((step) => Math.max(step.seq, endSeqOf(step))));
  let clockAt = deps.clockAt;
  /** How many light writes there were, and of how many it is known that they are on disk. The run itself is the first. */
  let lightCount = 1;
  let settledCount = 0;
  let hasChanged = false;
  let lastDelivery: Promise<unknown> = Promise.resolve();

  /** As long as recorded answers are to come, time is theirs; then it goes on. */
  function liveClock(): number {
    clockAt = queue.isEmpty ? Math.max(clockAt, clock.now()) : clockAt;
    return clockAt;
  }

  async function replay(step: Step): Promise<StepEnd> {
    const result = await inTurn(endSeqOf(step), () => recordedResult(step));
    clockAt = Math.max(clockAt, step.clockAt ?? clockAt);
    return {
      result,
      seq: step.seq,
      at: clockAt,
      isReplayed: true,
      skippedBy: skippedBy(step),
    };
  }

  function inTurn<T>(endSeq: number, deliver: () => Promise<T>): Promise<T> {
    if (deps.isOrdered) return queue.turn(endSeq, deliver);
    void queue.turn(endSeq, async () => {});
    return deliver();
  }

  async function recordedResult(step: Step): Promise<ToolResult<Json>> {
    if (step.status === "failed") {
      return { success: false, error: seal.open(step.error ?? {}) as unknown as ToolError };
    }
    const result = step.resultBytes === null ? step.result : await store.stepResult(step.runId, step.key);
    return succeed(seal.open(result ?? null));
  }

  async function live(step: StepRequest): Promise<StepEnd> {
    if (!(await deps.shutdown.enter(deps.signal))) return lost(++counter);
    const seq = ++counter;
    const work = record(step, seq).catch((error: unknown) => {
      deps.onBroken(error);
      return lost(seq);
    });
    return step.startsRun === true ? work : deps.shutdown.track(work);
  }

  async function record(step: StepRequest, seq: number): Promise<StepEnd> {
    const startedAt = clock.now();
    const lease = await deps.lease();
    const problem = await step.check?.();
    const isRefused = problem?.success === false;
    crashPoint("step.arriving");
    const args = seal.close(step.args);
    const begunTask = going.get(step.key);
    const isOpened = begunTask !== undefined || (!step.isRepeatable && !isRefused);
    const lightBefore = lightCount;
    const isChange = !isRefused && step.isRead !== true && step.startsRun !== true;
    hasChanged ||= step.isRead !== true;
    if (!(await reads.flush())) return lost(seq);
    if (isChange && !isOpened && settledCount < lightBefore) await store.settle();
    if (isOpened && !(await store.openStep(lease, { key: step.key, seq, tool: step.tool, args }))) {
      return lost(seq);
    }
    // A step that was opened has brought to disk what was read before; nothing that changes something is sent earlier.
    if (isChange) settledCount = Math.max(settledCount, lightBefore);
    if (isOpened) crashPoint("step.opened");
    const { key, tool } = step;
    const ended = deps.callBegun?.({ runId: lease.runId, key, seq, tool, startedAt }) ?? (() => {});
    const { isSetAside = () => false } = deps;
    const task = isOpened ? createStepTask({ store, isSetAside }, { lease, key }, begunTask) : undefined;
    const begun = { seq, args, startedAt, lease, isOpened, task, ended };
    try {
      return await finish(step, begun, isRefused ? problem : undefined);
    } catch (error) {
      ended();
      throw error;
    }
  }

  async function finish(
    step: StepRequest,
    begun: BegunStep,
    refusal: ToolResult<never> | undefined,
  ): Promise<StepEnd> {
    const { seq, task } = begun;
    const result = refusal ?? (await send(step, task));
    if (!result.success && task?.isLeft() === true) {
      begun.ended();
      return lost(seq);
    }
    // A run below that waits has not ended, and so has not the step that started it.
    if (!result.success && isPause(result.error)) {
      begun.ended();
      return { result, seq, at: clockAt, isReplayed: false };
    }
    const outcome = outcomeOf(result, step, ++counter);
    const writing = write(step, begun, outcome);
    const isWritten = await afterTheOnesBefore(writing, outcome.endSeq);
    return isWritten ? { result, seq, at: outcome.clockAt, isReplayed: false } : lost(seq);
  }

  /** A read is told before it is written. */
  function write(step: StepRequest, begun: BegunStep, outcome: StepOutcome): Promise<boolean> {
    const { key, tool } = step;
    const { seq, args, startedAt, lease, isOpened, ended } = begun;
    const finished = { ...outcome, key, seq, tool, args, startedAt };
    if (step.isRead === true) {
      lightCount++;
      reads.add({ lease, step: finished, ended });
      return Promise.resolve(true);
    }
    const writing = isOpened ? store.closeStep(lease, key, outcome) : store.recordStep(lease, finished);
    return writing.finally(() => {
      crashPoint("step.closed");
      ended();
    });
  }

  /**
   * The guest hears of ends in the order of their numbers, whichever is written first. One that cannot be written holds
   * up none.
   */
  async function afterTheOnesBefore(writing: Promise<boolean>, endSeq: number): Promise<boolean> {
    const before = lastDelivery;
    const told = writing.then(async (isWritten) => {
      await before;
      return inTurn(endSeq, async () => isWritten);
    });
    lastDelivery = told.catch(() => {});
    return told;
  }

  async function send(step: StepRequest, task: StepTask | undefined): Promise<ToolResult<Json>> {
    const span = startStepSpan(deps.telemetry ?? NO_TELEMETRY, step.tool, deps.trace);
    const answer = step.make(span.context ?? deps.trace, task);
    crashPointSoon("step.sent");
    const result = bounded(await answer);
    endSpan(span, result);
    crashPoint("step.answered");
    return result;
  }

  function outcomeOf(
    result: ToolResult<Json>,
    step: Pick<StepRequest, "isRepeatable" | "isFailureHandled">,
    endSeq: number,
  ): StepOutcome {
    const times = { endSeq, clockAt: liveClock(), finishedAt: clock.now() };
    if (result.success) return { status: "succeeded", result: seal.close(result.data), ...times };
    const { mayHaveHappened, ...error } = result.error;
    const told = {
      ...error,
      ...(mayHaveHappened && !step.isRepeatable && { mayHaveHappened }),
      ...(step.isFailureHandled?.(result.error) === true && { handled: true }),
    };
    return { status: "failed", error: seal.close(told as unknown as JsonObject), ...times };
  }

  /** Nothing of it is told to anyone: the run ends. */
  function lost(seq: number): StepEnd {
    tellLost();
    return { result: fail("CANCELLED", "The run had ended."), seq, at: clockAt, isReplayed: false };
  }

  function tellLost(): void {
    if (!deps.signal.aborted) deps.onLost();
  }

  return {
    idle: () => queue.idle(),
    get hasChanged() {
      return hasChanged;
    },
    flush: () => reads.flush(),
    recorded: (key) => taken.get(key),
    async perform(step) {
      const recorded = taken.get(step.key);
      return recorded === undefined ? live(step) : replay(recorded);
    },
    async ask({ key, tool, args }) {
      const step = { key, seq: ++counter, tool, args: seal.close(args), status: "waiting" as const };
      hasChanged = true;
      if (!(await reads.flush())) return false;
      return store.openStep(await deps.lease(), step);
    },
    async answer(key, result, isFailureHandled = false) {
      const step = { isRepeatable: true, isFailureHandled: () => isFailureHandled };
      const outcome = outcomeOf(result, step, ++counter);
      return (await reads.flush()) && store.closeStep(await deps.lease(), key, outcome);
    },
  };
}

function endSeqOf({ endSeq, seq }: Step): number {
  return endSeq ?? seq;
}

/**
 * An answer that cannot be kept cannot be told either: a resumed run would have to make the call again. That it was
 * made stays on record.
 */
function bounded(result: ToolResult<Json>): ToolResult<Json> {
  if (!result.success) return result;
  const problem = findJsonProblem(result.data, DATA_LIMITS) ?? sizeProblem(result.data);
  if (problem === undefined) return result;
  return fail("TOOL_EXECUTION_FAILED", `The call was made, but its answer cannot be kept: ${problem}.`, {
    reason: ANSWER_LIMIT,
    hint: "Ask the tool for less.",
  });
}

/** The reason of a failure whose call was made all the same. */
export const ANSWER_LIMIT = "answer_limit";

function sizeProblem(value: Json): string | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > ANSWER_BYTES_MAX ? `it has ${bytes} bytes; the limit is ${ANSWER_BYTES_MAX}` : undefined;
}
