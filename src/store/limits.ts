/**
 * Counts calls against limits, exactly over all processes on this database.
 *
 * A window is about 60 buckets long. A bucket counts as a whole until its last instant is a window ago, so in no time
 * of that length do more calls pass than the limit says, and a place comes free at most a bucket late. By the
 * database's clock, which is the only one that all processes share.
 *
 * A call is counted against all of its limits in one transaction, or against none. The transaction first writes a row
 * for each key, in their order: that row is the lock, so that two calls that are counted at once follow one another.
 *
 * A call under way is a row that its process renews. A process that was killed renews nothing, and its rows expire.
 */
import { sql, type Kysely, type Transaction } from "kysely";
import type { LimitStore, SlotLimit, Taken, WindowLimit } from "../core/trust-store.ts";
import type { StoreContext } from "./backend.ts";
import type { Database } from "./database.ts";

/** A place comes free at most a sixtieth of the window late, and a key has at most so many rows. */
const BUCKETS_PER_WINDOW = 60;
/** The bucket of the lock, and of a count without a window. Buckets of windows are counted from 1970. */
const LOCK_BUCKET = 0;
/** How long a killed process keeps its slots; renewed three times within it. */
const SLOT_MS = 60_000;
/** How often expired rows are looked for, at the most. */
const SWEEP_GAP_MS = 60_000;
/** So many rows are removed at a time: a few ms. Where there are more, the next call goes on. */
const SWEPT_COUNT_MAX = 1_000;
/** Far below what a statement may have as parameters. */
const RENEWED_COUNT_MAX = 500;

export function createLimitStore(context: StoreContext): LimitStore {
  const { db, clock } = context;
  let sweepAt = -Infinity;

  async function takeIn(
    trx: Transaction<Database>,
    windows: readonly WindowLimit[],
    slots: readonly SlotLimit[],
  ): Promise<readonly string[]> {
    const now = await lock(context, trx, windows, slots);
    await requireWindows(trx, windows, now);
    await requireSlots(trx, slots, now);
    await countCall(trx, windows, now);
    if (clock.elapsed() >= sweepAt) await sweep(trx, now);
    return insertSlots(context, trx, slots, now);
  }

  async function sweep(trx: Transaction<Database>, now: number): Promise<void> {
    const isDone = (await removeExpired(trx, now)) < SWEPT_COUNT_MAX;
    if (isDone) sweepAt = clock.elapsed() + SWEEP_GAP_MS;
  }

  return {
    async take(windows, slots) {
      if (windows.length + slots.length === 0) return { kind: "taken", slotIds: [] };
      try {
        const slotIds = await db.transaction().execute((trx) => takeIn(trx, windows, slots));
        return { kind: "taken", slotIds };
      } catch (error) {
        if (error instanceof ReachedLimit) return error.taken;
        throw error;
      }
    },
    async used(key) {
      const row = await db
        .selectFrom("limit_buckets")
        .select("count")
        .where("key", "=", key)
        .where("bucket", "=", LOCK_BUCKET)
        .executeTakeFirst();
      return row?.count ?? 0;
    },
    async giveBack(slotIds) {
      for (const ids of chunksOf(slotIds)) {
        await db.deleteFrom("limit_slots").where("id", "in", ids).execute();
      }
    },
    async renew(slotIds) {
      const until = sql<number>`${context.databaseNow} + ${SLOT_MS}`;
      for (const ids of chunksOf(slotIds)) {
        await db.updateTable("limit_slots").set({ until }).where("id", "in", ids).execute();
      }
    },
  };
}

/** Thrown so that the transaction is rolled back: a call that is refused writes nothing. */
class ReachedLimit extends Error {
  readonly taken: Taken;

  constructor(key: string, retryAt: number | null) {
    super("A limit is reached.");
    this.taken = { kind: "reached", key, retryAt };
  }
}

/** Makes calls of the same keys follow one another, and says what time it is from then on. */
async function lock(
  { databaseNow }: StoreContext,
  trx: Transaction<Database>,
  windows: readonly WindowLimit[],
  slots: readonly SlotLimit[],
): Promise<number> {
  const locks = [...windows, ...slots.map(({ key }) => ({ key, windowMs: SLOT_MS }))];
  // Always in the same order: two calls with the same keys never wait for each other in a circle.
  const sorted = locks.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  await trx
    .insertInto("limit_buckets")
    .values(
      sorted.map(({ key, windowMs }) => ({
        key,
        bucket: LOCK_BUCKET,
        count: 0,
        expires_at: windowMs === null ? null : sql<number>`${databaseNow} + ${windowMs}`,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(["key", "bucket"])
        .doUpdateSet((eb) => ({ expires_at: eb.ref("excluded.expires_at") })),
    )
    .execute();
  const { rows } = await sql<{ now: number }>`select ${databaseNow} as now`.execute(trx);
  return rows[0]!.now;
}

interface Bucket {
  readonly key: string;
  readonly bucket: number;
  readonly count: number;
  readonly expires_at: number | null;
}

async function requireWindows(
  trx: Transaction<Database>,
  windows: readonly WindowLimit[],
  now: number,
): Promise<void> {
  if (windows.length === 0) return;
  const rows = await trx
    .selectFrom("limit_buckets")
    .selectAll()
    .where(
      "key",
      "in",
      windows.map(({ key }) => key),
    )
    .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now)]))
    .orderBy("bucket")
    .execute();
  for (const window of windows) {
    const own = rows.filter((row) => row.key === window.key);
    const retryAt = freeAt(window, own, now);
    if (retryAt !== undefined) throw new ReachedLimit(window.key, retryAt);
  }
}

