/** What a server that is away, a connection that ends and several writers at once do to the store. */
import type { Kysely } from "kysely";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { MOMENTS, startFaultProxy, type PostgresProxy } from "../../../test/rig/fault-proxy.ts";
import { temporaryDatabase, useDatabase } from "../../../test/rig/shared-postgres.ts";
import { startPostgres } from "../../../test/rig/postgres.ts";
import type { Store } from "../../core/store.ts";
import { MIGRATIONS } from "../migrations.ts";
import { draftOf, finishedOf, leaseOf, newRunOf, endOf } from "../testsuite/fixture.ts";
import { openPostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";

async function openStore(options: PostgresStoreOptions): Promise<Store> {
  const store = await openPostgresStore(options);
  onTestFinished(() => store.close());
  return store;
}

const TAKEN = { except: [], decided: [] };

it("a process that was stopped for longer than it waits for the server tries once more", async () => {
  const url = await temporaryDatabase();
  const proxy = await startFaultProxy(Number(new URL(url).port));
  onTestFinished(() => proxy.close());
  let stoppedMs = 0;
  const clock = { now: () => Date.now(), elapsed: () => performance.now() + stoppedMs };
  const store = await openStore({ url: proxy.urlOf(url), poolSize: 1, waitMs: 5_000, clock });
  const run = await store.runs.start(newRunOf(), "owner", 60_000);
  proxy.onNext(
    "beforeSend",
    ({ sql }) => /from "runs"/.test(sql),
    async () => {
      stoppedMs += 60_000;
      proxy.cut();
    },
  );
  expect(await store.runs.find(run.id)).toMatchObject({ id: run.id });
});

describe("a lost acknowledgement", () => {
  const database = useDatabase();
  let proxy: PostgresProxy;
  let store: Store;
  beforeEach(async () => {
    proxy = await startFaultProxy(Number(new URL(database.url).port));
    // Small, so that the statement that is lost is on a connection that was used before.
    store = await openPostgresStore({ url: proxy.urlOf(database.url), poolSize: 1, waitMs: 20_000 });
  });
  afterEach(async () => {
    await store.close();
    proxy.close();
  });

  /** Each operation, what is asked first, and which of its statements is lost. */
  const OPERATIONS: Record<
    string,
    { readonly lost: RegExp; readonly run: (arm: () => void) => Promise<void> }
  > = {
    "starts one run": {
      lost: /^insert into "runs"/,
      async run(arm) {
        arm();
        const before = await store.runs.list(newRunOf().scope, { limit: 500 });
        const run = await store.runs.start(newRunOf(), "owner", 60_000);
        expect(run.fence).toBe(1);
        const after = await store.runs.list(newRunOf().scope, { limit: 500 });
        expect(after.length).toBe(before.length + 1);
      },
    },
    "opens and closes a step once": {
      lost: /^(insert into|update) "steps"/,
      async run(arm) {
        const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 60_000));
        arm();
        expect(await store.runs.openStep(lease, { key: "k", seq: 1, tool: "t", args: {} })).toBe(true);
        expect(await store.runs.closeStep(lease, "k", endOf({ result: 7 }))).toBe(true);
        expect(await store.runs.steps(lease.runId)).toMatchObject([{ key: "k", result: 7 }]);
      },
    },
    "records a large result once": {
      lost: /^(commit|insert into "step_values")/,
      async run(arm) {
        arm();
        const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 60_000));
        const result = "x".repeat(100_000);
        expect(await store.runs.recordStep(lease, finishedOf(1, { result }))).toBe(true);
        expect(await store.runs.stepResult(lease.runId, "k1")).toBe(result);
        expect(await store.findDamage()).toEqual([]);
      },
    },
    "finishes a run with one use": {
      lost: /^commit/,
      async run(arm) {
        const saved = await store.capabilities.save(
          draftOf({ action: `a${Math.random()}`.replace("0.", "") }),
        );
        if (saved.kind !== "saved") throw new Error("expected a save");
        const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 60_000));
        arm();
        const use = { capabilityId: saved.capability.id, success: true, elapsedMs: 5 };
        expect(await store.runs.finish(lease, { status: "succeeded", result: 1, use })).toBe(true);
        expect((await store.capabilities.get(saved.capability.id))?.usageCount).toBe(1);
      },
    },
    "ends a run": {
      lost: /^update "runs"/,
      async run(arm) {
        const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 60_000));
        arm();
        expect(await store.runs.finish(lease, { status: "failed" })).toBe(true);
      },
    },
    "resumes a run once": {
      lost: /^commit/,
      async run(arm) {
        const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 60_000));
        await store.runs.recordStep(lease, finishedOf(1));
        await store.runs.finish(lease, { status: "failed" });
        arm();
        const outcome = await store.runs.resume(lease.runId, newRunOf(), TAKEN, "heir", 60_000);
        if (outcome.kind !== "resumed") throw new Error("it was resumed by itself");
        expect(await store.runs.steps(outcome.run.id)).toHaveLength(1);
      },
    },
    "decides a question": {
      lost: /^commit/,
      async run(arm) {
        const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 60_000));
        await store.runs.openStep(lease, { key: "q", seq: 1, tool: "t", args: {}, status: "waiting" });
        await store.runs.finish(lease, { status: "paused" });
        arm();
        const decided = await store.runs.decide(lease.runId, "q", { isApproved: true, by: "ada" });
        expect(decided).toEqual({ kind: "decided" });
      },
    },
    "spends a state once": {
      lost: /^insert into "spent_states"/,
      async run(arm) {
        arm();
        const id = crypto.randomUUID();
        expect(await store.seals.spend(id, Date.now() + 60_000)).toBe(true);
        expect(await store.seals.spend(id, Date.now() + 60_000)).toBe(false);
      },
    },
    "takes a limit": {
      lost: /^commit/,
      async run(arm) {
        arm();
        const key = crypto.randomUUID();
        const taken = await store.limits.take([{ key, countMax: 3, windowMs: 60_000 }], []);
        expect(taken.kind).toBe("taken");
      },
    },
    "appends to the audit trail": {
      lost: /^commit/,
      async run(arm) {
        arm();
        await store.audit.append({ actor: "a", action: "b", subject: "c", details: {} });
        expect(await store.audit.findBreak()).toBeUndefined();
      },
    },
  };

  for (const [name, { lost, run }] of Object.entries(OPERATIONS)) {
    it.each(MOMENTS)(`${name}, when the connection ends %s (T113)`, async (moment) => {
      let trap: ReturnType<PostgresProxy["onNext"]> | undefined;
      const arm = (): void => {
        trap = proxy.onNext(moment, ({ sql }) => lost.test(sql), "cut");
      };
      await run(arm);
      expect(trap?.isCaught()).toBe(true);
    });
  }

  it("tells that a save may have happened", async () => {
    const trap = proxy.onNext("afterAnswer", ({ sql }) => sql.startsWith("commit"), "cut");
    await expect(store.capabilities.save(draftOf())).rejects.toMatchObject({ code: "STORE_UNCERTAIN" });
    expect(trap.isCaught()).toBe(true);
    expect(await store.capabilities.find(draftOf().scope, draftOf())).toMatchObject({ currentVersion: 1 });
  });

  it("repeats a save of which nothing can have happened", async () => {
    const action = "never_sent";
    const trap = proxy.onNext("beforeSend", ({ sql }) => sql.startsWith('insert into "capabilities"'), "cut");
    expect(await store.capabilities.save(draftOf({ action }))).toMatchObject({ kind: "saved" });
    expect(trap.isCaught()).toBe(true);
  });
});

