import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Run, NewRun, RunStatus, RunSummary, Store } from "../../core/store.ts";
import { leaseOf, newRunOf, startRun, type StoreFixture } from "./fixture.ts";

const STATUSES = ["running", "paused", "succeeded", "failed", "cancelled"] as const;
const NOTHING = { except: [], decided: [] };

async function run(store: Store, status: RunStatus, part: Partial<NewRun> = {}): Promise<string> {
  const lease = await startRun(store, part);
  if (status !== "running") await store.runs.finish(lease, { status, result: 1, error: { code: "X" } });
  return lease.runId;
}

function idsOf(runs: readonly RunSummary[]): string[] {
  return runs.map((listed) => listed.id);
}

function summaryOf(whole: Run): RunSummary {
  const { source: _source, inputs: _inputs, result: _result, logs: _logs, ...summary } = whole;
  return summary;
}

async function resume(store: Store, fromRunId: string, part: Partial<NewRun> = {}): Promise<Run> {
  const outcome = await store.runs.resume(fromRunId, newRunOf(part), NOTHING, "owner", 600_000);
  if (outcome.kind !== "resumed") throw new Error(`expected a run, got ${outcome.kind}`);
  return outcome.run;
}

/** Which runs there are, and how they hang together. */
export function describeRunLists(fixture: () => StoreFixture): void {
  it("C7: finds runs by the beginning or the end of their ids, of one starter alone where one is named", async () => {
    const { store } = fixture();
    const own = await run(store, "failed", { principal: "ann" });
    const other = await run(store, "succeeded", { principal: "bob" });
    const child = await run(store, "succeeded", { parentRunId: own, principal: "ann" });
    const find = async (idPart: string, principal?: string) =>
      idsOf(
        await store.runs.list(DEFAULT_SCOPE, {
          limit: 9,
          idPart,
          children: true,
          ...(principal !== undefined && { starter: { principal } }),
        }),
      );
    for (const id of [own, other, child]) {
      expect(await find(id.slice(-12))).toEqual([id]);
      expect(await find(id)).toEqual([id]);
    }
    expect(await find(own.slice(0, 4))).toEqual([child, other, own]);
    expect(await find(own.slice(0, 4), "ann")).toEqual([child, own]);
    expect(await find(other.slice(-12), "ann")).toEqual([]);
    expect(await find(own.slice(9, 20))).toEqual([]);
    expect(await store.runs.list({ org: "o", project: "p" }, { limit: 9, idPart: own.slice(-12) })).toEqual(
      [],
    );
  });

  it("lists a run without what can be large", async () => {
    const { store } = fixture();
    const draft = { source: "return 1", inputs: { a: 1 }, intent: "i", capabilityId: "c" };
    const id = await run(store, "failed", draft);
    const found = await store.runs.find(id);
    expect(found).toMatchObject({ source: "return 1", inputs: { a: 1 }, result: 1 });
    const summary = found === undefined ? undefined : summaryOf(found);
    expect(await store.runs.list(DEFAULT_SCOPE, { limit: 1 })).toEqual([{ ...summary, stepCount: 0 }]);
    expect(await store.runs.listUnfinished(DEFAULT_SCOPE, 1)).toEqual([summary]);
  });

  it("lists only runs that no other run started, unless it is asked for all", async () => {
    const { store } = fixture();
    const parentRunId = await run(store, "running");
    const child = await run(store, "running", { parentRunId, parentStep: "k" });
    const other = await run(store, "running");
    expect(idsOf(await store.runs.list(DEFAULT_SCOPE, { limit: 9 }))).toEqual([other, parentRunId]);
    const all = await store.runs.list(DEFAULT_SCOPE, { limit: 9, children: true });
    expect(idsOf(all)).toEqual([other, child, parentRunId]);
    const page = await store.runs.list(DEFAULT_SCOPE, { limit: 1, children: true, beforeId: other });
    expect(page).toMatchObject([{ id: child, parentRunId, parentStep: "k" }]);
  });

  it.each(STATUSES)("lists the runs that are %s, newest first, page by page", async (status) => {
    const { store } = fixture();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++)
      for (const each of STATUSES) {
        const id = await run(store, each);
        if (each === status) ids.unshift(id);
        await run(store, each, { parentRunId: id });
        await run(store, each, { scope: { org: "local", project: "other" } });
      }
    expect(idsOf(await store.runs.list(DEFAULT_SCOPE, { limit: 9, status }))).toEqual(ids);
    const options = { limit: 2, status, beforeId: ids[0] ?? "" };
    expect(idsOf(await store.runs.list(DEFAULT_SCOPE, options))).toEqual(ids.slice(1));
    expect(await store.runs.list(DEFAULT_SCOPE, { limit: 9, status, children: true })).toHaveLength(6);
  });

  it("lists as unfinished what has not succeeded and what no run goes on from, newest first", async () => {
    const { store } = fixture();
    const ids: string[] = [];
    for (const status of STATUSES) ids.unshift(await run(store, status));
    const [cancelled = "", failed = "", , paused, running] = ids;
    await run(store, "failed", { parentRunId: failed });
    await run(store, "failed", { scope: { org: "acme", project: "default" } });
    const unfinished = async (limit: number): Promise<string[]> =>
      idsOf(await store.runs.listUnfinished(DEFAULT_SCOPE, limit));
    expect(await unfinished(9)).toEqual([cancelled, failed, paused, running]);
    expect(await unfinished(2)).toEqual([cancelled, failed]);
    const next = await resume(store, failed);
    expect(await unfinished(9)).toEqual([next.id, cancelled, paused, running]);
    await store.runs.finish(leaseOf(next), { status: "succeeded" });
    expect(await unfinished(9)).toEqual([cancelled, paused, running]);
  });

  it("A1: lists what one starter left unfinished, and nothing of another's", async () => {
    const { store } = fixture();
    const start = (principal: string | null, session: string | null): Promise<string> =>
      run(store, "failed", { principal, session });
    const local = await start(null, null);
    const first = await start(null, "stdio:1");
    const second = await start(null, "stdio:2");
    const token = await start("token:laptop", "http:1");
    const stateless = await start("token:laptop", null);
    const succeeded = await run(store, "succeeded", { principal: null, session: "stdio:1" });
    await run(store, "failed", { session: "stdio:1", scope: { org: "acme", project: "default" } });
    const listed = async (principal: string | null, session?: string | null): Promise<string[]> =>
      idsOf(
        await store.runs.listUnfinished(DEFAULT_SCOPE, 9, {
          principal,
          ...(session !== undefined && { session }),
        }),
      );
    expect(await listed(null, "stdio:1")).toEqual([first]);
    expect(await listed(null, null)).toEqual([local]);
    expect(await listed(null)).toEqual([second, first, local]);
    expect(await listed("token:laptop", "http:1")).toEqual([token]);
    expect(await listed("token:laptop", "stdio:1")).toEqual([]);
    expect(await listed("token:laptop")).toEqual([stateless, token]);
    expect(await listed("token:other")).toEqual([]);
    const starter = { principal: null, session: "stdio:1" };
    expect(idsOf(await store.runs.list(DEFAULT_SCOPE, { limit: 9, starter }))).toEqual([succeeded, first]);
  });

  it("lists the children of a run oldest first, and of no other", async () => {
    const { store } = fixture();
    const [parentRunId, other] = [await run(store, "running"), await run(store, "running")];
    const ids: string[] = [];
    for (const status of STATUSES) {
      ids.push(await run(store, status, { parentRunId, parentStep: status }));
      await run(store, status, { parentRunId: other });
    }
    const children = await store.runs.children(parentRunId);
    expect(idsOf(children)).toEqual(ids);
    expect(children.map((child) => child.parentStep)).toEqual(STATUSES);
    expect(await store.runs.children(ids[0] ?? "")).toEqual([]);
    expect(await store.runs.children("unknown")).toEqual([]);
  });

  it("finds the run that goes on from another", async () => {
    const { store } = fixture();
    const id = await run(store, "failed");
    expect(await store.runs.successor(id)).toBeUndefined();
    const next = await resume(store, id, { parentRunId: "p" });
    expect(await store.runs.successor(id)).toEqual(summaryOf(next));
    expect(await store.runs.successor(next.id)).toBeUndefined();
    expect(await store.runs.successor("unknown")).toBeUndefined();
  });
}
