import { parseJson, type JsonObject, isJsonObject } from "../../core/json.ts";
import { splitFrame } from "./frame.ts";
import { ANSWER_BYTES_MAX } from "./limits.ts";
import type { CallReply, GuestRun } from "../guest-contract.ts";

/** Takes the guest's calls, makes so many at a time, and sends the answers back. */
export interface CallDispatcher {
  /** False when the frame is not one that the guest's side could have sent. */
  take(line: string): boolean;
  /** The guest says how many answers it has taken before it waits. */
  idle(line: string): void;
  /** The answers have been read; calls that wait may be made. */
  resume(): void;
  /**
   * No call starts any more; waits for those under way until the signal cancels them, and a moment longer, whatever they
   * make of it. Says how many were not made.
   */
  close(signal: AbortSignal): Promise<number>;
}

/** For what was cancelled to say so; a tool that does not listen is not waited for. */
const CANCEL_GRACE_MS = 250;

/** `call` must not throw; if it does, the guest hears that the call failed, and no more. */
const BROKEN: JsonObject = {
  code: "TOOL_EXECUTION_FAILED",
  message: "The gateway failed to make this call.",
};

interface Call {
  readonly id: number;
  readonly index: number;
  readonly args: JsonObject;
}

/** Where answers go. */
interface AnswerSink {
  send(frame: string): void;
  readonly isClogged: boolean;
}

export function createCallDispatcher(run: GuestRun, sink: AnswerSink): CallDispatcher {
  const waiting: Call[] = [];
  const underWay = new Set<Promise<void>>();
  const cancellation = new AbortController();
  /** What the guest's clock shows; it never goes back. */
  let clockAt = run.clockAt;
  let takenCount = 0;
  let lastId = 0;
  let sentCount = 0;
  let isClosed = false;

  function next(): void {
    // A guest that asks for much and reads nothing must not fill the gateway's memory.
    if (isClosed || sink.isClogged) return;
    while (underWay.size < run.callsAtOnceMax && waiting.length > 0) void begin(waiting.shift()!);
  }

  async function begin(call: Call): Promise<void> {
    const made = make(call);
    underWay.add(made);
    await made;
    underWay.delete(made);
    next();
  }

  async function make({ id, index, args }: Call): Promise<void> {
    const reply = await run
      .call(index, args, cancellation.signal)
      .catch((): CallReply => ({ kind: "failed", error: BROKEN, at: clockAt }));
    clockAt = Math.max(clockAt, reply.at);
    if (!isClosed) answer(id, { ...reply, at: clockAt });
  }

  function answer(id: number, reply: CallReply): void {
    sentCount++;
    sink.send(frameOf(id, reply));
  }

  return {
    idle(line) {
      if (!isClosed && Number(line.slice(2)) === sentCount) run.onIdle?.();
    },
    resume: next,
    take(line) {
      const [, idText, indexText, body] = splitFrame(line, 3) as [string, string, string, string];
      const [id, index] = [Number(idText), Number(indexText)];
      // The guest's side counts too and refuses the guest; here it is only made sure of. Numbers may be left out, not repeated.
      if (++takenCount > run.callsMax || !(id > lastId) || run.functions[index]?.name == null) return false;
      lastId = id;
      const args = parseJson(body);
      if (args.ok && isJsonObject(args.value)) {
        waiting.push({ id, index, args: args.value });
        next();
        return true;
      }
      const message = args.ok
        ? "The arguments must be an object."
        : `The arguments are refused: ${args.message}.`;
      answer(id, { kind: "failed", error: { code: "TOOL_INVALID_INPUT", message }, at: clockAt });
      return true;
    },
    async close(signal) {
      isClosed = true;
      const droppedCount = waiting.splice(0).length;
      if (underWay.size > 0) await waitOrCancel(Promise.all(underWay), cancellation, signal);
      return droppedCount;
    },
  };
}

/** Resolves with the calls, or a moment after they were cancelled. */
async function waitOrCancel(
  calls: Promise<unknown>,
  cancellation: AbortController,
  signal: AbortSignal,
): Promise<void> {
  const { promise: givenUp, resolve: giveUp } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    cancellation.abort();
    timer = setTimeout(giveUp, CANCEL_GRACE_MS);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  await Promise.race([calls, givenUp]);
  clearTimeout(timer);
  signal.removeEventListener("abort", cancel);
}

function frameOf(id: number, reply: CallReply): string {
  if (reply.kind === "failed") return `E ${id} ${reply.at} ${JSON.stringify(reply.error)}`;
  const body = reply.value === undefined ? "" : JSON.stringify(reply.value);
  if (body.length <= ANSWER_BYTES_MAX) return `R ${id} ${reply.at} ${body}`;
  const message = `The answer has ${body.length} characters; code can read ${ANSWER_BYTES_MAX}. Ask the tool for less.`;
  return `E ${id} ${reply.at} ${JSON.stringify({ code: "TOOL_EXECUTION_FAILED", reason: "answer_limit", message })}`;
}
