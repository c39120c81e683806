import { expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Run, NewRun } from "../../core/store.ts";
import { endOf, finishedOf, leaseOf, newRunOf, type StoreFixture } from "./fixture.ts";

const DAY_MS = 86_400_000;

export function describeRuns(fixture: () => StoreFixture): void {
  describeStarting(fixture);
  describeClaiming(fixture);
  describeFinishing(fixture);
}

function describeStarting(fixture: () => StoreFixture): void {
  it("starts a run that is running, leased and empty", async () => {
    const { store, clock } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 60_000);
    expect(run).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      scope: { org: "local", project: "default" },
      kind: "code",
      source: null,
      capabilityId: null,
      capabilityVersion: null,
      intent: null,
      inputs: {},
      status: "running",
      result: null,
      error: null,
      parentRunId: null,
      parentStep: null,
      resumedFromRunId: null,
      principal: null,
      session: null,
      client: null,
      cancelBy: null,
      logs: [],
      seed: "seed",
      clockAt: 1,
      mode: "foreground",
      profile: null,
      wakeAt: null,
      attemptCount: 0,
      timeoutMs: null,
      leaseOwner: "owner",
      leaseUntil: expect.any(Number) as number,
      fence: 1,
      startedAt: clock.now(),
      finishedAt: null,
    } satisfies Run);
    expect(await store.runs.find(run.id)).toEqual(run);
  });

  it("gives back all that was put in, also after a restart", async () => {
    const { store, reopen } = fixture();
    const draft: NewRun = {
      scope: { org: "acme", project: "web" },
      kind: "capability",
      source: "return 1",
      capabilityId: "c",
      capabilityVersion: 3,
      intent: "find the 🐎",
      inputs: { b: [1, { c: null }], a: "x" },
      parentRunId: "p",
      parentStep: "k",
      principal: "token:laptop",
      session: "stdio:1",
      client: "Claude 1.2",
      mode: "background",
      profile: "team",
      timeoutMs: 90_000,
      seed: "s",
      clockAt: 1_790_000_000_123,
    };
    const run = await store.runs.start(draft, "owner", 60_000);
    expect(run).toMatchObject(draft);
    expect(await (await reopen()).runs.find(run.id)).toEqual(run);
  });

  it("finds nothing under an unknown id", async () => {
    expect(await fixture().store.runs.find("unknown")).toBeUndefined();
  });

  it("lists the runs of a scope newest first, page by page", async () => {
    const { store, clock } = fixture();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.unshift((await store.runs.start(newRunOf(), "owner", 60_000)).id);
      clock.advance(i % 2);
    }
    await store.runs.start(newRunOf({ scope: { org: "local", project: "other" } }), "owner", 60_000);
    const all = await store.runs.list(DEFAULT_SCOPE, { limit: 10 });
    expect(all.map((run) => run.id)).toEqual(ids);
    const first = await store.runs.list(DEFAULT_SCOPE, { limit: 2 });
    expect(first.map((run) => run.id)).toEqual(ids.slice(0, 2));
    const second = await store.runs.list(DEFAULT_SCOPE, { limit: 2, beforeId: ids[1] ?? "" });
    expect(second.map((run) => run.id)).toEqual(ids.slice(2, 4));
    expect(await store.runs.list(DEFAULT_SCOPE, { limit: 2, beforeId: ids[4] ?? "" })).toEqual([]);
  });

  it("lists in the order of starting when the clock goes a day back and forth (T124)", async () => {
    const { store, clock } = fixture();
    const parentRunId = (await store.runs.start(newRunOf(), "owner", 60_000)).id;
    const [ids, childIds]: [string[], string[]] = [[parentRunId], []];
    for (const jump of [-DAY_MS, 2 * DAY_MS, -DAY_MS]) {
      clock.advance(jump);
      ids.unshift((await store.runs.start(newRunOf(), "owner", 60_000)).id);
      childIds.push((await store.runs.start(newRunOf({ parentRunId }), "owner", 60_000)).id);
    }
    const listed = await store.runs.list(DEFAULT_SCOPE, { limit: 10 });
    expect(listed.map((run) => run.id)).toEqual(ids);
    const unfinished = await store.runs.listUnfinished(DEFAULT_SCOPE, 10);
    expect(unfinished.map((run) => run.id)).toEqual(ids);
    const children = await store.runs.children(parentRunId);
    expect(children.map((run) => run.id)).toEqual(childIds);
  });
}

