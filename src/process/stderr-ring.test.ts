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
  expect(line!.length).toBe(1_000);
  expect(line!.startsWith("\u001B[31mxxx")).toBe(true);
});

it("T136: redacts before it cuts, so that no half of a secret is left", () => {
  const secret = "s3cret".repeat(3);
  const redact = (text: string): string => text.replaceAll(secret, "-");
  const half = secret.slice(0, 6);
  const lines = ringOf(10_000, `${"x".repeat(995)}${secret}\n`, `${secret}\n`).tail(20, redact);
  expect(lines.join("\n")).not.toContain(half);
  // A secret of several lines, of which only the last would be shown.
  const long = "first-part\nlast-part";
  expect(ringOf(100, `${long}\nbye\n`).tail(2, (text) => text.replaceAll(long, "-"))).toEqual(["-", "bye"]);
  // The ring itself has cut the first one in two.
  expect(ringOf(20, `${secret}\nbye\n`).tail(20, redact)).toEqual(["bye"]);
});
