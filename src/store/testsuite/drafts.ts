import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { StoreFixture } from "./fixture.ts";

const SUM = { name: "sum-up", kind: "code", text: "return 1" } as const;
const FLOW = { name: "flow", kind: "workflow", text: '{"nodes":[]}' } as const;
const OTHER = { org: "acme", project: "web" };

export function describeDrafts(fixture: () => StoreFixture): void {
  it("keeps a draft, also after a restart", async () => {
    const { store, clock, reopen } = fixture();
    await store.drafts.put(DEFAULT_SCOPE, SUM);
    const kept = { ...SUM, updatedAt: clock.now() };
    expect(await (await reopen()).drafts.find(DEFAULT_SCOPE, "sum-up")).toEqual(kept);
  });

  it("lists the newest first, without texts", async () => {
    const { store, clock } = fixture();
    await store.drafts.put(DEFAULT_SCOPE, SUM);
    clock.advance(1);
    await store.drafts.put(DEFAULT_SCOPE, FLOW);
    expect(await store.drafts.list(DEFAULT_SCOPE)).toEqual([
      { name: "flow", kind: "workflow", updatedAt: clock.now() },
      { name: "sum-up", kind: "code", updatedAt: clock.now() - 1 },
    ]);
  });

  it("leaves a draft of the same name as it is", async () => {
    const { store, clock } = fixture();
    await store.drafts.put(DEFAULT_SCOPE, SUM);
    const before = await store.drafts.find(DEFAULT_SCOPE, "sum-up");
    clock.advance(1);
    await store.drafts.put(DEFAULT_SCOPE, { ...SUM, text: "return 2" });
    expect(await store.drafts.find(DEFAULT_SCOPE, "sum-up")).toEqual(before);
  });

  it("removes a draft whose text is still the same, and says whether it did", async () => {
    const { store } = fixture();
    await store.drafts.put(DEFAULT_SCOPE, SUM);
    expect(await store.drafts.remove(DEFAULT_SCOPE, "sum-up", "return 2")).toBe(false);
    expect(await store.drafts.remove(DEFAULT_SCOPE, "sum-up", SUM.text)).toBe(true);
    expect(await store.drafts.remove(DEFAULT_SCOPE, "sum-up", SUM.text)).toBe(false);
    expect(await store.drafts.find(DEFAULT_SCOPE, "sum-up")).toBeUndefined();
  });

  it("tells scopes apart", async () => {
    const { store } = fixture();
    await store.drafts.put(DEFAULT_SCOPE, SUM);
    await store.drafts.put(OTHER, { ...SUM, text: "return 2" });
    expect(await store.drafts.remove(OTHER, "sum-up", SUM.text)).toBe(false);
    expect((await store.drafts.find(OTHER, "sum-up"))?.text).toBe("return 2");
    expect(await store.drafts.list({ ...OTHER, project: "app" })).toEqual([]);
  });

  it("keeps one of several that are put at once", async () => {
    const { store } = fixture();
    const texts = Array.from({ length: 8 }, (_, i) => `return ${i}`);
    await Promise.all(texts.map((text) => store.drafts.put(DEFAULT_SCOPE, { ...SUM, text })));
    expect(await store.drafts.list(DEFAULT_SCOPE)).toHaveLength(1);
    expect(texts).toContain((await store.drafts.find(DEFAULT_SCOPE, "sum-up"))?.text);
  });
}
