/**
 * One call that is held open while its server asks. The server of the legacy era asks during the call and waits; the
 * modern client is asked in an answer and comes back with a new request. Between the two the call goes on with a
 * signal of its own, which outlives each request and ends when the client cancels one, goes away during one, or does
 * not come back in time.
 */
import { refusalOf } from "../core/declared.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CallContext, ClientHandle } from "../core/tool.ts";
import { INTERNAL_ERROR } from "../core/rpc-codes.ts";

/** A person may think before answering. */
export const HELD_MS = 10 * 60 * 1000;
/** Questions of one moment come as messages of their own; a person who answers one does not notice so short a wait. */
const GATHER_MS = 25;
/** A server that asks so much at once asks for ever. */
const QUESTION_COUNT_MAX = 16;

type Result = ToolResult<JsonObject>;

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly settle: (answer: Result) => void;
}

export interface HeldCallDeps {
  /** Has everything ready that `hold` needs; a call that is never asked back needs none of it. */
  readonly prepare: () => Promise<void>;
  /** Takes a place for a call that waits for its client, and seals its state; a failure if there is no place. */
  readonly hold: (call: HeldCall) => ToolResult<string>;
  /** The call has an end that was told, or that no request waits for. */
  readonly onEnd: (call: HeldCall) => void;
  readonly tell: (context: CallContext, method: string, params: JsonObject) => void;
}