function describeClaiming(fixture: () => StoreFixture): void {
  it("leaves a run to its owner while the lease lasts, whatever our clock says (T124)", async () => {
    const { store, clock } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 60_000);
    for (const jump of [DAY_MS, -2 * DAY_MS]) {
      clock.advance(jump);
      expect(await store.runs.claim(run.id, "thief", 60_000)).toBeUndefined();
    }
    expect(await store.runs.find(run.id)).toEqual(run);
    expect(await store.runs.renew(leaseOf(run), 60_000)).toBe(true);
  });

  it("gives a run whose lease has run out to the next owner, with a higher fence", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 0);
    const claimed = await store.runs.claim(run.id, "heir", 60_000);
    expect(claimed).toEqual({ ...run, leaseOwner: "heir", fence: 2, leaseUntil: claimed?.leaseUntil });
    expect(claimed?.leaseUntil).toBeGreaterThan((run.leaseUntil ?? 0) + 59_000);
    expect(await store.runs.find(run.id)).toEqual(claimed);
    expect(await store.runs.claim(run.id, "third", 60_000)).toBeUndefined();
  });

  it("gives an expired run to exactly one of 20 claimants", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 0);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.runs.claim(run.id, `heir ${i}`, 60_000)),
    );
    const winners = claims.filter((claim) => claim !== undefined);
    expect(winners).toHaveLength(1);
    expect(await store.runs.find(run.id)).toEqual(winners[0]);
  });

  it("does not give away what is unknown or over", async () => {
    const { store } = fixture();
    expect(await store.runs.claim("unknown", "heir", 60_000)).toBeUndefined();
    for (const status of ["succeeded", "failed", "cancelled"] as const) {
      const run = await store.runs.start(newRunOf(), "owner", 0);
      await store.runs.finish(leaseOf(run), { status });
      expect(await store.runs.claim(run.id, "heir", 60_000)).toBeUndefined();
    }
  });

  it("gives a leased run to a claimer that knows that its owner is gone, and to no other", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 60_000);
    for (const gone of ["other", "", "OWNER", "owner "])
      expect(await store.runs.claim(run.id, "heir", 60_000, { gone })).toBeUndefined();
    expect(await store.runs.find(run.id)).toEqual(run);
    const claimed = await store.runs.claim(run.id, "heir", 60_000, { gone: "owner" });
    expect(claimed).toMatchObject({ leaseOwner: "heir", fence: 2 });
    expect(await store.runs.renew(leaseOf(run), 60_000)).toBe(false);
    expect(await store.runs.claim(run.id, "third", 60_000, { gone: "owner" })).toBeUndefined();
  });

  it("gives a run whose owner is gone to exactly one of 20 claimants", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 60_000);
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.runs.claim(run.id, `heir ${i}`, 60_000, { gone: "owner" })),
    );
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
  });

  it("claims what has run out and what is paused, whatever owners are said to be gone, and nothing that is over", async () => {
    const { store } = fixture();
    const expired = await store.runs.start(newRunOf(), "owner", 0);
    expect(await store.runs.claim(expired.id, "heir", 60_000, { gone: "other" })).toMatchObject({ fence: 2 });
    const paused = await store.runs.start(newRunOf(), "owner", 60_000);
    await store.runs.finish(leaseOf(paused), { status: "paused" });
    expect(await store.runs.claim(paused.id, "heir", 60_000, { gone: "owner" })).toMatchObject({ fence: 2 });
    const over = await store.runs.start(newRunOf(), "owner", 60_000);
    await store.runs.finish(leaseOf(over), { status: "failed" });
    expect(await store.runs.claim(over.id, "heir", 60_000, { gone: "owner" })).toBeUndefined();
  });

  it("lets a late owner renew until another claims the run", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 0);
    expect(await store.runs.renew(leaseOf(run), 60_000)).toBe(true);
    expect(await store.runs.claim(run.id, "heir", 60_000)).toBeUndefined();
    expect((await store.runs.find(run.id))?.fence).toBe(1);
  });

  it("writes nothing for an owner that has lost its lease, nor for one that never had it", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 0);
    await store.runs.openStep(leaseOf(run), { key: "a", seq: 1, tool: "t", args: {} });
    const claimed = await store.runs.claim(run.id, "heir", 60_000);
    const steps = await store.runs.steps(run.id);
    const strangers = [leaseOf(run), { runId: run.id, fence: 3 }, { runId: "unknown", fence: 1 }];
    for (const lease of strangers) {
      expect(await store.runs.renew(lease, 60_000)).toBe(false);
      expect(await store.runs.openStep(lease, { key: "a", seq: 1, tool: "t", args: {} })).toBe(false);
      expect(await store.runs.openStep(lease, { key: "b", seq: 2, tool: "t", args: {} })).toBe(false);
      expect(await store.runs.closeStep(lease, "a", endOf({ result: 1 }))).toBe(false);
      expect(await store.runs.closeStep(lease, "never", endOf())).toBe(false);
      expect(await store.runs.recordStep(lease, finishedOf(3))).toBe(false);
      expect(await store.runs.recordStep(lease, finishedOf(1, { key: "a" }))).toBe(false);
      expect(await store.runs.finish(lease, { status: "succeeded", result: 1 })).toBe(false);
    }
    expect(await store.runs.find(run.id)).toEqual(claimed);
    expect(await store.runs.steps(run.id)).toEqual(steps);
  });
}

