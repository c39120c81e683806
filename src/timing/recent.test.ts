import fc from "fast-check";
import { expect, it } from "vitest";
import { createRecent } from "./recent.ts";

it("forgets what was not used for the longest time", () => {
  const recent = createRecent<number>({ countMax: 2, sizeMax: 100 });
  recent.set("a", 1, 1);
  recent.set("b", 2, 1);
  recent.get("a");
  recent.set("c", 3, 1);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([1, undefined, 3]);
});

it("keeps no more than its size, and not what is larger than that", () => {
  const recent = createRecent<number>({ countMax: 10, sizeMax: 10 });
  recent.set("a", 1, 6);
  recent.set("b", 2, 6);
  recent.set("c", 3, 11);
  expect(["a", "b", "c"].map((key) => recent.get(key))).toEqual([undefined, 2, undefined]);
  recent.set("b", 4, 11);
  expect(recent.get("b")).toBeUndefined();
});

it("has the last value of every key that it still has", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat({ max: 6 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const recent = createRecent<number>({ countMax: 3, sizeMax: 12 });
      const last = new Map<string, number>();
      all.forEach(([key, size], step) => {
        recent.set(key, step, size);
        last.set(key, step);
        expect(recent.get(key)).toBe(step);
      });
      for (const [key, step] of last) expect([step, undefined]).toContain(recent.get(key));
    }),
  );
});
