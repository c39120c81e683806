/**
 * The steps of a run, page by page. Neighbours of one tool and one status are one row, so that a loop over ten thousand
 * calls is something that a person can look at; nothing of them is read but how they begin.
 */
import { succeed, type ToolResult } from "../../core/result.ts";
import type { StepSummary } from "../../core/store.ts";
import type { App } from "../../app/app.ts";
import type { Run } from "../../core/store.ts";
import type { AnswerOf } from "../contract/contract.ts";
import {
  readRowContext,
  rowOf,
  rowOfCall,
  startedMs,
  statusOf,
  type GroupRow,
  type RowContext,
  type StepRow,
} from "./step-row.ts";

/** So many equal neighbours are one row; fewer are read one by one. */
const GROUP_SIZE_MIN = 20;
/** How many steps are read at a time. */
const READ_LENGTH = 1_000;

interface StepsPage {
  readonly after: number;
  readonly to?: number | undefined;
  readonly flat: boolean;
  readonly limit: number;
}

type Row = StepRow | GroupRow;

export async function listSteps(
  app: App,
  run: Run,
  page: StepsPage,
): Promise<ToolResult<AnswerOf<"listSteps">>> {
  const context = await readRowContext(app, run);
  const count = await app.store.runs.stepCount(run.id);
  const last = Math.min(page.to ?? count, count);
  const { rows, reached } = await readRows(app, context, { ...page, to: last });
  const calls = context.isRunning ? await notOnRecord(app, run, count) : [];
  const isWhole = reached >= count && page.to === undefined;
  const room = page.limit - rows.length;
  const waiting = isWhole ? calls.slice(Math.max(0, page.after - count)).slice(0, Math.max(0, room)) : [];
  return succeed({
    run_id: run.id,
    rows: [
      ...rows,
      ...waiting.map((call, at) => rowOfCall(call, Math.max(count, page.after) + at + 1, context)),
    ],
    step_count: count + calls.length,
    elapsed_ms: Math.max(0, (run.finishedAt ?? context.now) - run.startedAt),
    ...(reached < last && { next: reached }),
  });
}

async function notOnRecord(app: App, { id }: Run, count: number): Promise<ReturnType<App["callsUnderWay"]>> {
  const calls = app.callsUnderWay(id);
  const onRecord = new Set<string>();
  for (let after = 0; calls.length > 0 && after < count; after += READ_LENGTH)
    for (const { key } of await app.store.runs.stepPage(id, { after, limit: READ_LENGTH })) onRecord.add(key);
  return calls.filter(({ key }) => !onRecord.has(key));
}

/** Rows until there are enough, and the number of the last step in them. */
async function readRows(
  app: App,
  context: RowContext,
  { after, to, flat, limit }: StepsPage & { readonly to: number },
): Promise<{ readonly rows: Row[]; readonly reached: number }> {
  const rows: Row[] = [];
  let neighbours: Neighbours | undefined;
  let reached = after;

  /** Puts what was gathered into rows; false where there is no room for all of it. */
  const settle = (): boolean => {
    for (const row of neighbours?.rows() ?? []) {
      if (rows.length === limit) return false;
      rows.push(row);
      reached = row.row === "step" ? row.step : row.to_step;
    }
    neighbours = undefined;
    return rows.length < limit;
  };

  for (let at = after; at < to; at += READ_LENGTH) {
    const length = Math.min(READ_LENGTH, to - at);
    for (const step of await app.store.runs.stepPage(context.run.id, { after: at, limit: length })) {
      if (neighbours?.takes(step) === true) continue;
      if (!settle()) return { rows, reached };
      neighbours = gather(step, context, flat);
    }
  }
  settle();
  return { rows, reached };
}

interface Neighbours {
  /** Whether the step is one of them; then it is counted. */
  takes(step: StepSummary): boolean;
  rows(): Row[];
}

/** Steps that follow each other, of one tool and one status, that started no run. */
function gather(first: StepSummary, context: RowContext, isFlat: boolean): Neighbours {
  const steps = [first];
  let count = 1;
  let last = first;
  let endAt = first.finishedAt ?? first.startedAt;
  const status = statusOf(first, context);
  const isAlone = isFlat || context.children.has(first.key);
  const isLike = (step: StepSummary): boolean =>
    step.tool === first.tool &&
    statusOf(step, context) === status &&
    (step.fromRunId === null) === (first.fromRunId === null) &&
    !context.children.has(step.key);

  return {
    takes(step) {
      if (isAlone || !isLike(step)) return false;
      count++;
      last = step;
      endAt = Math.max(endAt, step.finishedAt ?? step.startedAt);
      if (count < GROUP_SIZE_MIN) steps.push(step);
      return true;
    },
    rows() {
      if (count < GROUP_SIZE_MIN) return steps.map((step) => rowOf(step, context));
      const lines = context.linesOf(first.tool);
      return [
        {
          row: "group",
          from_step: first.number,
          to_step: last.number,
          count,
          tool: first.tool,
          status,
          started_ms: startedMs(first, context.run),
          elapsed_ms: Math.max(0, endAt - first.startedAt),
          from_journal: first.fromRunId !== null,
          ...(lines !== undefined && { lines: [...lines] }),
        },
      ];
    },
  };
}
