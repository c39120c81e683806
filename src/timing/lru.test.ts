import fc from "fast-check";
import { expect, it } from "vitest";
import { createLru } from "./lru.ts";

it("forgets what was not used for the longest time", () => {
  const lru = createLru<number>({ countMax: 2, sizeMax: 100 });
  lru.set("a", 1, 1);
  lru.set("b", 2, 1);
  lru.get("a");
  lru.set("c", 3, 1);
  expect(["a", "b", "c"].map((key) => lru.get(key))).toEqual([1, undefined, 3]);
});

it("keeps no more than its size, and not what is larger than that", () => {
  const lru = createLru<number>({ countMax: 10, sizeMax: 10 });
  lru.set("a", 1, 6);
  lru.set("b", 2, 6);
  lru.set("c", 3, 11);
  expect(["a", "b", "c"].map((key) => lru.get(key))).toEqual([undefined, 2, undefined]);
  lru.set("b", 4, 11);
  expect(lru.get("b")).toBeUndefined();
});

it("has the last value of every key that it still has", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d"), fc.nat({ max: 6 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const lru = createLru<number>({ countMax: 3, sizeMax: 12 });
      const last = new Map<string, number>();
      all.forEach(([key, size], step) => {
        lru.set(key, step, size);
        last.set(key, step);
        expect(lru.get(key)).toBe(step);
      });
      for (const [key, step] of last) expect([step, undefined]).toContain(lru.get(key));
    }),
  );
});
