import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InFlight } from "./in-flight.ts";

describe("what is in flight", () => {
  it("is a Map in all that can be seen", () => {
    const id = fc.oneof(
      fc.integer({ min: -2, max: 3 }),
      fc.constantFrom(1.5, NaN, -0, 1e300, "1", "", "a", "$1", "__proto__", "constructor"),
    );
    const act = fc.tuple(fc.constantFrom("set", "delete"), id);
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const [map, own] = [new Map<string | number, number>(), new InFlight<number, string | number>()];
        for (const [at, [what, key]] of acts.entries()) {
          if (what === "delete") expect(own.delete(key)).toBe(map.delete(key));
          else {
            map.set(key, at);
            own.set(key, at);
          }
          expect(own.size).toBe(map.size);
          expect([own.get(key), own.has(key)]).toEqual([map.get(key), map.has(key)]);
        }
        expect(own.values()).toEqual([...map.values()]);
        expect(own.ids().map((one) => one || 0)).toEqual([...map.keys()].map((one) => one || 0));
      }),
    );
  });

  it("has nothing under what is no id, and its own ids for what has none", () => {
    const own = new InFlight<string>();
    const places = ["a", "b", "c"].map((value) => own.add(value));
    expect(places.map((place) => own.get(place))).toEqual(["a", "b", "c"]);
    for (const id of [undefined, null, {}, [1], true, "1", Symbol.iterator]) {
      expect([own.has(id), own.get(id), own.delete(id)]).toEqual([false, undefined, false]);
    }
    expect(own.delete(places[1])).toBe(true);
    expect(own.delete(places[1])).toBe(false);
    own.add("d");
    expect(own.values()).toEqual(["a", "c", "d"]);
  });
});
