import { expect, it } from "vitest";
import { save, type StoreFixture } from "./fixture.ts";

const PIN = { server: "s", kind: "tool", name: "t", approved: { name: "t" } } as const;

export function describeRevisions(fixture: () => StoreFixture): void {
  it("has a number for every topic from the start", async () => {
    expect(await fixture().store.revisions.read()).toEqual({
      library: 0,
      pins: 0,
      tokens: 0,
      secrets: 0,
      servers: 0,
    });
  });

  it("grows with each change of the library, and of no other topic", async () => {
    const { store, reopen } = fixture();
    await save(store.capabilities);
    await save(store.capabilities, { action: "mean" });
    const { library, ...others } = await store.revisions.read();
    expect(library).toBe(await store.capabilities.revision());
    expect(new Set(Object.values(others))).toEqual(new Set([0]));
    expect((await (await reopen()).revisions.read()).library).toBe(library);
  });

  it("grows with each change of a pin", async () => {
    const { store } = fixture();
    await store.pins.begin("s", [PIN]);
    const { library, pins } = await store.revisions.read();
    expect({ library, pins }).toEqual({ library: 0, pins: await store.pins.revision() });
    expect(pins).toBeGreaterThan(0);
  });
}
