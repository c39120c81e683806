import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonRpcMessage } from "../transport/transport.ts";
import { LineReader } from "./line-reader.ts";

const LIMIT = 8 * 1024 * 1024;

function read(chunks: readonly Buffer[], lineBytesMax = LIMIT) {
  const messages: JsonRpcMessage[] = [];
  const oversizeIds: unknown[] = [];
  let endlessReports = 0;
  const reader = new LineReader(lineBytesMax, {
    onmessage: (message) => void messages.push(message),
    onoversize: (id) => void oversizeIds.push(id),
    onendless: () => void (endlessReports += 1),
  });
  for (const chunk of chunks) reader.push(chunk);
  return { messages, noise: reader.noiseCount, oversize: reader.oversizeCount, oversizeIds, endlessReports };
}

const message = (result: unknown): JsonRpcMessage => ({ jsonrpc: "2.0", id: 1, result });
const line = (value: unknown, end = "\n"): string => `${JSON.stringify(value)}${end}`;
/** A message whose line, without its end, has exactly so many bytes. */
function messageOfBytes(bytes: number): JsonRpcMessage {
  return message("x".repeat(bytes - JSON.stringify(message("")).length));
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return edges.slice(1).map((edge, index) => Buffer.from(bytes.subarray(edges[index], edge)));
}

describe("whole messages (T080)", () => {
  it("reads a message that is cut at any byte, also inside a character", () => {
    const bytes = Buffer.from(line(message("ä€😀")));
    for (let at = 0; at <= bytes.length; at += 1)
      expect(read(cut(bytes, [at])).messages).toEqual([message("ä€😀")]);
  });

  it("reads messages that come byte by byte", () => {
    const bytes = Buffer.from(line(message("ä€😀")) + line(message(2), "\r\n"));
    expect(read([...bytes].map((byte) => Buffer.from([byte]))).messages).toEqual([
      message("ä€😀"),
      message(2),
    ]);
  });

  it("reads 7.9 MiB and the next message from one chunk", () => {
    const large = messageOfBytes(Math.floor(7.9 * 1024 * 1024));
    expect(read([Buffer.from(line(large) + line(message(2)))]).messages).toEqual([large, message(2)]);
  });

  it("reads random messages, cut at random places, whole and in order", () => {
    const values = fc.array(fc.jsonValue(), { maxLength: 12 });
    const places = fc.array(fc.nat(), { maxLength: 20 });
    const ends = fc.constantFrom("\n", "\r\n", "\n\n", " \n");
    fc.assert(
      fc.property(values, places, ends, (results, where, end) => {
        const text = results.map((result) => line(message(result), end)).join("");
        // What JSON itself does not keep (-0) is not the reader's matter.
        const expected = results.map((result) => JSON.parse(JSON.stringify(message(result))) as unknown);
        const { messages, noise } = read(cut(Buffer.from(text), where));
        expect(messages).toEqual(expected);
        expect(noise).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it("turns bytes that are not UTF-8 into U+FFFD", () => {
    const bytes = Buffer.from(line(message("?")));
    bytes[bytes.indexOf("?")] = 0xff;
    expect(read([bytes]).messages).toEqual([message("\uFFFD")]);
  });
});

describe("noise (T081)", () => {
  it("skips and counts what is not a message", () => {
    const noise = [
      "\u001B[32mlog\u001B[0m",
      "{broken",
      "[]",
      "42",
      '"text"',
      "null",
      '{"jsonrpc":"1.0"}',
      "{}",
    ];
    const text = noise.map((entry) => `${entry}\n${line(message(entry))}`).join("");
    const result = read([Buffer.from(text)]);
    expect(result.noise).toBe(noise.length);
    expect(result.messages).toEqual(noise.map(message));
  });

  it("does not count empty lines, and reads on after a byte order mark", () => {
    const result = read([Buffer.from(`\n\r\n \t\n\uFEFF${line(message(1))}\uFEFF\n`)]);
    expect(result).toMatchObject({ messages: [message(1)], noise: 0 });
  });

  it("is not disturbed by any bytes: a message after them arrives", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 })), (chunks) => {
        const result = read([
          ...chunks.map((chunk) => Buffer.from(chunk)),
          Buffer.from(`\n${line(message(1))}`),
        ]);
        expect(result.messages.at(-1)).toEqual(message(1));
      }),
    );
  });
});