export class HeldCall {
  readonly id: string;
  /** The client as the server's side sees it. */
  readonly handle: ClientHandle;
  readonly #deps: HeldCallDeps;
  readonly #ending = new AbortController();
  readonly #questions = new Map<string, Question>();
  readonly #capabilities: JsonObject;
  readonly #revoked: AbortSignal | undefined;
  /** How often the client was asked. */
  round = 0;
  #questionCount = 0;
  #outcome: Result | undefined;
  /** The request of the client that is under way. */
  #context: CallContext | undefined;
  #resolve: ((result: Result) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, { modern, principal }: CallContext, deps: HeldCallDeps) {
    this.id = id;
    this.#deps = deps;
    this.#capabilities = modern?.capabilities ?? {};
    this.handle = this.#createHandle();
    this.#revoked = principal?.revoked;
    this.#revoked?.addEventListener("abort", this.#revoke, { once: true });
  }

  /** Sends the call, and resolves with its result or with what the client is asked first. */
  start(context: CallContext, send: (context: CallContext) => Promise<Result>): Promise<Result> {
    const answer = this.#next(context);
    if (this.#outcome !== undefined) return answer;
    const { onProgress } = context;
    const sent = send({
      ...context,
      signal: this.#ending.signal,
      client: this.handle,
      ...(onProgress !== undefined && { onProgress: (step) => this.#context?.onProgress?.(step) }),
    });
    void sent.catch(brokenCall).then((result) => this.#finish(result));
    return answer;
  }

  /** The client is back, with the answers to some or all of the questions; what it left out it is asked again. */
  resume(context: CallContext): Promise<Result> {
    clearTimeout(this.#timer);
    const answer = this.#next(context);
    const responses = context.modern?.inputResponses ?? {};
    for (const [key, { settle }] of this.#questions) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (isJsonObject(response)) settle(succeed(response));
    }
    return answer;
  }

  /** Cancels the call at its server; the request that waits is told why. */
  end(why: ToolResult<never>): void {
    this.#ending.abort();
    this.#finish(why);
  }

  // ── the client's requests ─────────────────────────────────────────────────────────────────────────────────────────

  #next(context: CallContext): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<Result>();
    const { signal } = context;
    this.#context = context;
    this.#resolve = (result) => {
      signal.removeEventListener("abort", this.#cancel);
      this.#context = undefined;
      this.#resolve = undefined;
      resolve(result);
    };
    if (signal.aborted) this.#cancel();
    else signal.addEventListener("abort", this.#cancel, { once: true });
    if (this.#outcome !== undefined || this.#questions.size > 0) this.#tellSoon();
    return promise;
  }

  readonly #cancel = (): void =>
    this.end(fail("CANCELLED", "The call was cancelled.", { mayHaveHappened: true }));

  readonly #revoke = (): void =>
    this.end(fail("CANCELLED", "The token of the client is not good any more.", { mayHaveHappened: true }));

  /** A question waits a moment for others, so that what a server asks at once is asked at once. */
  #tellSoon(): void {
    setTimeout(() => this.#tell(), this.#outcome === undefined ? GATHER_MS : 0);
  }

  #tell(): void {
    if (this.#resolve === undefined) return;
    if (this.#outcome !== undefined) this.#tellOutcome(this.#outcome);
    else if (this.#questions.size > 0) this.#ask();
  }

  #ask(): void {
    this.round++;
    const held = this.#deps.hold(this);
    if (!held.success) return this.end(held);
    const requestState = held.data;
    const inputRequests = Object.fromEntries(
      [...this.#questions].map(([key, { method, params }]) => [key, { method, params }]),
    );
    this.#timer = setTimeout(() => this.end(expired()), HELD_MS);
    this.#timer.unref();
    this.#resolve?.(succeed({ resultType: "input_required", inputRequests, requestState }));
  }

  // ── the server's side ─────────────────────────────────────────────────────────────────────────────────────────────

  #finish(result: Result): void {
    this.#outcome ??= result;
    for (const { settle } of this.#questions.values()) settle(fail("CANCELLED", "The call has ended."));
    if (this.#resolve !== undefined) this.#tellOutcome(this.#outcome);
    // A result waits for the client; an end without one does not.
    else if (this.#ending.signal.aborted) this.#leave();
  }

  #tellOutcome(outcome: Result): void {
    this.#leave();
    this.#resolve?.(outcome);
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
    this.#revoked?.removeEventListener("abort", this.#revoke);
    this.#deps.onEnd(this);
  }

  #createHandle(): ClientHandle {
    return {
      capabilities: this.#capabilities,
      gone: this.#ending.signal,
      request: (method, params, signal) => this.#park(method, params, signal),
      notify: (method, params) => {
        if (this.#context !== undefined) this.#deps.tell(this.#context, method, params);
      },
    };
  }

  async #park(method: string, params: JsonObject, signal: AbortSignal): Promise<Result> {
    try {
      await this.#deps.prepare();
    } catch {
      return refuse(INTERNAL_ERROR, "the gateway cannot ask its client now: its store does not answer");
    }
    const refusal = this.#refusalOf(method);
    if (refusal !== undefined) return refusal;
    if (this.#outcome !== undefined || signal.aborted) return fail("CANCELLED", "The call has ended.");
    const key = `q${++this.#questionCount}`;
    return new Promise((resolve) => {
      const giveUp = (): void => settle(fail("CANCELLED", "The server does not want to know any more."));
      const settle = (answer: Result): void => {
        signal.removeEventListener("abort", giveUp);
        this.#questions.delete(key);
        resolve(answer);
      };
      signal.addEventListener("abort", giveUp, { once: true });
      this.#questions.set(key, { method, params, settle });
      this.#tellSoon();
    });
  }

  #refusalOf(method: string): ToolResult<never> | undefined {
    const refusal = refusalOf(method, this.#capabilities);
    if (refusal !== undefined) return refuse(refusal.code, refusal.message);
    if (this.#questions.size < QUESTION_COUNT_MAX) return undefined;
    return refuse(
      INTERNAL_ERROR,
      `${QUESTION_COUNT_MAX} questions of this call wait already; no more are taken`,
    );
  }
}

function refuse(code: number, message: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", message, { upstream: { code, message } });
}

/** The sender catches and logs what is thrown; nothing of it is shown. */
function brokenCall(): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", "The gateway failed to handle this call.");
}

function expired(): ToolResult<never> {
  return fail(
    "TOOL_TIMEOUT",
    `No input came within ${HELD_MS / 60_000} minutes, and the call was cancelled.`,
    {
      retryable: false,
      mayHaveHappened: true,
    },
  );
}
