import fc from "fast-check";
import { expect, it } from "vitest";
import { createAnswerLimit } from "./answer-limit.ts";

/** Counts a body that comes in these pieces; throws where it is too long. */
function count(pieces: readonly string[], isStream: boolean, bytesMax: number): void {
  const countBytes = createAnswerLimit(isStream, bytesMax);
  for (const piece of pieces) countBytes(new TextEncoder().encode(piece));
}

it("T088: lets an answer of the limit through, and ends one that is longer", () => {
  expect(() => count(["12345", "67890"], false, 10)).not.toThrow();
  expect(() => count(["12345", "678901"], false, 10)).toThrow("longer than 10 bytes");
});

it("T088: lets a stream go on, and ends an event that is too long", () => {
  const event = "data: 1\n\n";
  const events = Array.from({ length: 100 }, () => event);
  expect(() => count(events, true, 20)).not.toThrow();
  expect(() => count([event, "data: ", "x".repeat(20), "\n\n"], true, 20)).toThrow("longer than 20 bytes");
  const lines = Array.from({ length: 100 }, () => "data: 1\n");
  expect(() => count(lines, true, 20)).toThrow("longer");
});

it("finds the end of events wherever the stream is cut, with either kind of line end", () => {
  const texts = fc.array(
    fc.constantFrom("data: a\n\n", "data: bb\r\n\r\n", ": c\n\n", "id: 1\ndata: x\n\n"),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(texts, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (events, cuts) => {
      const whole = events.join("");
      const pieces: string[] = [];
      for (let at = 0; at < whole.length;) {
        const length = cuts.next().value as number;
        pieces.push(whole.slice(at, at + length));
        at += length;
      }
      // The longest event has 16 bytes; a chunk may bring the beginning of the next.
      expect(() => count(pieces, true, 40)).not.toThrow();
    }),
  );
});
