/**
 * Which runs there are. Ids grow with the order of starting, whatever the clock does, so every list goes by id. The
 * values that a partial index is made for are part of the statement's text: with a parameter in their place it is not
 * used.
 */
import { sql, type ExpressionBuilder } from "kysely";
import { hashText } from "../../core/json.ts";
import type { Scope } from "../../core/names.ts";
import type { ListedRun, Run, RunStarter, RunStore, RunSummary } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database } from "../database.ts";
import { filterRuns, ofStarter } from "./filter-runs.ts";
import { runOf, SUMMARY_COLUMNS, summaryOf } from "./run-rows.ts";

type RunLists = Pick<RunStore, "list" | "listUnfinished" | "children" | "successor" | "findSucceeded">;

const SUCCEEDED = sql.lit("succeeded" as const);

export function createRunLists(context: StoreContext): RunLists {
  return {
    list: (scope, options) => listRuns(context, scope, options),
    listUnfinished: (scope, limit, starter) => listUnfinished(context, scope, limit, starter),
    findSucceeded: (...found) => findSucceeded(context, ...found),
    async children(runId) {
      const rows = await context.db
        .selectFrom("runs")
        .select(SUMMARY_COLUMNS)
        .where("parent_run_id", "=", runId)
        .orderBy("id")
        .execute();
      return rows.map(summaryOf);
    },
    async successor(runId) {
      const row = await context.db
        .selectFrom("runs")
        .select(SUMMARY_COLUMNS)
        .where("resumed_from_run_id", "=", runId)
        .executeTakeFirst();
      return row === undefined ? undefined : summaryOf(row);
    },
  };
}

async function listRuns(
  { db }: StoreContext,
  scope: Scope,
  { limit, beforeId, children = false, status, idPart, ...filter }: Parameters<RunLists["list"]>[1],
): Promise<ListedRun[]> {
  let query = db
    .selectFrom("runs")
    .select(SUMMARY_COLUMNS)
    .select((eb) => countSteps(eb).as("step_count"))
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .orderBy("id", "desc")
    .limit(limit);
  if (beforeId !== undefined) query = query.where("id", "<", beforeId);
  if (idPart !== undefined)
    query = query.where((eb) => eb.or([eb("id", "like", `${idPart}%`), eb("id", "like", `%${idPart}`)]));
  if (!children) query = query.where("parent_run_id", "is", null);
  if (status !== undefined) query = query.where("status", "=", status);
  // Says nothing new, but lets the index of the unfinished be used: of a hundred thousand runs most have succeeded.
  if (status !== undefined && status !== "succeeded") query = query.where("status", "<>", SUCCEEDED);
  const rows = await filterRuns(query, filter).execute();
  return rows.map((row) => ({ ...summaryOf(row), stepCount: row.step_count ?? 0 }));
}

function countSteps(eb: ExpressionBuilder<Database, "runs">) {
  return eb
    .selectFrom("steps")
    .select((steps) => steps.fn.countAll<number>().as("count"))
    .whereRef("steps.run_id", "=", "runs.id");
}

async function listUnfinished(
  { db }: StoreContext,
  scope: Scope,
  limit: number,
  starter: RunStarter | undefined,
): Promise<RunSummary[]> {
  const query = db
    .selectFrom("runs")
    .select(SUMMARY_COLUMNS)
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where("parent_run_id", "is", null)
    .where("status", "<>", SUCCEEDED)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("runs as next")
            .select("next.resumed_from_run_id")
            .whereRef("next.resumed_from_run_id", "=", "runs.id"),
        ),
      ),
    )
    .orderBy("id", "desc")
    .limit(limit);
  return (await ofStarter(query, starter).execute()).map(summaryOf);
}

/** The hash finds it, the text decides. */
async function findSucceeded(
  { db }: StoreContext,
  scope: Scope,
  source: string,
  starter?: RunStarter,
): Promise<Run | undefined> {
  const query = db
    .selectFrom("runs")
    .selectAll()
    .where("org", "=", scope.org)
    .where("project", "=", scope.project)
    .where("source_hash", "=", hashText(source))
    .where("source", "=", source)
    .where("status", "=", SUCCEEDED)
    .orderBy("id", "desc")
    .limit(1);
  const row = await ofStarter(query, starter).executeTakeFirst();
  return row === undefined ? undefined : runOf(row);
}
