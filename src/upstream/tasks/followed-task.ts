/**
 * A call that a modern server has answered with a task (SEP-2663), for a caller that knows nothing of tasks: the task is
 * followed until it ends, and the caller sees one call with one result.
 *
 * - Each answer about the task is a sign of work: the time of the call begins again with it, up to the longest total of
 *   any call (`call-timer.ts`). The time of the run that makes the call is an end in any case.
 * - What the server asks meanwhile, the client of the call is asked, each question once. That time does not count.
 * - A question about the task that fails is asked again, over a new connection where the old one is lost: the task goes on
 *   at its server all the same.
 * - A caller that gives up, and a time that runs out, cancel the task at its server, unless it is followed later.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ToolError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { fail } from "../../core/result.ts";
import type { CallContext, ServerTask } from "../../core/tool.ts";
import { halfJitterMs, type Backoff } from "../../timing/backoff.ts";
import { within } from "../../timing/deadline.ts";
import { CallTimer } from "../connection/call-timer.ts";
import { timeoutOf, type Reply, type RequestOptions } from "../connection/peer.ts";
import { askClient, Patience, ROUND_COUNT_MAX, rpcError } from "../connection/request.ts";
import type { Redactor } from "../../text/redaction.ts";

/** Where the server does not say how often. */
const POLL_MS = 500;
/** A server that wants to be asked more often than this is asked no more often. */
const POLL_MS_MIN = 100;
/** A caller waits, so the end is not noticed later than this. */
const POLL_MS_MAX = 5_000;
/** A server that is restarted or busy is back before the last. */
const FAILURE_COUNT_MAX = 5;
const AGAIN: Backoff = { firstMs: POLL_MS, maxMs: POLL_MS_MAX };
/** The task is cancelled as well as can be; a caller that has given up does not wait for more. */
const CANCEL_MS = 1_000;

/** How a call ended that became a task. */
export type TaskEnd = Reply | { readonly kind: "task_ended"; readonly error: ToolError };

export interface FollowedTaskDeps {
  /** Sends a request about the task, as its call was sent. */
  readonly ask: (method: string, params: JsonObject, options: AskOptions) => Promise<Reply>;
  readonly context: CallContext;
  readonly timeoutMs: number;
  /** Of the run that makes the call; without one, `Infinity`. */
  readonly runLeftMs: number;
  readonly mask: Redactor["mask"];
  readonly random: () => number;
}

type AskOptions = Pick<RequestOptions, "signal" | "timeoutMs">;

/** `begun` is what the server said when it began the task, or the id alone, of one that was begun before. */
export async function followTask(
  task: ServerTask,
  begun: JsonObject,
  deps: FollowedTaskDeps,
): Promise<TaskEnd> {
  const followed = new FollowedTask(task, deps);
  const end = await followed.follow(begun);
  const isGivenUp = end.kind === "cancelled" || end.kind === "timeout" || followed.isUnanswered;
  if (isGivenUp && deps.context.taskRecord?.goesOn() !== true) await followed.cancel();
  return end;
}

class FollowedTask {
  readonly #task: ServerTask;
  readonly #deps: FollowedTaskDeps;
  readonly #timer: CallTimer;
  readonly #late = new AbortController();
  readonly #signal: AbortSignal;
  readonly #patience: Patience;
  readonly #asked = new Set<string>();
  #roundCount = 0;
  #toldCount = 0;
  #told: string | undefined;
  #isRunOver = false;
  /** The server waits for an answer that it will not get. */
  isUnanswered = false;

  constructor(task: ServerTask, deps: FollowedTaskDeps) {
    this.#task = task;
    this.#deps = deps;
    this.#timer = new CallTimer(deps.timeoutMs);
    this.#signal = AbortSignal.any([deps.context.signal, this.#late.signal]);
    this.#patience = new Patience(this.#signal);
  }

