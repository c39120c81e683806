import { getEventListeners } from "node:events";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { JsonRpcMessage } from "../transport/transport.ts";
import { Outbox } from "./outbox.ts";
import { ProcessError } from "./process-error.ts";

const message = (result: unknown): JsonRpcMessage => ({ jsonrpc: "2.0", id: 1, result });

/** A pipe whose reader takes one write at a time, when told to. */
function slowPipe() {
  const written: string[] = [];
  const held: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 64,
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      written.push(chunk.toString());
      held.push(done);
    },
  });
  const readAll = async (): Promise<void> => {
    for (let next = held.shift(); next !== undefined; next = held.shift()) {
      next();
      await new Promise(setImmediate);
    }
  };
  return { stream, written, readAll };
}

const isSettled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    promise.then(
      () => true,
      () => true,
    ),
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ]);

/** The length of the line is 40 and the number of characters that are added. */
const padded = (chars: number): JsonRpcMessage => message("x".repeat(chars));

it("queues up to the limit, lets the next wait, and keeps the order", async () => {
  const pipe = slowPipe();
  const outbox = new Outbox(pipe.stream, { queueBytesMax: 1_000, sendTimeoutMs: 60_000 });
  const sends = Array.from({ length: 12 }, (_, index) => outbox.send(message(`${index}`.padEnd(100, "."))));
  const settled = await Promise.all(sends.map(isSettled));
  expect(settled.filter(Boolean).length).toBeGreaterThan(5);
  expect(settled.at(-1)).toBe(false);
  expect(pipe.stream.writableLength).toBeLessThan(1_000 + 200);
  await pipe.readAll();
  await Promise.all(sends);
  const order = pipe.written
    .join("")
    .split("\n")
    .slice(0, -1)
    .map((line) => parseInt(JSON.parse(line).result, 10));
  expect(order).toEqual(Array.from({ length: 12 }, (_, index) => index));
});

describe("sends that may go together", () => {
  const limits = { queueBytesMax: 1_000, sendTimeoutMs: 60_000 };

  it("are one write at the end of the turn, in their order, and before what is sent by itself", async () => {
    const { stream, written } = slowPipe();
    const outbox = new Outbox(stream, limits);
    for (const result of [1, 2]) await outbox.send(message(result), undefined, true);
    expect(written).toEqual([]);
    await new Promise(setImmediate);
    expect(written).toEqual([`${JSON.stringify(message(1))}\n${JSON.stringify(message(2))}\n`]);
    void outbox.send(message(3), undefined, true);
    void outbox.send(message(4));
    expect(stream.writableLength).toBe(written[0]!.length * 2);
  });

  it("fill the queue like others", async () => {
    const outbox = new Outbox(slowPipe().stream, limits);
    const sends = Array.from({ length: 3 }, () => outbox.send(padded(600), undefined, true));
    expect(await Promise.all(sends.map(isSettled))).toEqual([true, true, false]);
  });

  it("are written all in the end, also where the pipe never filled", async () => {
    const written: string[] = [];
    const stream = new Writable({
      highWaterMark: 64 * 1024,
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        written.push(chunk.toString());
        setImmediate(done);
      },
    });
    const outbox = new Outbox(stream, limits);
    await Promise.all([1, 2, 3].map(() => outbox.send(padded(600), undefined, true)));
    await new Promise<void>((ended) => stream.end(ended));
    expect(written.join("").split("\n")).toHaveLength(4);
  });

  it("are written when it is closed", async () => {
    const { stream, written } = slowPipe();
    const outbox = new Outbox(stream, limits);
    await outbox.send(message(1), undefined, true);
    outbox.close(new ProcessError("PROCESS_CLOSED", "over"));
    expect(written).toHaveLength(1);
  });
});

it("T083 rejects with the limit when there is no room for too long", async () => {
  const outbox = new Outbox(slowPipe().stream, { queueBytesMax: 100, sendTimeoutMs: 20 });
  await outbox.send(padded(200));
  const failure = await outbox.send(padded(1)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "PROCESS_BLOCKED" });
  expect((failure as Error).message).toMatch(/100 bytes.*20 ms/);
});

it("goes on after a send has timed out: later sends find room again", async () => {
  const pipe = slowPipe();
  const outbox = new Outbox(pipe.stream, { queueBytesMax: 100, sendTimeoutMs: 20 });
  await outbox.send(padded(200));
  await expect(outbox.send(message("lost"))).rejects.toThrow();
  await pipe.readAll();
  await outbox.send(message("later"));
  expect(pipe.written.join("")).not.toContain("lost");
  expect(pipe.written.join("")).toContain("later");
});

it("withdraws a message whose sender gives up while it waits", async () => {
  const pipe = slowPipe();
  const outbox = new Outbox(pipe.stream, { queueBytesMax: 100, sendTimeoutMs: 60_000 });
  await outbox.send(padded(200));
  const abort = new AbortController();
  const send = outbox.send(message("withdrawn"), abort.signal);
  abort.abort();
  await expect(send).rejects.toMatchObject({ code: "PROCESS_SEND_ABORTED" });
  await expect(outbox.send(message(1), abort.signal)).rejects.toMatchObject({ code: "PROCESS_SEND_ABORTED" });
  await pipe.readAll();
  expect(pipe.written.join("")).not.toContain("withdrawn");
});

it("leaves no listener on a signal behind", async () => {
  const pipe = slowPipe();
  const outbox = new Outbox(pipe.stream, { queueBytesMax: 100, sendTimeoutMs: 60_000 });
  await outbox.send(padded(200));
  const { signal } = new AbortController();
  const sends = Array.from({ length: 5 }, () => outbox.send(message(1), signal));
  expect(getEventListeners(signal, "abort").length).toBe(5);
  await pipe.readAll();
  await Promise.all(sends);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

it("refuses all sends once it is closed, also those that wait", async () => {
  const outbox = new Outbox(slowPipe().stream, { queueBytesMax: 100, sendTimeoutMs: 60_000 });
  await outbox.send(padded(200));
  const waiting = outbox.send(padded(1));
  outbox.close(new ProcessError("PROCESS_CLOSED", "over"));
  await expect(waiting).rejects.toThrow("over");
  await expect(outbox.send(padded(1))).rejects.toThrow("over");
});

it("rejects a message that has no JSON instead of throwing", async () => {
  const outbox = new Outbox(slowPipe().stream, { queueBytesMax: 100, sendTimeoutMs: 60_000 });
  await expect(outbox.send(message(1n))).rejects.toThrow(TypeError);
});
