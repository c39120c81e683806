import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { INTENT_LENGTH_MAX, INTENTS_KEPT_MAX } from "../past-uses.ts";
import type { StoreFixture } from "./fixture.ts";

const use = (tool: string, intent: string, useCount = 1) => ({ tool, intent, useCount });

export function describePastUses(fixture: () => StoreFixture): void {
  it("counts what each tool was used for, newest first, also after a restart", async () => {
    const { store, clock, reopen } = fixture();
    await store.pastUses.add(DEFAULT_SCOPE, [use("a__x", "report the week"), use("b__y", "report the week")]);
    clock.advance(1000);
    await store.pastUses.add(DEFAULT_SCOPE, [use("a__x", "", 3)]);
    await store.pastUses.add(DEFAULT_SCOPE, [use("a__x", "report the week")]);
    const uses = await (await reopen()).pastUses.list(DEFAULT_SCOPE);
    expect(uses.map(({ tool, intent, useCount }) => [tool, intent, useCount])).toEqual([
      ["a__x", "", 3],
      ["a__x", "report the week", 2],
      ["b__y", "report the week", 1],
    ]);
  });

  it("knows nothing of what other scopes did", async () => {
    const { store } = fixture();
    await store.pastUses.add({ ...DEFAULT_SCOPE, org: "other" }, [use("a__x", "secret plans")]);
    expect(await store.pastUses.list(DEFAULT_SCOPE)).toEqual([]);
  });

  it("keeps the newest intents of a tool, and the count of all", async () => {
    const { store, clock } = fixture();
    for (let i = 0; i < INTENTS_KEPT_MAX + 2; i++) {
      clock.advance(1);
      await store.pastUses.add(DEFAULT_SCOPE, [use("a__x", `intent ${i}`)]);
    }
    const uses = await store.pastUses.list(DEFAULT_SCOPE);
    const intents = uses.map(({ intent }) => intent).filter((intent) => intent !== "");
    expect(intents).toHaveLength(INTENTS_KEPT_MAX);
    expect(intents).not.toContain("intent 1");
    expect(intents[0]).toBe(`intent ${INTENTS_KEPT_MAX + 1}`);
    expect(uses.reduce((sum, { useCount }) => sum + useCount, 0)).toBe(INTENTS_KEPT_MAX + 2);
  });

  it("cuts an intent that is a whole task", async () => {
    const { store } = fixture();
    await store.pastUses.add(DEFAULT_SCOPE, [use("a__x", "x".repeat(INTENT_LENGTH_MAX + 1))]);
    const [cut] = await store.pastUses.list(DEFAULT_SCOPE);
    expect(cut!.intent).toHaveLength(INTENT_LENGTH_MAX);
  });
}
