import { PassThrough } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../test/fixtures/temporary.ts";
import { LINE_BYTES_MAX, StdioTransport } from "./stdio-transport.ts";

async function openWire() {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new StdioTransport(input, output);
  const received: JSONRPCMessage[] = [];
  const written: Record<string, unknown>[] = [];
  let closed = false;
  transport.onmessage = (message) => received.push(message);
  transport.onclose = () => (closed = true);
  let rest = "";
  output.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop()!;
    for (const line of lines) written.push(JSON.parse(line));
  });
  await transport.start();
  return { input, output, transport, received, written, isClosed: () => closed };
}

const ping = (id: string | number) => ({ jsonrpc: "2.0", id, method: "ping" }) as const;

describe("framing", () => {
  it("T080: reads messages split at every byte, inside UTF-8 too, with CRLF, BOM and empty lines", async () => {
    const message = { ...ping("é😀"), params: { text: "line\\nbreak" } };
    const bytes = Buffer.from(`\ufeff${JSON.stringify(message)}\r\n\n${JSON.stringify(message)}\n`);
    for (let at = 0; at <= bytes.length; at++) {
      const { input, received } = await openWire();
      input.write(bytes.subarray(0, at));
      input.write(bytes.subarray(at));
      await eventually("both messages", () => received.length === 2);
      expect(received).toEqual([message, message]);
    }
  });

  it("T080: reads many messages of one chunk, and a large one with the next behind it", async () => {
    const { input, received } = await openWire();
    const large = { ...ping(1), params: { text: "x".repeat(7.9 * 1024 * 1024) } };
    input.write(`${JSON.stringify(large)}\n${JSON.stringify(ping(2))}\n${JSON.stringify(ping(3))}\n`);
    await eventually("three messages", () => received.length === 3);
    expect(received.slice(1)).toEqual([ping(2), ping(3)]);
  });

  it("reads a line of exactly the limit", async () => {
    const { input, received, written } = await openWire();
    const empty = JSON.stringify({ ...ping(1), params: { text: "" } });
    const message = { ...ping(1), params: { text: "x".repeat(LINE_BYTES_MAX - empty.length) } };
    input.write(`${JSON.stringify(message)}\n`);
    await eventually("the message", () => received.length === 1);
    expect(written).toEqual([]);
  });

  it("refuses a line over the limit, and reads the next", async () => {
    const { input, received, written } = await openWire();
    const chunk = Buffer.alloc(1024 * 1024, "x");
    for (let i = 0; i <= LINE_BYTES_MAX / chunk.length; i++) input.write(chunk);
    input.write(`\n${JSON.stringify(ping(1))}\n`);
    await eventually("the next message", () => received.length === 1);
    expect(written).toMatchObject([
      { id: null, error: { code: -32600, message: expect.stringContaining("8388608") } },
    ]);
  });
});