function describeFinishing(fixture: () => StoreFixture): void {
  it.each(["succeeded", "failed", "cancelled"] as const)(
    "ends a run as %s and gives the lease back",
    async (status) => {
      const { store, clock } = fixture();
      const run = await store.runs.start(newRunOf(), "owner", 60_000);
      clock.advance(50);
      const outcome = { status, result: { n: [1, "a"] }, error: { code: "X" } };
      expect(await store.runs.finish(leaseOf(run), outcome)).toBe(true);
      const finished = { ...run, ...outcome, leaseOwner: null, leaseUntil: null, finishedAt: clock.now() };
      expect(await store.runs.find(run.id)).toEqual(finished);
    },
  );

  it("ends a run once and writes nothing to it afterwards", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 60_000);
    const lease = leaseOf(run);
    await store.runs.openStep(lease, { key: "a", seq: 1, tool: "t", args: {} });
    await store.runs.finish(lease, { status: "succeeded", result: 1 });
    const [finished, steps] = [await store.runs.find(run.id), await store.runs.steps(run.id)];
    expect(await store.runs.finish(lease, { status: "failed", error: { code: "X" } })).toBe(false);
    expect(await store.runs.renew(lease, 60_000)).toBe(false);
    expect(await store.runs.openStep(lease, { key: "b", seq: 2, tool: "t", args: {} })).toBe(false);
    expect(await store.runs.closeStep(lease, "a", endOf())).toBe(false);
    expect(await store.runs.recordStep(lease, finishedOf(3))).toBe(false);
    expect(await store.runs.find(run.id)).toEqual(finished);
    expect(await store.runs.steps(run.id)).toEqual(steps);
  });

  it("pauses a run without ending it, so that anyone may claim it at once", async () => {
    const { store } = fixture();
    const run = await store.runs.start(newRunOf(), "owner", 60_000);
    await store.runs.openStep(leaseOf(run), { key: "a", seq: 1, tool: "t", args: {} });
    expect(await store.runs.finish(leaseOf(run), { status: "paused", error: { code: "ASK" } })).toBe(true);
    const paused = await store.runs.find(run.id);
    expect(paused).toMatchObject({ status: "paused", leaseOwner: null, leaseUntil: null, finishedAt: null });
    expect(await store.runs.renew(leaseOf(run), 60_000)).toBe(false);
    const claimed = await store.runs.claim(run.id, "heir", 60_000);
    expect(claimed).toMatchObject({
      status: "running",
      leaseOwner: "heir",
      fence: 2,
      error: { code: "ASK" },
    });
    const lease = { runId: run.id, fence: 2 };
    expect(await store.runs.closeStep(lease, "a", endOf())).toBe(true);
    expect(await store.runs.finish(lease, { status: "succeeded" })).toBe(true);
    expect(await store.runs.find(run.id)).toMatchObject({ status: "succeeded", error: null });
  });
}
