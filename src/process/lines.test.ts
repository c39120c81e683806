import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineFramer } from "./lines.ts";

function read(chunks: readonly Buffer[], lineBytesMax: number) {
  const lines: string[] = [];
  const excesses: string[] = [];
  let excess = "";
  const framer = new LineFramer(lineBytesMax, {
    line: (bytes, from, to) => void lines.push(bytes.toString("latin1", from, to)),
    excess: (bytes, from, to) => void (excess += bytes.toString("latin1", from, to)),
    excessEnd: () => {
      excesses.push(excess);
      excess = "";
    },
  });
  for (const chunk of chunks) framer.push(chunk);
  return { lines, excesses, open: excess };
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return edges.slice(1).map((edge, index) => Buffer.from(bytes.subarray(edges[index], edge)));
}

describe("lines", () => {
  it("come whole and in order, wherever the stream is cut, and those over the limit apart", () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "\r", " "), maxLength: 12 }));
    const places = fc.array(fc.nat(), { maxLength: 20 });
    fc.assert(
      fc.property(texts, places, fc.integer({ min: 1, max: 12 }), (all, where, max) => {
        const bytes = Buffer.from(all.map((text) => `${text}\n`).join(""));
        expect(read(cut(bytes, where), max)).toEqual({
          lines: all.filter((text) => text.length <= max),
          excesses: all.filter((text) => text.length > max),
          open: "",
        });
      }),
      { numRuns: 500 },
    );
  });

  it("that have not ended are not handed on", () => {
    expect(read([Buffer.from("a\nb")], 10)).toEqual({ lines: ["a"], excesses: [], open: "" });
  });

  it("that lie whole in one chunk are not copied", () => {
    const chunk = Buffer.from("first\nsecond\n");
    const seen: Buffer[] = [];
    const framer = new LineFramer(100, { line: (bytes) => void seen.push(bytes), excess() {} });
    framer.push(chunk);
    expect(seen.every((bytes) => bytes === chunk)).toBe(true);
  });

  it("over the limit are handed on before they end, and keep no memory", () => {
    const before = process.memoryUsage().arrayBuffers;
    let bytesSeen = 0;
    const framer = new LineFramer(100_000, {
      line() {},
      excess: (_bytes, from, to) => void (bytesSeen += to - from),
    });
    const chunk = Buffer.alloc(64 * 1024, "x");
    for (let count = 0; count < 2_000; count += 1) framer.push(chunk);
    expect(bytesSeen).toBe(2_000 * chunk.length);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });
});
