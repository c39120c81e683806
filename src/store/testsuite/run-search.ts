import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { NewRun, RunFilter, RunStatus, Store } from "../../core/store.ts";
import { finishedOf, save, startRun, type StoreFixture } from "./fixture.ts";

async function run(store: Store, status: RunStatus, part: Partial<NewRun> = {}, tools: string[] = []) {
  const lease = await startRun(store, part);
  for (const [seq, tool] of tools.entries())
    await store.runs.recordStep(lease, finishedOf(seq, { tool, key: `${tool} ${seq}` }));
  if (status !== "running") await store.runs.finish(lease, { status });
  return lease.runId;
}

/** Runs that somebody looks for, and how many there are. */
export function describeRunSearch(fixture: () => StoreFixture): void {
  const finder = (store: Store) => async (filter: RunFilter) =>
    (await store.runs.list(DEFAULT_SCOPE, { limit: 9, ...filter })).map(({ id }) => id);

  it("finds runs by status, kind, time and session, each narrowing the others", async () => {
    const { store, clock } = fixture();
    const find = finder(store);
    const start = clock.now();
    const code = await run(store, "failed", { session: "s1" });
    clock.advance(1_000);
    const workflow = await run(store, "succeeded", { kind: "workflow", session: "s1", principal: "ann" });
    clock.advance(1_000);
    const paused = await run(store, "paused", { kind: "workflow" });
    expect(await find({ statuses: ["failed", "succeeded"] })).toEqual([workflow, code]);
    expect(await find({ statuses: ["failed", "paused"] })).toEqual([paused, code]);
    expect(await find({ statuses: [] })).toEqual([]);
    expect(await find({ kinds: ["workflow"] })).toEqual([paused, workflow]);
    expect(await find({ kinds: ["workflow"], statuses: ["paused"] })).toEqual([paused]);
    expect(await find({ since: start + 1_000 })).toEqual([paused, workflow]);
    expect(await find({ until: start + 1_000 })).toEqual([code]);
    expect(await find({ session: "s1" })).toEqual([workflow, code]);
    expect(await find({ session: "s1", starter: { principal: "ann" } })).toEqual([workflow]);
  });

  it("finds runs by a tool that they used, as a pattern, and counts the steps of each", async () => {
    const { store } = fixture();
    const one = await run(store, "succeeded", {}, ["github__create_issue", "github__list"]);
    const other = await run(store, "failed", {}, ["githubXXlist"]);
    const find = finder(store);
    expect(await find({ tool: "github__*" })).toEqual([one]);
    expect(await find({ tool: "GitHub*list" })).toEqual([other, one]);
    expect(await find({ tool: "github__create" })).toEqual([]);
    const listed = await store.runs.list(DEFAULT_SCOPE, { limit: 9 });
    expect(listed.map(({ id, stepCount }) => [id, stepCount])).toEqual([
      [other, 1],
      [one, 2],
    ]);
  });

  it("finds runs by words of the intent, the source or the name of what ran", async () => {
    const { store } = fixture();
    const { capability } = await save(store.capabilities, { namespace: "math", action: "sum" });
    const intent = await run(store, "failed", { intent: "Close 100% of Issues", source: "return 7" });
    const source = await run(store, "failed", { source: "const issues = await mcp.x.y()" });
    const named = await run(store, "failed", { kind: "capability", capabilityId: capability.id });
    const find = finder(store);
    expect(await find({ text: "issues" })).toEqual([source, intent]);
    expect(await find({ text: "  return   CLOSE " })).toEqual([intent]);
    expect(await find({ text: "100%" })).toEqual([intent]);
    expect(await find({ text: "1%s" })).toEqual([]);
    expect(await find({ text: "math:su" })).toEqual([named]);
  });

  it("counts runs by the part of the time in which they began, and by status", async () => {
    const { store, clock } = fixture();
    const since = clock.now();
    await run(store, "failed");
    await run(store, "succeeded", { intent: "a" });
    clock.advance(999);
    await run(store, "succeeded", { intent: "a" });
    clock.advance(1);
    const parentRunId = await run(store, "running");
    await run(store, "failed", { parentRunId });
    await run(store, "failed", { scope: { org: "acme", project: "default" } });
    const all = await store.runs.count(DEFAULT_SCOPE, {}, 1_000, since);
    expect(all.filter(({ bucket }) => bucket === 0)).toEqual(
      expect.arrayContaining([
        { bucket: 0, status: "failed", leaseOwner: null, count: 1 },
        { bucket: 0, status: "succeeded", leaseOwner: null, count: 2 },
      ]),
    );
    expect(all.slice(2)).toEqual([{ bucket: 1, status: "running", leaseOwner: "owner", count: 1 }]);
    expect(await store.runs.count(DEFAULT_SCOPE, { text: "a" }, 1_000, since)).toEqual([
      { bucket: 0, status: "succeeded", leaseOwner: null, count: 2 },
    ]);
    expect(await store.runs.count(DEFAULT_SCOPE, {}, 1_000, since + 1_001)).toEqual([]);
  });
}
