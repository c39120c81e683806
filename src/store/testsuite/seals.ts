import { expect, it } from "vitest";
import type { StoreFixture } from "./fixture.ts";

const DAY_MS = 86_400_000;

export function describeSeals(fixture: () => StoreFixture): void {
  it("makes one key for each name, long enough, and keeps it over a restart", async () => {
    const { store, reopen } = fixture();
    const [one, again] = await Promise.all([store.seals.key("a"), store.seals.key("a")]);
    expect(one.length).toBeGreaterThanOrEqual(32);
    expect(again).toEqual(one);
    expect(await store.seals.key("b")).not.toEqual(one);
    expect(await (await reopen()).seals.key("a")).toEqual(one);
  });

  it("lets a state be spent once, also by those who try at once, and after a restart", async () => {
    const { store, clock, reopen } = fixture();
    const until = clock.now() + 60_000;
    const tries = await Promise.all([1, 2, 3].map(() => store.seals.spend("s", until)));
    expect(tries.filter(Boolean)).toHaveLength(1);
    expect(await store.seals.spend("other", until)).toBe(true);
    expect(await (await reopen()).seals.spend("s", until)).toBe(false);
  });

  it("says whether a state was spent, and spends nothing by that", async () => {
    const { store, clock } = fixture();
    expect(await store.seals.isSpent("s")).toBe(false);
    expect(await store.seals.spend("s", clock.now() + 1_000)).toBe(true);
    expect(await store.seals.isSpent("s")).toBe(true);
    expect(await store.seals.isSpent("other")).toBe(false);
  });

  it("remembers a spent state for a day after it has expired, and no longer", async () => {
    const { store, clock } = fixture();
    await store.seals.spend("s", clock.now() + 1_000);
    clock.advance(DAY_MS);
    await store.seals.spend("other", clock.now() + 1_000);
    expect(await store.seals.spend("s", clock.now() + 1_000)).toBe(false);
    clock.advance(1_001);
    await store.seals.spend("third", clock.now() + 1_000);
    expect(await store.seals.spend("s", clock.now() + 1_000)).toBe(true);
  });
}
