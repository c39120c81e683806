/**
 * Takes the messages out of the answers of a remote server as they are, and leaves the SDK's transport what it needs to
 * go on: that an answer came, and the ids of events. The SDK drops what its own schema does not know, and the caller
 * would wait in vain; here every message reaches the one bound that all transports share.
 */
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { UnusableAnswer, JsonRpcMessage } from "./transport.ts";
import { AnswerTooLong } from "../../net/answer-limit.ts";

export interface BodyReceiver {
  onmessage(message: JsonRpcMessage): void;
  onunusable(id: unknown, why: UnusableAnswer): void;
}

/** What the transport reads in place of an answer, and of anything else. */
const ANSWER_STUB = '{"jsonrpc":"2.0","id":0,"result":{}}';
const OTHER_STUB = '{"jsonrpc":"2.0","method":"notifications/taken"}';

/** The id of the request that a body sends; our own requests begin with it. */
export function requestIdOf(body: unknown): number | undefined {
  const id =
    typeof body === "string" ? /^\{"jsonrpc":"2\.0","id":(\d+),"method":/.exec(body)?.[1] : undefined;
  return id === undefined ? undefined : Number(id);
}

/** The same response, whose messages go to the receiver when the transport reads its body. */
export function takeMessages(response: Response, id: number | undefined, receiver: BodyReceiver): Response {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || response.body === null) return response;
  if (/^\s*text\/event-stream\b/i.test(type)) return withEvents(response, id, receiver);
  if (!/^\s*application\/json\b/i.test(type) || id === undefined) return response;
  // Not before it is asked for: by then the transport has taken what it needs from the headers.
  return Object.defineProperty(response, "json", {
    value: async () => takeJson(await response.text(), id, receiver),
  });
}

function takeJson(text: string, id: number, receiver: BodyReceiver): [] {
  const parsed = parse(text);
  const messages = (Array.isArray(parsed) ? parsed : [parsed]).filter(isMessage);
  for (const message of messages) receiver.onmessage(message);
  if (!messages.some((message) => message["id"] === id && message["method"] === undefined)) {
    receiver.onunusable(id, {
      reason: "malformed_answer",
      problem: "its body is no JSON-RPC answer to the request",
    });
  }
  return [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is JsonObject & JsonRpcMessage {
  return isJsonObject(value) && value["jsonrpc"] === "2.0";
}

// ── streams of events ───────────────────────────────────────────────────────────────────────────────────────────────

function withEvents(response: Response, id: number | undefined, receiver: BodyReceiver): Response {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const events = new EventTaker(receiver);
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          controller.enqueue(encoder.encode(events.push(decoder.decode(value, { stream: true }))));
        } catch (error) {
          if (id !== undefined && error instanceof AnswerTooLong) {
            receiver.onunusable(id, { reason: "answer_too_large", problem: error.problem });
          }
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead, for the same reason as above.
    { highWaterMark: 0 },
  );
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: url });
}

class EventTaker {
  readonly #receiver: BodyReceiver;
  /** The parts of a line that has not ended. */
  #parts: string[] = [];
  /** The lines of the event that has not ended, without its data. */
  #fields: string[] = [];
  #data: string[] = [];

  constructor(receiver: BodyReceiver) {
    this.#receiver = receiver;
  }

  /** Returns what the transport is to read. */
  push(text: string): string {
    let passed = "";
    let from = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
      const line = [...this.#parts, text.slice(from, at)].join("").replace(/\r$/, "");
      this.#parts = [];
      from = at + 1;
      if (line === "") passed += this.#endEvent();
      else if (/^data(?::|$)/.test(line)) this.#data.push(line.slice(5).replace(/^ /, ""));
      else this.#fields.push(line);
    }
    if (from < text.length) this.#parts.push(text.slice(from));
    return passed;
  }

  #endEvent(): string {
    const fields = this.#fields;
    const data = this.#data.join("\n");
    const hasData = this.#data.length > 0;
    this.#fields = [];
    this.#data = [];
    const isTaken = data !== "" && fields.every((field) => !/^event:(?! ?message$)/.test(field));
    const shown = isTaken ? [this.#take(data)] : hasData ? data.split("\n") : [];
    return [...fields, ...shown.map((line) => `data: ${line}`), "", ""].join("\n");
  }

  #take(data: string): string {
    const message = parse(data);
    if (!isMessage(message)) return OTHER_STUB;
    this.#receiver.onmessage(message);
    return message["method"] === undefined ? ANSWER_STUB : OTHER_STUB;
  }
}