describe("a server that is away", () => {
  it("is waited for by what was asked meanwhile (T112)", async () => {
    const postgres = await startPostgres({ fsync: true });
    onTestFinished(() => postgres.close());
    const store = await openStore({ url: await postgres.createDatabase(), waitMs: 60_000 });
    const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 600_000));
    await postgres.stop("immediate");
    const steps = Array.from({ length: 20 }, (_, i) => store.runs.recordStep(lease, finishedOf(i + 1)));
    const isAway = () => store.status().awaySince !== undefined;
    await expect.poll(isAway, { timeout: 30_000 }).toBe(true);
    await expect(store.check()).rejects.toMatchObject({ code: "STORE_BUSY" });
    await postgres.start();
    expect(await Promise.all(steps)).toEqual(steps.map(() => true));
    expect(await store.runs.steps(lease.runId)).toHaveLength(20);
    await store.check();
    expect(isAway()).toBe(false);
  });

  it("is given up after the time that the config says, with a way on", async () => {
    const postgres = await startPostgres({ fsync: true });
    onTestFinished(() => postgres.close());
    const store = await openStore({ url: await postgres.createDatabase(), waitMs: 300 });
    await postgres.stop("fast");
    await expect(store.runs.find("x")).rejects.toMatchObject({ code: "STORE_BUSY" });
    await postgres.start();
    await expect.poll(() => store.runs.find("x").catch(() => "away"), { timeout: 30_000 }).toBeUndefined();
  });

  it("that answers nothing costs a statement its time, and no row twice", async () => {
    const url = await temporaryDatabase();
    const proxy = await startFaultProxy(Number(new URL(url).port));
    onTestFinished(() => proxy.close());
    const store = await openStore({ url: proxy.urlOf(url), poolSize: 1, statementMs: 700, waitMs: 60_000 });
    const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 600_000));
    const trap = proxy.onNext("afterSend", ({ sql }) => sql.startsWith('insert into "steps"'), "drop");
    expect(await store.runs.recordStep(lease, finishedOf(1))).toBe(true);
    expect(trap.isCaught()).toBe(true);
    expect(await store.runs.steps(lease.runId)).toHaveLength(1);
  });

  it("that ends every connection again and again loses and repeats nothing", async () => {
    const postgres = await startPostgres({ fsync: true });
    onTestFinished(() => postgres.close());
    const store = await openStore({ url: await postgres.createDatabase(), waitMs: 60_000 });
    const over = new AbortController();
    const ending = (async () => {
      while (!over.signal.aborted) await postgres.terminateBackends();
    })();
    const runs = Array.from({ length: 20 }, async () => {
      const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 600_000));
      for (let seq = 1; seq <= 5; seq++) {
        expect(await store.runs.recordStep(lease, finishedOf(seq))).toBe(true);
      }
      return store.runs.finish(lease, { status: "succeeded" });
    });
    const ends = await Promise.all(runs).finally(() => over.abort());
    await ending;
    expect(ends).toEqual(runs.map(() => true));
    expect(await store.runs.list(newRunOf().scope, { limit: 100 })).toHaveLength(20);
  });

  it("refuses a wrong password and an unknown database at once, and does not show the password", async () => {
    const postgres = await startPostgres({ fsync: true });
    onTestFinished(() => postgres.close());
    const url = new URL(await postgres.withPassword(await postgres.createDatabase()));
    url.password = "not-the-password";
    const refused = openPostgresStore({ url: url.href, waitMs: 60_000 });
    await expect(refused).rejects.toMatchObject({ code: "STORE_REFUSED" });
    await expect(refused).rejects.not.toThrow(/not-the-password/);
    const missing = Object.assign(new URL(postgres.adminUrl), { pathname: "/nowhere" }).href;
    await expect(openPostgresStore({ url: missing })).rejects.toMatchObject({ code: "STORE_REFUSED" });
  });
});

