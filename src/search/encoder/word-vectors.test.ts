import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordVectorsFile } from "./encoder.ts";
import { packWordVectors, parseWordVectors } from "./word-vectors.ts";

const TABLE = {
  dims: 4,
  terms: ["car", "bread", "汽"],
  rows: Float32Array.from([1, 0, 0, 0, 0, 2, 0, 0, 0.5, 0, 0.5, 0]),
};
const small = parseWordVectors(packWordVectors(TABLE))!;

describe("word vectors", () => {
  it("make one vector of the words of a text, each word once, and say how many of them are known", () => {
    expect(small.encode("cars, car and Car")).toEqual({
      vector: Float32Array.from([1, 0, 0, 0]),
      knownShare: 1,
    });
    const { vector, knownShare } = small.encode("bread_car flying")!;
    expect([...vector].map((number) => number.toFixed(2))).toEqual(["0.45", "0.89", "0.00", "0.00"]);
    expect(knownShare).toBeLessThan(1);
    // Two characters and their pair, of which one character is known.
    expect(small.encode("汽车")!.knownShare).toBeCloseTo(1 / 3);
  });

  it("say nothing of a text that is empty or has none of the words", () => {
    for (const text of ["", " ", "limousine", "2024", "\u0000", "🚗"])
      expect(small.encode(text)).toBeUndefined();
  });

  it("are the same each time, one long, for any text", () => {
    const shipped = parseWordVectors(readFileSync(wordVectorsFile()))!;
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom("send mail ", ""), (noise, start) => {
        const one = shipped.encode(start + noise);
        expect(shipped.encode(start + noise)).toEqual(one);
        if (one === undefined) return;
        expect(one.vector.reduce((sum, number) => sum + number * number, 0)).toBeCloseTo(1, 4);
      }),
      { numRuns: 50 },
    );
  });

  it("are not read from a file that was cut, changed or is another", () => {
    const bytes = packWordVectors(TABLE);
    for (let length = 0; length < bytes.length; length++)
      expect(parseWordVectors(bytes.subarray(0, length))).toBeUndefined();
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0x10;
      expect(parseWordVectors(changed)).toBeUndefined();
    }
    expect(parseWordVectors(Buffer.from("{}".repeat(100)))).toBeUndefined();
  });

  it("fit in the size that the package has for them", () => {
    expect(readFileSync(wordVectorsFile()).length).toBeLessThan(4_500_000);
  });
});
