import fc from "fast-check";
import { expect, it } from "vitest";
import { StderrRing } from "./stderr-ring.ts";

function ringOf(size: number, ...texts: string[]): StderrRing {
  const ring = new StderrRing(size);
  for (const text of texts) ring.push(Buffer.from(text));
  return ring;
}

it("gives the last lines, oldest first, whether or not the last one is ended", () => {
  expect(ringOf(100, "a\nb\nc\n").tail(2)).toEqual(["b", "c"]);
  expect(ringOf(100, "a\nb\n", "c").tail(2)).toEqual(["b", "c"]);
  expect(ringOf(100, "a\r\nb\n").tail(20)).toEqual(["a", "b"]);
  expect(ringOf(100, "\n\nx\n").tail(20)).toEqual(["", "", "x"]);
  expect(ringOf(100).tail(20)).toEqual([]);
  expect(ringOf(100, "a\n").tail(0)).toEqual([]);
});

it("keeps exactly its last bytes", () => {
  expect(ringOf(8, "12345678").tail(1)).toEqual(["12345678"]);
  expect(ringOf(8, "1234567", "8").tail(1)).toEqual(["12345678"]);
  expect(ringOf(8, "123456789").tail(1)).toEqual(["23456789"]);
});

it("T082 holds the end of whatever was written in whatever pieces", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c") })),
      (size, texts) => {
        const all = texts.join("");
        expect(
          ringOf(size, ...texts)
            .tail(1)
            .join(""),
        ).toBe(all.slice(-size));
      },
    ),
  );
});

it("bounds the length of a line and leaves control characters as they are", () => {
  const [line] = ringOf(10_000, `\u001B[31m${"x".repeat(5_000)}\n`).tail(1);
  expect(line!.length).toBe(1_001);
  expect(line!.startsWith("\u001B[31mxxx")).toBe(true);
});