describe("several writers", () => {
  it("never write under a fence that a claim has moved (T114)", async () => {
    const url = await temporaryDatabase();
    const [owner, heir] = [await openStore({ url }), await openStore({ url })];
    for (let round = 0; round < 60; round++) {
      const run = await owner.runs.start(newRunOf(), "owner", 1);
      const lease = leaseOf(run);
      await owner.runs.openStep(lease, { key: "open", seq: 1, tool: "t", args: {} });
      const large = round % 3 === 0 ? "x".repeat(70_000) : 1;
      const write =
        round % 2 === 0
          ? owner.runs.recordStep(lease, finishedOf(2, { result: large }))
          : owner.runs.closeStep(lease, "open", endOf({ result: large }));
      const claimed = heir.runs.claim(run.id, "heir", 60_000, { gone: "owner" });
      const seen = (await claimed) === undefined ? undefined : await heir.runs.steps(run.id);
      const isWritten = await write;
      if (seen !== undefined && !isWritten) expect(await heir.runs.steps(run.id)).toEqual(seen);
      // What was acknowledged before the claim is in the journal that the claimant read.
      if (seen !== undefined && isWritten) expect(await heir.runs.steps(run.id)).toEqual(seen);
    }
  });

  it("add the same uses in any order without a deadlock", async () => {
    const url = await temporaryDatabase();
    const stores = [await openStore({ url }), await openStore({ url })];
    const uses = ["c", "a", "d", "b"].map((tool) => ({ tool, intent: "x", useCount: 1 }));
    const added = Array.from({ length: 40 }, (_, i) =>
      stores[i % 2]!.pastUses.add(newRunOf().scope, i % 3 === 0 ? uses.toReversed() : uses),
    );
    await Promise.all(added);
    const counts = (await stores[0]!.pastUses.list(newRunOf().scope)).map(({ useCount }) => useCount);
    expect(counts).toEqual([40, 40, 40, 40]);
    expect(stores.map((store) => store.status().retries?.["conflict"] ?? 0)).toEqual([0, 0]);
  });

  it("give calls ids in the order of their commits", async () => {
    const url = await temporaryDatabase();
    const stores = [await openStore({ url }), await openStore({ url })];
    const over = new AbortController();
    const missed: string[] = [];
    const reading = (async () => {
      const seen = new Set<string>();
      let last: string | undefined;
      while (!over.signal.aborted) {
        const page = await stores[0]!.calls.list({ limit: 1_000, afterId: last ?? "" });
        for (const { id } of page) seen.add(id);
        last = page.at(-1)?.id ?? last;
      }
      for (const { id } of await stores[0]!.calls.list({ limit: 1_000 }))
        if (id < (last ?? "") && !seen.has(id)) missed.push(id);
    })();
    const append = async (store: Store) => {
      for (let i = 0; i < 25; i++) await store.calls.append([callOf()]);
    };
    await Promise.all(stores.flatMap((store) => [append(store), append(store)]));
    over.abort();
    await reading;
    expect(missed).toEqual([]);
  });
});

