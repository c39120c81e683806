/**
 * A journal as it is read page by page, without its results and with the beginnings of arguments: ten thousand steps are
 * looked through without reading what is large in them. Numbers and names are those of the whole journal.
 */
import { sql, type Kysely } from "kysely";
import type { JsonObject } from "../../core/json.ts";
import { ARGS_PREVIEW_LENGTH, type RunStore, type StepSummary } from "../../core/store.ts";
import type { StoreContext } from "../backend.ts";
import type { Database, StepRow } from "../database.ts";
import { fromColumn } from "../json-column.ts";

const PAGE_COLUMNS = [
  "run_id",
  "key",
  "seq",
  "tool",
  "status",
  "error",
  "started_at",
  "finished_at",
  "end_seq",
  "clock_at",
  "from_run_id",
] as const satisfies readonly (keyof StepRow)[];

type PageRow = Pick<StepRow, (typeof PAGE_COLUMNS)[number]> & {
  args_text: string;
  args_length: number;
  bytes: number | null;
};

export function createStepPages({ db }: StoreContext): Pick<RunStore, "stepPage" | "stepCount" | "stepArgs"> {
  return {
    async stepPage(runId, { after, limit }) {
      const rows = await db
        .selectFrom("steps")
        .select(PAGE_COLUMNS)
        .select([
          sql<string>`substr(args, 1, ${ARGS_PREVIEW_LENGTH})`.as("args_text"),
          sql<number>`length(args)`.as("args_length"),
          sql<number | null>`coalesce(result_bytes, octet_length(result))`.as("bytes"),
        ])
        .where("run_id", "=", runId)
        .orderBy("seq")
        .limit(limit)
        .offset(after)
        .execute();
      const counts = after === 0 ? new Map<string, number>() : await countBefore(db, runId, rows[0]?.seq);
      return rows.map((row, at) => summaryOf(row, after + at + 1, counts));
    },
    async stepCount(runId) {
      const { count } = await db
        .selectFrom("steps")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .where("run_id", "=", runId)
        .executeTakeFirstOrThrow();
      return count;
    },
    async stepArgs(runId) {
      const rows = await db
        .selectFrom("steps")
        .select("args")
        .where("run_id", "=", runId)
        .orderBy("seq")
        .execute();
      return rows.map(({ args }) => fromColumn(args) as JsonObject);
    },
  };
}

/** How often code called each tool before this step. The key of such a call begins with its tool; a node's does not. */
async function countBefore(
  db: Kysely<Database>,
  runId: string,
  seq: number | undefined,
): Promise<Map<string, number>> {
  if (seq === undefined) return new Map();
  const rows = await db
    .selectFrom("steps")
    .select((eb) => ["tool", eb.fn.countAll<number>().as("count")])
    .where("run_id", "=", runId)
    .where("seq", "<", seq)
    .where(sql<boolean>`substr(key, 1, length(tool) + 1) = tool || ' '`)
    .groupBy("tool")
    .execute();
  return new Map(rows.map(({ tool, count }) => [tool, count]));
}

function summaryOf(row: PageRow, number: number, counts: Map<string, number>): StepSummary {
  const isOfCode = row.key.startsWith(`${row.tool} `);
  const occurrence = (counts.get(row.tool) ?? 0) + (isOfCode ? 1 : 0);
  if (isOfCode) counts.set(row.tool, occurrence);
  return {
    runId: row.run_id,
    key: row.key,
    seq: row.seq,
    tool: row.tool,
    status: row.status,
    error: fromColumn(row.error) as JsonObject | null,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    endSeq: row.end_seq,
    clockAt: row.clock_at,
    fromRunId: row.from_run_id,
    number,
    occurrence,
    argsText: row.args_text,
    isArgsCut: row.args_length > ARGS_PREVIEW_LENGTH,
    resultBytes: row.bytes,
  };
}
