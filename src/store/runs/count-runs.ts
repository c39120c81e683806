/** Runs as numbers: how many began when, and how far each is. */
import { sql, type ExpressionBuilder, type RawBuilder } from "kysely";
import type { RunStore } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database } from "../database.ts";
import { filterRuns } from "./filter-runs.ts";

type RunCounts = Pick<RunStore, "count" | "activity">;

/** More calls are never under way at once: an end that changes nothing else is one of these. */
const LAST_STEPS = 64;

export function createRunCounts({ db }: StoreContext): RunCounts {
  return {
    async count(scope, filter, bucketMs, since) {
      const bucket = sql<number>`cast((started_at - ${since}) / ${bucketMs} as integer)`.as("bucket");
      const runs = db
        .selectFrom("runs")
        .where("org", "=", scope.org)
        .where("project", "=", scope.project)
        .where("parent_run_id", "is", null);
      const rows = await filterRuns(runs, { ...filter, since })
        .select((eb) => [bucket, "status", "lease_owner", eb.fn.countAll<number>().as("count")])
        .groupBy([sql.ref("bucket"), "status", "lease_owner"])
        .orderBy(sql.ref("bucket"))
        .execute();
      return rows.map(({ lease_owner: leaseOwner, ...count }) => ({ ...count, leaseOwner }));
    },
    async activity(scope, limit) {
      const inScope = db
        .selectFrom("runs as seen")
        .select("seen.id")
        .where("seen.org", "=", scope.org)
        .where("seen.project", "=", scope.project);
      const newest = inScope.orderBy("seen.id", "desc").limit(limit);
      const open = inScope.where("seen.finished_at", "is", null);
      const rows = await db
        .selectFrom("runs")
        .select((eb) => [
          "id",
          "principal",
          "status",
          "parent_run_id",
          "finished_at",
          "cancel_by",
          ...marksOf(eb),
        ])
        .where((eb) =>
          eb.or([
            eb("id", "in", db.selectFrom(newest.as("newest")).select("newest.id")),
            eb("id", "in", open),
          ]),
        )
        .orderBy("id", "desc")
        .execute();
      return rows.map(({ id, principal, status, parent_run_id: parentRunId, ...marks }) => {
        const mark = [status, ...Object.values(marks)].map((part) => part ?? "").join(" ");
        return { id, principal, status, parentRunId, mark };
      });
    },
  };
}

/** What else changes with a run: which one goes on from it; and while it is open, how its journal grows. */
function marksOf(eb: ExpressionBuilder<Database, "runs">) {
  const last = eb
    .selectFrom("steps")
    .select("steps.end_seq")
    .whereRef("steps.run_id", "=", "runs.id")
    .orderBy("steps.seq", "desc")
    .limit(LAST_STEPS);
  return [
    eb
      .selectFrom("runs as next")
      .select("next.id")
      .whereRef("next.resumed_from_run_id", "=", "runs.id")
      .as("successor"),
    whileOpen(
      eb
        .selectFrom("steps")
        .select((e) => e.fn.countAll<number>().as("n"))
        .whereRef("steps.run_id", "=", "runs.id"),
    ).as("step_count"),
    whileOpen(eb.selectFrom(last.as("last")).select((e) => e.fn.max("last.end_seq").as("n"))).as("end_seq"),
  ] as const;
}

/** The journal of a run that has ended does not change. */
function whileOpen(counted: unknown): RawBuilder<number | null> {
  return sql<number | null>`case when runs.finished_at is null then (${counted}) end`;
}
