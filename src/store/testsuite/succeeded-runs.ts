import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { NewRun, RunStatus, Store } from "../../core/store.ts";
import { newRunOf, type StoreFixture } from "./fixture.ts";

const SOURCE = "return inputs.a";

async function run(
  store: Store,
  status: RunStatus = "succeeded",
  part: Partial<NewRun> = {},
): Promise<string> {
  const { id, fence } = await store.runs.start(newRunOf({ source: SOURCE, ...part }), "owner", 600_000);
  if (status !== "running") await store.runs.finish({ runId: id, fence }, { status, result: { id } });
  return id;
}

export function describeSucceededRuns(fixture: () => StoreFixture): void {
  it("finds the newest run of a source that succeeded, also after a restart", async () => {
    const { store, reopen } = fixture();
    await run(store);
    const id = await run(store, "succeeded", { inputs: { a: 1 } });
    const found = await store.runs.findSucceeded(DEFAULT_SCOPE, SOURCE);
    expect(found).toMatchObject({ id, source: SOURCE, inputs: { a: 1 }, result: { id } });
    expect(found).toEqual(await store.runs.find(id));
    expect(await (await reopen()).runs.findSucceeded(DEFAULT_SCOPE, SOURCE)).toEqual(found);
  });

  it("finds the newest of one starter, where one is named", async () => {
    const { store } = fixture();
    const own = await run(store, "succeeded", { principal: "token:bot" });
    const local = await run(store);
    const find = async (principal: string | null) =>
      (await store.runs.findSucceeded(DEFAULT_SCOPE, SOURCE, { principal }))?.id;
    expect([await find("token:bot"), await find(null), await find("token:ann")]).toEqual([
      own,
      local,
      undefined,
    ]);
  });

  it("looks past runs that did not succeed", async () => {
    const { store } = fixture();
    const others = ["running", "paused", "failed", "cancelled"] as const;
    for (const status of others) await run(store, status);
    expect(await store.runs.findSucceeded(DEFAULT_SCOPE, SOURCE)).toBeUndefined();
    const id = await run(store);
    for (const status of others) await run(store, status);
    expect((await store.runs.findSucceeded(DEFAULT_SCOPE, SOURCE))?.id).toBe(id);
  });

  it("finds exactly this source and no other", async () => {
    const { store } = fixture();
    const sources = [SOURCE, `${SOURCE} `, `${SOURCE}\n`, SOURCE.toUpperCase(), "é", "e\u0301", ""];
    const ids = new Map<string, string>();
    for (const source of sources) ids.set(source, await run(store, "succeeded", { source }));
    for (const source of sources)
      expect((await store.runs.findSucceeded(DEFAULT_SCOPE, source))?.id).toBe(ids.get(source));
    expect(await store.runs.findSucceeded(DEFAULT_SCOPE, `${SOURCE};`)).toBeUndefined();
  });

  it("finds nothing of another scope, and no run without a source", async () => {
    const { store } = fixture();
    await run(store, "succeeded", { scope: { org: "local", project: "other" } });
    await run(store, "succeeded", { source: null, capabilityId: "c", capabilityVersion: 1 });
    expect(await store.runs.findSucceeded(DEFAULT_SCOPE, SOURCE)).toBeUndefined();
    expect(await store.runs.findSucceeded(DEFAULT_SCOPE, "")).toBeUndefined();
  });
}