describe("the limit of a line", () => {
  it.each([
    ["just under", LIMIT - 1, 1],
    ["at", LIMIT, 1],
    ["just over", LIMIT + 1, 0],
  ])("treats a line %s the limit the same, whole or in pieces", (_where, bytes, count) => {
    const text = Buffer.from(line(messageOfBytes(bytes)) + line(message("next")));
    for (const places of [[], [100], [bytes], [bytes + 1], [100_000, 4_000_000, bytes - 1]]) {
      const result = read(cut(text, places));
      expect(result.messages.length).toBe(count + 1);
      expect(result.messages.at(-1)).toEqual(message("next"));
      expect(result.oversize).toBe(1 - count);
      expect(result.oversizeIds).toEqual(count === 0 ? [1] : []);
    }
  });

  it("keeps nothing of an endless line, and counts it once", () => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const before = process.memoryUsage().arrayBuffers;
    const result = read(
      [...Array.from({ length: 2_000 }, () => chunk), Buffer.from(`\n${line(message(1))}`)],
      100_000,
    );
    expect(result).toMatchObject({ messages: [message(1)], oversize: 1, noise: 0, endlessReports: 1 });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });
});

describe("S9: a line over the limit", () => {
  const long = "x".repeat(2_000);
  it.each([
    ["before the result", `{"jsonrpc":"2.0","id":7,"result":{"id":8,"a":"${long}"}}`, 7],
    ["after the result", `{"jsonrpc":"2.0","result":{"id":8,"a":["${long}",{"id":9}]},"id":7}`, 7],
    ["after an error", `{"error":{"code":1,"message":"${long}","data":{"id":8}} , "id" : "q-1" }`, "q-1"],
    ["behind quotes and brackets in texts", `{"result":"\\"]}\\\\${long}\\",\\"id\\":8","id":7}`, 7],
    ["in no place", `{"jsonrpc":"2.0","result":{"id":8,"a":"${long}"}}`, undefined],
    ["of a request", `{"id":7,"method":"x","params":{"a":"${long}"}}`, undefined],
    ["of a request that says so last", `{"id":7,"params":{"a":"${long}"},"method":"x"}`, undefined],
    ["that is no id", `{"id":[7],"result":{"a":"${long}"}}`, undefined],
    ["in noise", `id: 7 ${long}`, undefined],
  ])("is told with the id %s, wherever it is cut", (_, text, id) => {
    const bytes = Buffer.from(`${text}\n${line(message(1))}`);
    for (let at = 0; at < bytes.length; at += 7) {
      const result = read(cut(bytes, [at, at + 5]), 1_000);
      expect(result).toMatchObject({ messages: [message(1)], oversizeIds: [id], endlessReports: 0 });
    }
  });

  it("finds the id that JSON.parse would find, in any message", () => {
    const ids = fc.oneof(fc.integer(), fc.string({ maxLength: 5 }));
    const body = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(ids, body, fc.boolean(), (id, result, isFirst) => {
        const value = isFirst ? { id, result } : { result, id };
        const found = read([Buffer.from(line(value))], 5).oversizeIds;
        expect(found).toEqual([(JSON.parse(JSON.stringify(value)) as { id: unknown }).id]);
      }),
      { numRuns: 500 },
    );
  });

  it("that goes on for more than eight times the limit is told as endless, once", () => {
    const result = read(
      [...Array.from({ length: 20 }, () => Buffer.alloc(1_000, "x")), Buffer.from("\n")],
      1_000,
    );
    expect(result).toMatchObject({ endlessReports: 1, oversizeIds: [undefined] });
  });
});
