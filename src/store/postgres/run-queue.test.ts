/** The queue on a real PostgreSQL: jobs are part of the store's transactions, and a job whose process died comes again. */
import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { useDatabase } from "../../../test/rig/shared-postgres.ts";
import { eventually } from "../../../test/fixtures/temporary.ts";
import { silentLog } from "../../core/log.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import type { Delivery, RunQueue } from "../../core/run-queue.ts";
import type { Store } from "../../core/store.ts";
import { leaseOf, newRunOf } from "../testsuite/fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

const database = useDatabase();
const opened: { store: Store; queue: RunQueue }[] = [];

afterEach(async () => {
  for (const { store, queue } of opened.splice(0)) {
    await queue.drain();
    await queue.close();
    await store.close();
  }
  await query("truncate runs cascade");
  await query("drop schema if exists repertoire_queue cascade");
});

async function open(poolSize?: number) {
  const store = await openPostgresStore({ url: database.url, poolSize });
  const queue = store.openQueue({ scope: () => DEFAULT_SCOPE, isGone: () => false, log: silentLog });
  opened.push({ store, queue });
  return { store, queue };
}

async function query<Row extends object>(text: string): Promise<Row[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

describe("the queue on PostgreSQL", () => {
  it("starts while every connection of the store waits for it", async () => {
    const { store } = await open(2);
    const queued = await Promise.all(Array.from({ length: 6 }, () => store.runs.enqueue(newRunOf())));
    expect(queued.map(({ isNew }) => isNew)).toEqual(Array(6).fill(true));
    expect(await query("select id from repertoire_queue.job where name = 'runs'")).toHaveLength(6);
    // None was undone and made again while it held a connection.
    expect(store.status().retries).toEqual({});
  });

  it("brings each run to one of two processes, once, at its time", { timeout: 60_000 }, async () => {
    const [a, b] = [await open(), await open()];
    const brought: string[] = [];
    const handler = async (runId: string) => void brought.push(runId);
    const { run } = await a.store.runs.enqueue(newRunOf());
    const { run: later } = await a.store.runs.enqueue(newRunOf(), { at: Date.now() + 2_500 });
    const { isNew } = await b.store.runs.enqueue(newRunOf(), { startKey: "k" });
    expect(isNew).toBe(true);
    expect((await a.store.runs.enqueue(newRunOf(), { startKey: "k" })).isNew).toBe(false);
    for (const { queue } of [a, b]) queue.work(handler, { concurrency: 2 });
    await eventually("the runs that are due", () => brought.length === 2);
    expect(brought).toContain(run.id);
    expect(brought).not.toContain(later.id);
    await eventually("the later one", () => brought.includes(later.id));
    expect(brought).toHaveLength(3);
  });

  it(
    "sends a job with what a run waits for, and none where nothing was written",
    { timeout: 60_000 },
    async () => {
      const { store } = await open();
      const { run } = await store.runs.enqueue(newRunOf());
      const begun = (await store.runs.claim(run.id, "a", 10_000))!;
      const stale = { ...leaseOf(begun), fence: 99 };
      expect(await store.runs.finish(stale, { status: "paused", wakeAt: Date.now() + 60_000 })).toBe(false);
      expect(await query("select 1 from repertoire_queue.job where name = 'runs'")).toHaveLength(1);
      await store.runs.finish(leaseOf(begun), { status: "paused", wakeAt: Date.now() + 60_000 });
      const jobs = await query<{ data: unknown; late: boolean }>(
        "select data, start_after > now() as late from repertoire_queue.job where name = 'runs' order by created_on, start_after",
      );
      expect(jobs).toEqual([
        { data: { runId: run.id }, late: false },
        { data: { runId: run.id }, late: true },
      ]);
    },
  );

  it("brings a job again whose process has stopped refreshing it", { timeout: 90_000 }, async () => {
    const [dead, alive] = [await open(), await open()];
    const first = Promise.withResolvers<void>();
    const hang = Promise.withResolvers<void>();
    dead.queue.work(
      () => {
        first.resolve();
        return hang.promise;
      },
      { concurrency: 1 },
    );
    const { run } = await dead.store.runs.enqueue(newRunOf());
    await first.promise;
    // As a process that is gone: its last refresh is long ago.
    await query(
      "update repertoire_queue.job set heartbeat_on = now() - interval '1 hour', heartbeat_seconds = 10 where state = 'active'",
    );
    const again: [string, number][] = [];
    alive.queue.work(async (runId: string, { attempt }: Delivery) => void again.push([runId, attempt]), {
      concurrency: 1,
    });
    await eventually("the second delivery", () => again.length === 1);
    expect(again).toEqual([[run.id, 2]]);
    hang.resolve();
  });
});
