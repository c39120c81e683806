import fc from "fast-check";
import { expect, it } from "vitest";
import { createBoundedFetch } from "./bounded-fetch.ts";

/** What arrives of a body that comes in these pieces. */
async function read(pieces: readonly string[], contentType: string, bytesMax: number): Promise<string> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const fetch = createBoundedFetch(
    async () => new Response(body, { headers: { "content-type": contentType } }),
    bytesMax,
  );
  return (await fetch("http://x/")).text();
}

const JSON_TYPE = "application/json";
const STREAM = "text/event-stream";

it("T088: lets an answer of the limit through, and ends one that is longer", async () => {
  expect(await read(["12345", "67890"], JSON_TYPE, 10)).toBe("1234567890");
  await expect(read(["12345", "678901"], JSON_TYPE, 10)).rejects.toThrow("longer than 10 bytes");
});

it("T088: lets a stream go on, and ends an event that is too long", async () => {
  const event = "data: 1\n\n";
  expect(
    await read(
      Array.from({ length: 100 }, () => event),
      STREAM,
      20,
    ),
  ).toBe(event.repeat(100));
  await expect(read([event, "data: ", "x".repeat(20), "\n\n"], STREAM, 20)).rejects.toThrow(
    "longer than 20 bytes",
  );
  await expect(
    read(
      Array.from({ length: 100 }, () => "data: 1\n"),
      STREAM,
      20,
    ),
  ).rejects.toThrow("longer");
});

it("finds the end of events wherever the stream is cut, with either kind of line end", async () => {
  const texts = fc.array(
    fc.constantFrom("data: a\n\n", "data: bb\r\n\r\n", ": c\n\n", "id: 1\ndata: x\n\n"),
    { minLength: 1, maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(texts, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), async (events, cuts) => {
      const whole = events.join("");
      const pieces: string[] = [];
      for (let at = 0; at < whole.length;) {
        const length = cuts.next().value as number;
        pieces.push(whole.slice(at, at + length));
        at += length;
      }
      // The longest event has 16 bytes; a chunk may bring the beginning of the next.
      expect(await read(pieces, STREAM, 40)).toBe(whole);
    }),
  );
});

it("leaves status, headers and an empty body alone", async () => {
  const fetch = createBoundedFetch(async () => new Response(null, { status: 202, headers: { a: "b" } }));
  const response = await fetch("http://x/");
  expect([response.status, response.headers.get("a"), await response.text()]).toEqual([202, "b", ""]);
});
