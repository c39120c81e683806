import { expect, it } from "vitest";
import { INLINE_RESULT_BYTES_MAX } from "../../core/store.ts";
import { draftOf, finishedOf, newRunOf, type StoreFixture } from "./fixture.ts";

export function describeLifetime(fixture: () => StoreFixture): void {
  it("finds no damage in an empty store and in one with rows of every kind", async () => {
    const { store } = fixture();
    expect(await store.findDamage()).toEqual([]);
    const saved = await store.capabilities.save(draftOf({ example: { inputs: {}, calls: [], result: 1 } }));
    await store.capabilities.rename(saved.capability.id, { namespace: "math", action: "total" });
    const run = await store.runs.start(newRunOf(), "owner", 60_000);
    await store.runs.openStep({ runId: run.id, fence: 1 }, { key: "k", seq: 1, tool: "t", args: {} });
    const large = { key: "large", result: "x".repeat(INLINE_RESULT_BYTES_MAX) };
    await store.runs.recordStep({ runId: run.id, fence: 1 }, finishedOf(2, large));
    await store.runs.finish({ runId: run.id, fence: 1 }, { status: "paused" });
    const taken = { except: [], decided: [{ key: "k", result: 1 }] };
    await store.runs.resume(run.id, newRunOf(), taken, "owner", 60_000);
    await store.audit.append({ actor: "me", action: "save", subject: "math:sum", details: {} });
    expect(await store.findDamage()).toEqual([]);
  });

  it("ends the work in flight before it closes", async () => {
    const { store, reopen } = fixture();
    const saves = Array.from({ length: 20 }, (_, i) => store.capabilities.save(draftOf({ action: `a${i}` })));
    await store.close();
    const outcomes = await Promise.all(saves);
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(Array.from({ length: 20 }, () => "saved"));
    const again = await reopen();
    expect(await again.capabilities.list(draftOf().scope)).toHaveLength(20);
  });

  it("refuses every call after closing with STORE_CLOSED", async () => {
    const { store } = fixture();
    await store.close();
    const calls = [
      () => store.capabilities.save(draftOf()),
      () => store.capabilities.revision(),
      () => store.capabilities.listCurrent(draftOf().scope),
      () => store.capabilities.alias("x", { namespace: "a", action: "b" }),
      () => store.runs.find("x"),
      () => store.runs.renew({ runId: "x", fence: 1 }, 1),
      () => store.runs.recordStep({ runId: "x", fence: 1 }, finishedOf(1)),
      () => store.runs.resume("x", newRunOf(), { except: [], decided: [] }, "owner", 1),
      () => store.runs.decide("x", "k", { isApproved: true, by: "ada" }),
      () => store.serverCache.list(),
      () => store.audit.append({ actor: "a", action: "b", subject: "c", details: {} }),
      () => store.findDamage(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "STORE_CLOSED" });
  });

  it("has another mark after each change, and the same while nothing changes", async () => {
    const { store } = fixture();
    const marks = [await store.changeMark()];
    expect(await store.changeMark()).toBe(marks[0]);
    const run = await store.runs.start(newRunOf(), "owner", 60_000);
    marks.push(await store.changeMark());
    await store.runs.recordStep({ runId: run.id, fence: 1 }, finishedOf(1));
    marks.push(await store.changeMark());
    await store.runs.find(run.id);
    expect(await store.changeMark()).toBe(marks[2]);
    expect(new Set(marks).size).toBe(3);
  });

  it("closes once however often it is asked", async () => {
    const { store } = fixture();
    await Promise.all([store.close(), store.close()]);
    await expect(store.close()).resolves.toBeUndefined();
  });
}