  async follow(begun: JsonObject): Promise<TaskEnd> {
    const { runLeftMs } = this.#deps;
    this.#timer.start(() => this.#late.abort());
    const runTimer = Number.isFinite(runLeftMs) ? setTimeout(() => this.#endRun(), runLeftMs) : undefined;
    try {
      return await this.#poll(begun);
    } finally {
      this.#timer.stop();
      clearTimeout(runTimer);
    }
  }

  async cancel(): Promise<void> {
    const { taskId } = this.#task;
    await within(this.#deps.ask("tasks/cancel", { taskId }, { timeoutMs: CANCEL_MS }), CANCEL_MS);
  }

  #endRun(): void {
    this.#isRunOver = true;
    this.#late.abort();
  }

  async #poll(begun: JsonObject): Promise<TaskEnd> {
    let known = begun;
    let failureCount = 0;
    for (;;) {
      const end = await this.#heed(known);
      if (end !== undefined) return end;
      const { random, timeoutMs } = this.#deps;
      await this.#rest(
        failureCount === 0 ? pollMsOf(known, timeoutMs) : halfJitterMs(AGAIN, failureCount, random()),
      );
      if (this.#signal.aborted) return this.#givenUp();
      const { taskId } = this.#task;
      const reply = await this.#deps.ask("tasks/get", { taskId }, { timeoutMs, signal: this.#signal });
      if (this.#signal.aborted) return this.#givenUp();
      if (isFinal(reply)) return reply;
      if (reply.kind === "result") {
        known = reply.result;
        failureCount = 0;
        this.#timer.refresh();
      } else if (++failureCount >= FAILURE_COUNT_MAX) return unreachable(reply);
    }
  }

  /** What the newest word about the task asks for; how it ended, where it has. */
  async #heed(known: JsonObject): Promise<TaskEnd | undefined> {
    this.#tell(known);
    switch (known["status"]) {
      case "completed":
        // Only a question about it brings the result.
        return known["result"] === undefined
          ? undefined
          : { kind: "result", result: known["result"] as JsonObject };
      case "failed":
        return known["error"] === undefined
          ? undefined
          : this.#failed(known["error"] as { code: number; message: string });
      case "cancelled":
        return this.#cancelledThere(known);
      case "input_required":
        return this.#answer((known["inputRequests"] ?? {}) as JsonObject);
      default:
        return undefined;
    }
  }

  async #answer(requests: JsonObject): Promise<TaskEnd | undefined> {
    const open = Object.entries(requests).filter(([key]) => !this.#asked.has(key));
    if (open.length === 0) return undefined;
    this.isUnanswered = true;
    if (++this.#roundCount > ROUND_COUNT_MAX)
      return rpcError(`the server asked for input more than ${ROUND_COUNT_MAX} times`);
    const { context, mask, timeoutMs } = this.#deps;
    this.#timer.pause();
    const answers = await askClient(mask(Object.fromEntries(open)), context, this.#patience);
    this.#timer.resume();
    if (this.#signal.aborted) return this.#givenUp();
    if (answers.kind === "error") return answers;
    const params = { taskId: this.#task.taskId, inputResponses: answers.responses };
    const reply = await this.#deps.ask("tasks/update", params, { timeoutMs, signal: this.#signal });
    if (this.#signal.aborted) return this.#givenUp();
    // One that did not arrive is asked for again, and the client has answered already.
    if (reply.kind !== "result") return reply;
    for (const [key] of open) this.#asked.add(key);
    this.isUnanswered = false;
    return undefined;
  }

  /** A message that has changed is progress. */
  #tell({ statusMessage: message }: JsonObject): void {
    if (typeof message !== "string" || message === this.#told) return;
    this.#told = message;
    this.#deps.context.onProgress?.({ progress: ++this.#toldCount, message });
  }

  async #rest(ms: number): Promise<void> {
    // It rejects when it is cut short, which is looked at next.
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => {});
  }

  #givenUp(): Reply {
    if (this.#deps.context.signal.aborted) return { kind: "cancelled" };
    return this.#isRunOver ? { kind: "timeout", timeoutMs: this.#deps.runLeftMs } : timeoutOf(this.#timer);
  }

  #failed(upstream: { readonly code: number; readonly message: string }): TaskEnd {
    const message = `The server ${this.#task.server} began a task for this call, and it failed: ${upstream.message}`;
    const { error } = fail("TOOL_EXECUTION_FAILED", message, { reason: "task_failed", upstream });
    return { kind: "task_ended", error };
  }

  /** Nobody here wanted it; how far it had come is not known. */
  #cancelledThere({ statusMessage }: JsonObject): TaskEnd {
    const why = typeof statusMessage === "string" ? `: ${statusMessage}` : ".";
    const message = `The server ${this.#task.server} began a task for this call, and it was cancelled there${why}`;
    const { error } = fail("TOOL_EXECUTION_FAILED", message, {
      reason: "task_cancelled",
      mayHaveHappened: true,
      hint: "Part of it may have taken effect: check before you call again.",
    });
    return { kind: "task_ended", error };
  }
}

/** The pause is no silence of the server: it leaves room for the answer. */
function pollMsOf({ pollIntervalMs }: JsonObject, timeoutMs: number): number {
  const wanted = typeof pollIntervalMs === "number" ? pollIntervalMs : POLL_MS;
  return Math.min(Math.max(wanted, POLL_MS_MIN), POLL_MS_MAX, timeoutMs / 2);
}

/** The server answered, and would not answer better if it were asked again. */
function isFinal(
  reply: Reply,
): reply is Exclude<Reply, { kind: "result" | "closed" | "timeout" | "refused" }> {
  if (reply.kind === "unusable") return reply.reason !== "no_answer";
  return reply.kind === "error" || reply.kind === "cancelled";
}

/** No answer came. */
type Missed = Extract<Reply, { kind: "unusable" | "closed" | "timeout" | "refused" }>;

/** The call was made, whatever the reason is that nothing is heard of it any more. */
function unreachable(reply: Missed): Reply {
  return reply.kind === "refused" ? { kind: "closed", reason: reply.error.message } : reply;
}
