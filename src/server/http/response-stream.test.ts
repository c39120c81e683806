import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../test/fixtures/temporary.ts";
import { silentLog } from "../../core/log.ts";
import { EventWriter } from "./event-stream.ts";
import { ResponseStream } from "./response-stream.ts";
import { STREAM_AFTER_MS } from "./limits.ts";
import { replyError } from "./reply.ts";

/** One real response, and what its client gets of it. */
async function openResponse(): Promise<{ response: ServerResponse; answer: Promise<Response> }> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_request, response) => resolve(response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  answer.catch(() => {});
  return { response: await promise, answer };
}

function streamOn(response: ServerResponse): ResponseStream {
  const openSink = () => {
    const writer = new EventWriter(response);
    return { send: (data: string) => writer.event(data), end: () => writer.end() };
  };
  return new ResponseStream({ response, canStream: true, openSink, log: silentLog });
}

/** Test files share a process, and a call that never ends in another one counts too. */
const openBefore = ResponseStream.openCount;

const ANSWER = { jsonrpc: "2.0", id: 1, result: {} };
const past = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it("S1: the timer that makes a stream does nothing once the response has been answered in another way", async () => {
  const { response, answer } = await openResponse();
  const stream = streamOn(response);
  replyError(response, { status: 500, message: "failed elsewhere" });
  await past(STREAM_AFTER_MS + 100);
  stream.send({ late: true });
  stream.answer(ANSWER);
  expect([(await answer).status, ResponseStream.openCount]).toEqual([500, openBefore]);
});

it("S1: a message that JSON cannot carry opens no stream, and the answer still comes", async () => {
  const { response, answer } = await openResponse();
  const stream = streamOn(response);
  expect(() => stream.send({ value: 1n })).toThrow(TypeError);
  stream.answer(ANSWER);
  expect(await (await answer).json()).toEqual(ANSWER);
});

it("S1: an answer that JSON cannot carry ends a stream with an error under its id", async () => {
  const { response, answer } = await openResponse();
  const stream = streamOn(response);
  stream.send({ jsonrpc: "2.0", method: "notifications/progress" });
  stream.answer({ jsonrpc: "2.0", id: 1, result: { value: 1n } });
  const events = (await (await answer).text()).split("\n").filter((line) => line.startsWith("data: "));
  expect(JSON.parse(events.at(-1)!.slice(6))).toMatchObject({ id: 1, error: { code: -32603 } });
});

it("S1: a response that cannot be written is closed", async () => {
  const { response, answer } = await openResponse();
  response.writeHead = () => {
    throw new Error("cannot be written");
  };
  streamOn(response).answer(ANSWER);
  await expect(answer).rejects.toThrow();
  await eventually("the end", () => response.destroyed);
  expect(ResponseStream.openCount).toBe(openBefore);
});