function callOf(): Parameters<Store["calls"]["append"]>[0][number] {
  return {
    at: 1,
    principal: "p",
    client: null,
    profile: null,
    kind: "tool",
    tool: "t",
    effect: "read",
    decision: "allow",
    rule: "r",
    argsDigest: "d",
    args: null,
    outcome: "ok",
    elapsedMs: 1,
    bytes: 1,
    runId: null,
    traceId: "t",
  };
}

describe("the schema", () => {
  it("is made once by eight that start at the same moment (T117)", async () => {
    const url = await temporaryDatabase();
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore({ url, poolSize: 2 })));
    for (const store of stores) expect(await store.capabilities.revision()).toBe(0);
  });

  it("of a newer version is used where that says so, and refused where not", async () => {
    const url = await temporaryDatabase();
    const older = await openStore({ url });
    const next = { name: "one more table", usableFrom: MIGRATIONS.length, up: async () => {} };
    const newer = await openStore({ url, migrations: [...MIGRATIONS, next] });
    await older.check();
    await (await openStore({ url })).runs.find("x");
    await newer.close();
    const breaking = { name: "another", up: async () => {} };
    await openStore({ url, migrations: [...MIGRATIONS, next, breaking] });
    await expect(older.check()).rejects.toMatchObject({ code: "STORE_NEWER" });
    await expect(openPostgresStore({ url })).rejects.toMatchObject({ code: "STORE_NEWER" });
  });

  it("gains a column while an older version uses its tables, whose planned statements go on", async () => {
    const url = await temporaryDatabase();
    // One connection, so that each statement has been planned on it before.
    const older = await openStore({ url, poolSize: 1 });
    const use = async (): Promise<void> => {
      const run = await older.runs.start(newRunOf(), "owner", 60_000);
      expect(await older.runs.finish(leaseOf(run), { status: "paused" })).toBe(true);
      const resumed = await older.runs.resume(run.id, newRunOf(), TAKEN, "owner", 60_000);
      expect(resumed.kind).toBe("resumed");
      expect(await older.runs.find(run.id)).toMatchObject({ status: "paused" });
    };
    for (let i = 0; i < 2; i++) await use();
    const next = {
      name: "one more column",
      usableFrom: MIGRATIONS.length,
      up: (db: Kysely<unknown>) => db.schema.alterTable("runs").addColumn("colour", "text").execute(),
    };
    await openStore({ url, migrations: [...MIGRATIONS, next] });
    for (let i = 0; i < 2; i++) await use();
  });

  it("sorts names by their bytes in a database of another language", async () => {
    const store = await openStore({ url: await temporaryDatabase({ icuLocale: "en-US" }) });
    for (const action of ["a_b", "a1", "aa", "a_1"]) await store.capabilities.save(draftOf({ action }));
    const names = (await store.capabilities.list(draftOf().scope)).map(({ action }) => action);
    expect(names).toEqual(["a1", "a_1", "a_b", "aa"]);
  });
});
