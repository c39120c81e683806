import { expect, it } from "vitest";
import type { StoreFixture } from "./fixture.ts";

export function describeTokenCounts(fixture: () => StoreFixture): void {
  it("gives those that are known, for the tokenizer that counted them, also after a restart", async () => {
    const { store, reopen } = fixture();
    await store.tokenCounts.put(
      "o200k",
      new Map([
        ["a", 12],
        ["b", 0],
      ]),
    );
    await store.tokenCounts.put("other", new Map([["a", 99]]));
    expect(await store.tokenCounts.find("o200k", ["a", "b", "c"])).toEqual(
      new Map([
        ["a", 12],
        ["b", 0],
      ]),
    );
    expect(await (await reopen()).tokenCounts.find("other", ["a", "b"])).toEqual(new Map([["a", 99]]));
  });

  it("takes thousands at once, and what it knows already", async () => {
    const { store } = fixture();
    const counts = new Map(Array.from({ length: 2_500 }, (_, i) => [`h${i}`, i]));
    await store.tokenCounts.put("t", counts);
    await store.tokenCounts.put("t", counts);
    expect(await store.tokenCounts.find("t", [...counts.keys()])).toEqual(counts);
    expect(await store.tokenCounts.find("t", [])).toEqual(new Map());
    await store.tokenCounts.put("t", new Map());
  });
}
