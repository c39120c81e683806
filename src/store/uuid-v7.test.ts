import fc from "fast-check";
import { expect, it } from "vitest";
import { createUuidV7, firstIdAt } from "./uuid-v7.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

it("makes valid ids that grow strictly, whatever the clock does", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 47 }),
      fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 100 }),
      (start, jumps) => {
        let now = start;
        const newId = createUuidV7(() => Math.max(0, now));
        let last = "";
        for (const jump of jumps) {
          now += jump;
          const id = newId();
          expect(id).toMatch(UUID_V7);
          expect(id > last).toBe(true);
          last = id;
        }
      },
    ),
  );
});

it("begins with the time in ms", () => {
  const id = createUuidV7(() => 0x0123_4567_89ab)();
  expect(id.startsWith("01234567-89ab-7")).toBe(true);
});

it("borrows from the next millisecond when one is used up, even with the worst luck", () => {
  const newId = createUuidV7(
    () => 5,
    (size) => new Uint8Array(size).fill(0xff),
  );
  const ids = Array.from({ length: 10_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual([...ids].sort());
  expect(ids[0]?.startsWith("00000000-0005-")).toBe(true);
  expect(ids.at(-1)?.startsWith("00000000-0005-")).toBe(false);
});

it("differs between two makers at one instant", () => {
  const [one, two] = [createUuidV7(() => 5), createUuidV7(() => 5)];
  const ids = Array.from({ length: 500 }, () => [one(), two()]).flat();
  expect(new Set(ids).size).toBe(1000);
});

it("has a first id of a time, between those of earlier and those of that time", () => {
  const at = 1_763_000_000_123;
  const [before, then] = [createUuidV7(() => at - 1)(), createUuidV7(() => at)()];
  expect(before < firstIdAt(at)).toBe(true);
  expect(firstIdAt(at) < then).toBe(true);
});
