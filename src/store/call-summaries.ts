/** The call log in numbers. */
import { sql, type SelectQueryBuilder } from "kysely";
import type { CallRange, CallStore } from "../core/trust-store.ts";
import type { StoreContext } from "./backend.ts";
import type { Database } from "./database.ts";

/** Of so many calls the times are compared: another thousand would move the figures by little, and take longer to sort. */
const COMPARED_COUNT_MAX = 5_000;

export function createCallSummaries({ db }: StoreContext): Pick<CallStore, "summary" | "clients"> {
  return {
    async summary(range) {
      const sums = await ranged(db.selectFrom("calls"), range)
        .select((eb) => [
          eb.fn.countAll<number>().as("count"),
          sql<number>`coalesce(sum(case when outcome = 'ok' then 0 else 1 end), 0)`.as("errorCount"),
          sql<number>`coalesce(sum(elapsed_ms), 0)`.as("totalMs"),
          sql<number>`coalesce(sum(bytes), 0)`.as("bytes"),
        ])
        .executeTakeFirstOrThrow();
      const rows = await ranged(db.selectFrom("calls"), range)
        .select("elapsed_ms")
        .orderBy("id", "desc")
        .limit(COMPARED_COUNT_MAX)
        .execute();
      const times = rows.map(({ elapsed_ms: ms }) => ms).sort((a, b) => a - b);
      return { ...sums, p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) };
    },
    async clients({ limit, ...range }) {
      const rows = await ranged(db.selectFrom("calls"), range)
        .select((eb) => [
          "client",
          eb.fn.max("at").as("lastSeenAt"),
          eb.fn.countAll<number>().as("callCount"),
        ])
        .where("client", "is not", null)
        .groupBy("client")
        .orderBy("lastSeenAt", "desc")
        .orderBy("client")
        .limit(limit)
        .execute();
      return rows.map(({ client, ...seen }) => ({ name: client!, ...seen }));
    },
  };
}

type Calls<Output> = SelectQueryBuilder<Database, "calls", Output>;

function ranged<Output>(all: Calls<Output>, { since, toolPrefix, owner, runId }: CallRange): Calls<Output> {
  let query = all.where("at", ">=", since);
  if (owner !== undefined) query = query.where("principal", "=", owner);
  if (runId !== undefined) query = query.where("run_id", "=", runId);
  if (toolPrefix !== undefined)
    query = query.where(sql<boolean>`substr(tool, 1, ${toolPrefix.length}) = ${toolPrefix}`);
  return query;
}

/** Of sorted numbers: the least that so many of them do not exceed. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
