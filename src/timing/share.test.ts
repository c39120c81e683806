import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Share } from "./share.ts";

const open = () => new Share({ countMax: 3, reservedCount: 2 });

function takeAll(share: Share, owner: string): number {
  let count = 0;
  while (share.take(owner)) count++;
  return count;
}

describe("S15: a share", () => {
  it("gives one principal the limit, and others what is kept for those who hold none", () => {
    const share = open();
    expect(takeAll(share, "greedy")).toBe(3);
    expect(takeAll(share, "b")).toBe(1);
    expect(takeAll(share, "c")).toBe(1);
    expect([takeAll(share, "late"), share.count]).toEqual([0, 5]);
  });

  it("gives what came back to who holds none first", () => {
    const share = open();
    takeAll(share, "greedy");
    for (const owner of ["b", "c"]) share.take(owner);
    share.giveBack("greedy");
    expect([share.take("greedy"), share.take("b"), share.take("late")]).toEqual([false, false, true]);
  });

  it("says whose share is used up", () => {
    const share = open();
    takeAll(share, "greedy");
    for (const owner of ["b", "c"]) share.take(owner);
    expect(share.explain("greedy", "places")).toContain("This client has used up its share of the 5 places");
    expect(share.explain("late", "places")).toBe("All 5 places are in use by other clients.");
  });

  it("counts right whatever is taken and given back, and never beyond its limits", () => {
    const step = fc.record({ owner: fc.constantFrom("a", "b", "c", "__proto__"), takes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const share = open();
        const held = new Map<string, number>();
        for (const { owner, takes } of steps) {
          const own = held.get(owner) ?? 0;
          if (takes) held.set(owner, own + (share.take(owner) ? 1 : 0));
          else {
            share.giveBack(owner);
            held.set(owner, Math.max(0, own - 1));
          }
          const counts = [...held.values()];
          expect(share.count).toBe(counts.reduce((sum, count) => sum + count, 0));
          expect(share.count).toBeLessThanOrEqual(5);
          expect(Math.max(...counts)).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});