/** When one more may pass; undefined where it may now, null where it never may. */
function freeAt(
  { countMax, windowMs }: WindowLimit,
  rows: readonly Bucket[],
  now: number,
): number | null | undefined {
  if (windowMs === null) return sumOf(rows) < countMax ? undefined : null;
  // The database's clock was set back by more than a window: what counts then, counts when it is then.
  const latestEnd = now + 2 * (windowMs + bucketMsOf(windowMs));
  const counted = rows.filter((row) => row.expires_at! <= latestEnd);
  let left = sumOf(counted);
  if (left < countMax) return undefined;
  for (const { count, expires_at } of counted) {
    left -= count;
    if (left < countMax && count > 0) return expires_at!;
  }
  return now + windowMs;
}

function sumOf(rows: readonly Bucket[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function bucketMsOf(windowMs: number): number {
  return Math.max(1, Math.ceil(windowMs / BUCKETS_PER_WINDOW));
}

async function requireSlots(
  trx: Transaction<Database>,
  slots: readonly SlotLimit[],
  now: number,
): Promise<void> {
  for (const { key, countMax } of slots) {
    const { held } = await trx
      .selectFrom("limit_slots")
      .select((eb) => eb.fn.countAll<number>().as("held"))
      .where("key", "=", key)
      .where("until", ">", now)
      .executeTakeFirstOrThrow();
    if (held >= countMax) throw new ReachedLimit(key, null);
  }
}

async function countCall(
  trx: Transaction<Database>,
  windows: readonly WindowLimit[],
  now: number,
): Promise<void> {
  if (windows.length === 0) return;
  await trx
    .insertInto("limit_buckets")
    .values(windows.map((window) => bucketAt(window, now)))
    .onConflict((conflict) =>
      conflict
        .columns(["key", "bucket"])
        .doUpdateSet((eb) => ({ count: eb("limit_buckets.count", "+", eb.ref("excluded.count")) })),
    )
    .execute();
}

function bucketAt({ key, windowMs }: WindowLimit, now: number): Bucket {
  if (windowMs === null) return { key, bucket: LOCK_BUCKET, count: 1, expires_at: null };
  const lengthMs = bucketMsOf(windowMs);
  const bucket = Math.floor(now / lengthMs);
  return { key, bucket, count: 1, expires_at: (bucket + 1) * lengthMs + windowMs };
}

async function insertSlots(
  { newId }: StoreContext,
  trx: Transaction<Database>,
  slots: readonly SlotLimit[],
  now: number,
): Promise<string[]> {
  const rows = slots.map(({ key }) => ({ id: newId(), key, until: now + SLOT_MS }));
  if (rows.length > 0) await trx.insertInto("limit_slots").values(rows).execute();
  return rows.map(({ id }) => id);
}

/** How many were removed. */
async function removeExpired(db: Kysely<Database>, now: number): Promise<number> {
  const buckets = await db
    .deleteFrom("limit_buckets")
    .where((eb) =>
      eb(
        eb.refTuple("key", "bucket"),
        "in",
        eb
          .selectFrom("limit_buckets")
          .select(["key", "bucket"])
          .where("expires_at", "<=", now)
          .limit(SWEPT_COUNT_MAX)
          .$asTuple("key", "bucket"),
      ),
    )
    .executeTakeFirstOrThrow();
  const slots = await db
    .deleteFrom("limit_slots")
    .where("id", "in", (eb) =>
      eb.selectFrom("limit_slots").select("id").where("until", "<=", now).limit(SWEPT_COUNT_MAX),
    )
    .executeTakeFirstOrThrow();
  return Number(buckets.numDeletedRows + slots.numDeletedRows);
}

function chunksOf(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / RENEWED_COUNT_MAX);
  return Array.from({ length: count }, (_, i) =>
    ids.slice(i * RENEWED_COUNT_MAX, (i + 1) * RENEWED_COUNT_MAX),
  );
}
