/**
 * What a server asks the client of a channel. Nothing in a question says which call it belongs to: it may be any call
 * of the client that is under way when it is asked, and the time of these is paused until the client has answered.
 * Calls that come later are not touched, so a client that never answers holds up nothing but its own calls, and those
 * only for so long (see `call-timer.ts`).
 *
 * A question ends with the calls that it may belong to: when the last of them was given up, the client is not asked any
 * longer. An answered call takes no question with it, for a server also asks between calls (for the roots, after the
 * handshake).
 */
import { refusalOf } from "../../core/declared.ts";
import type { JsonObject } from "../../core/json.ts";
import type { CallContext, ClientHandle } from "../../core/tool.ts";
import { INTERNAL_ERROR } from "../../core/rpc-codes.ts";
import { InFlight } from "../../timing/in-flight.ts";
import type { CallTimer } from "./call-timer.ts";
import type { AnswerToPeer } from "./peer.ts";

interface Question {
  /** Those of the calls that it may belong to which are still under way. */
  readonly timers: Set<CallTimer>;
  readonly ending: AbortController;
}

export class Questions {
  readonly #timers = new InFlight<CallTimer>();
  readonly #open = new Set<Question>();

  /** A call is under way, with its time. Returns the number under which it ends. */
  callBegan(timer: CallTimer): number {
    return this.#timers.add(timer);
  }

  /** The one that began under this number. */
  callEnded(call: number, isGivenUp: boolean): void {
    const timer = this.#timers.get(call);
    this.#timers.delete(call);
    if (timer === undefined || this.#open.size === 0) return;
    for (const { timers, ending } of this.#open) {
      if (timers.delete(timer) && timers.size === 0 && isGivenUp) ending.abort();
    }
  }

  /** Asks the client, if the protocol and what it declared allow that. */
  async ask(
    client: ClientHandle,
    method: string,
    params: JsonObject,
    signal: AbortSignal,
  ): Promise<AnswerToPeer> {
    const refusal = refusalOf(method, client.capabilities);
    if (refusal !== undefined) return { error: refusal };
    const question: Question = { timers: new Set(this.#timers.values()), ending: new AbortController() };
    const paused = [...question.timers];
    for (const timer of paused) timer.pause();
    this.#open.add(question);
    try {
      const either = AbortSignal.any([signal, question.ending.signal]);
      const answer = await client.request(method, params, either);
      if (answer.success) return { result: answer.data };
      const { upstream, message } = answer.error;
      return { error: upstream ?? { code: INTERNAL_ERROR, message } };
    } finally {
      this.#open.delete(question);
      for (const timer of paused) timer.resume();
    }
  }
}

/** Why no client can be asked. */
export interface NoClient {
  readonly noClient: string;
}

/** The calls of a channel: those under way, and whose calls were given up without an answer. */
interface Callers {
  readonly calls: readonly CallContext[];
  readonly strays: ReadonlySet<ClientHandle | undefined>;
}

/** Where there is one client, whatever the server asks is for it; the newest call says how to reach it. */
export function newestCaller({ calls }: Callers, client: ClientHandle | undefined): ClientHandle | NoClient {
  const caller = calls.findLast((context) => context.client !== undefined)?.client;
  return caller ?? client ?? { noClient: "no call of a client is under way" };
}

/**
 * The client that makes every call under way, where there is such a one. A call that was given up without an answer
 * counts: the server may be asking for it still.
 */
export function onlyCaller({ calls, strays }: Callers): ClientHandle | NoClient {
  if (calls.length === 0) return { noClient: "no call is under way" };
  const callers = new Set([...calls.map(({ client }) => client), ...strays]);
  const [client] = callers;
  if (callers.size > 1) {
    return { noClient: "calls of several clients are under way, and it does not say for which it asks" };
  }
  return client ?? { noClient: "the call under way has none" };
}
