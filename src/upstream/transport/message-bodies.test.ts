import { expect, it } from "vitest";
import type { JsonRpcMessage } from "./transport.ts";
import { requestIdOf, takeMessages } from "./message-bodies.ts";

function open(chunks: readonly (string | Uint8Array)[], type: string, id?: number) {
  const messages: JsonRpcMessage[] = [];
  const unusable: unknown[] = [];
  const encoder = new TextEncoder();
  const body = ReadableStream.from(
    chunks.map((chunk) => (typeof chunk === "string" ? encoder.encode(chunk) : chunk)),
  );
  const response = takeMessages(new Response(body, { headers: { "content-type": type } }), id, {
    onmessage: (message) => void messages.push(message),
    onunusable: (whose, { reason }) => void unusable.push([whose, reason]),
  });
  return { response, messages, unusable };
}

const NOTE = { jsonrpc: "2.0", method: "x", params: { text: "ä€😀" } };
const ANSWER = { jsonrpc: "2.0", id: 7, result: "s", error: null };
const NOTE_STUB = '{"jsonrpc":"2.0","method":"notifications/taken"}';
const ANSWER_STUB = '{"jsonrpc":"2.0","id":0,"result":{}}';

it.each(["\n", "\r\n"])(
  "S18: takes messages out of events, however they are cut, and leaves the rest: %j",
  async (end) => {
    const [first, second] = JSON.stringify(NOTE).split(",");
    const lines = [
      ": hello",
      "",
      "event: endpoint",
      "data: /messages",
      "",
      "id: 1",
      "data:",
      "",
      "id: 2",
      "event: message",
      `data: ${first},`,
      `data:${second}${JSON.stringify(NOTE).slice(`${first},${second}`.length)}`,
      "",
      "data: {broken",
      "",
      `data: ${JSON.stringify(ANSWER)}`,
      "",
      "data: never ended",
    ];
    const bytes = new TextEncoder().encode(lines.join(end));
    const expected = [
      ": hello\n\n",
      "event: endpoint\ndata: /messages\n\n",
      "id: 1\ndata: \n\n",
      `id: 2\nevent: message\ndata: ${NOTE_STUB}\n\n`,
      `data: ${NOTE_STUB}\n\n`,
      `data: ${ANSWER_STUB}\n\n`,
    ].join("");
    for (let at = 1; at < bytes.length; at++) {
      const { response, messages } = open([bytes.slice(0, at), bytes.slice(at)], "text/event-stream", 7);
      expect(await response.text()).toBe(expected);
      expect(messages).toEqual([NOTE, ANSWER]);
    }
  },
);

it("S18: takes messages out of JSON when it is read, and not before", async () => {
  const { response, messages, unusable } = open(
    [JSON.stringify([NOTE, ANSWER])],
    "application/json; charset=utf-8",
    7,
  );
  expect(messages).toEqual([]);
  expect(await response.json()).toEqual([]);
  expect({ messages, unusable }).toEqual({ messages: [NOTE, ANSWER], unusable: [] });
});

it.each([
  "{",
  "null",
  "[]",
  "5",
  JSON.stringify(NOTE),
  '{"jsonrpc":"2.0","id":8,"result":{}}',
  '{"id":7,"result":{}}',
])("S18: says that a body is no answer to the request: %s", async (body) => {
  const { response, unusable } = open([body], "application/json", 7);
  expect(await response.json()).toEqual([]);
  expect(unusable).toEqual([[7, "malformed_answer"]]);
});

it("knows the id of a request that it sends, and of nothing else", () => {
  const body = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });
  expect(requestIdOf(body({ id: 12, method: "x", params: {} }))).toBe(12);
  expect(requestIdOf(body({ id: 12, result: {} }))).toBeUndefined();
  expect(requestIdOf(body({ method: "x", params: { id: 3 } }))).toBeUndefined();
  expect(requestIdOf(undefined)).toBeUndefined();
});