describe("T058, T059: what is not JSON-RPC is answered, and the connection goes on", () => {
  it.each([
    ["no JSON", "hello", null, -32700],
    ["truncated JSON", `{"jsonrpc":`, null, -32700],
    ["not UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0x22]), null, -32700],
    ["a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, null, -32600],
    ["a scalar", "42", null, -32600],
    ["no jsonrpc", `{"id":1,"method":"ping"}`, 1, -32600],
    ["a null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, null, -32600],
    ["an object id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, null, -32600],
    ["no method", `{"jsonrpc":"2.0","id":"a"}`, "a", -32600],
    ["list params", `{"jsonrpc":"2.0","id":2,"method":"ping","params":[1]}`, 2, -32600],
    [
      "depth 100,000",
      `{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}}`,
      3,
      -32600,
    ],
  ])("%s", async (_, line, id, code) => {
    const { input, received, written } = await openWire();
    input.write(line);
    input.write(`\n${JSON.stringify(ping("next"))}\n`);
    await eventually("the next message", () => received.length === 1);
    expect(written).toMatchObject([{ jsonrpc: "2.0", id, error: { code } }]);
    expect(received).toEqual([ping("next")]);
  });
});

it("answers with bytes that are JSON already, whole and in one piece", async () => {
  const { transport, output } = await openWire();
  let text = "";
  output.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const value = Buffer.from(JSON.stringify({ tools: ["é😀"] }));
  await Promise.all([
    transport.sendResultBytes("a", value),
    transport.send({ jsonrpc: "2.0", id: 2, result: {} }),
  ]);
  expect(
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    { jsonrpc: "2.0", id: "a", result: { tools: ["é😀"] } },
    { jsonrpc: "2.0", id: 2, result: {} },
  ]);
});

describe("the end", () => {
  it("waits for the answers that are under way", async () => {
    const { input, transport, received, written, isClosed } = await openWire();
    input.end(`${JSON.stringify(ping(1))}\n`);
    await eventually("the request", () => received.length === 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed()).toBe(false);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await eventually("the close", isClosed);
    expect(written).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("does not wait for cancelled requests and subscriptions", async () => {
    const { input, isClosed } = await openWire();
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const listen = { jsonrpc: "2.0", id: 2, method: "subscriptions/listen" };
    input.end([ping(1), cancel, listen].map((message) => `${JSON.stringify(message)}\n`).join(""));
    await eventually("the close", isClosed);
  });

  it("comes after the grace time when a request is never answered", async () => {
    const { input, isClosed } = await openWire();
    input.end(`${JSON.stringify(ping(1))}\n`);
    await eventually("the close", isClosed);
  });

  it("comes at once when the client has stopped listening", async () => {
    const { output, transport, isClosed } = await openWire();
    output.destroy(new Error("EPIPE"));
    await eventually("the close", isClosed);
    await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("closed");
  });
});

describe("S2: each request has one answer", () => {
  it("when the connection ends before there is one, unless the client has gone", async () => {
    const { input, transport, received, written } = await openWire();
    input.write(`${JSON.stringify(ping(1))}\n${JSON.stringify(ping(2))}\n`);
    await eventually("both", () => received.length === 2);
    await transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await transport.close();
    await eventually("two answers", () => written.length === 2);
    expect(written[1]).toMatchObject({ id: 2, error: { code: -32000, data: { mayHaveHappened: true } } });
    expect(transport.pendingCount).toBe(0);
  });

  it.each([
    ["a member too many", { extra: 1 }],
    ["a result beside the method", { result: {} }],
    ["an id that is no integer", { id: 1.5 }],
    ["an odd progress token", { params: { _meta: { progressToken: 1.5 } } }],
  ])("when it has %s, which the SDK would drop without a word", async (_, odd) => {
    const { input, transport, received, written } = await openWire();
    input.write(`${JSON.stringify({ ...ping(1), ...odd })}\n`);
    await eventually("the answer", () => written.length === 1);
    expect(written[0]).toMatchObject({ id: "id" in odd ? odd.id : 1, error: { code: -32600 } });
    await eventually("its end", () => transport.pendingCount === 0);
    expect(received).toEqual([]);
  });

  it("and no second one when the connection ends while the first is on its way", async () => {
    const { input, output, transport, received, written } = await openWire();
    input.write(`${JSON.stringify(ping(1))}\n`);
    await eventually("the request", () => received.length === 1);
    // The client does not read yet.
    output.pause();
    const sent = transport.send({ jsonrpc: "2.0", id: 1, result: {} });
    await transport.close();
    output.resume();
    await sent;
    expect(written).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("when writing throws, nothing stays open and the next request is read", async () => {
    const { input, output, transport, received } = await openWire();
    output.write = () => {
      throw new Error("broken");
    };
    input.write(`${JSON.stringify(ping(1))}\n`);
    await eventually("the request", () => received.length === 1);
    await expect(transport.send({ jsonrpc: "2.0", id: 1, result: {} })).rejects.toThrow("broken");
    expect(transport.pendingCount).toBe(0);
    input.write(`${JSON.stringify(ping(2))}\n`);
    await eventually("the next", () => received.length === 2);
  });
});
