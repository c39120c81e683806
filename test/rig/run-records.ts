/** What the database says of runs and steps, read by itself and not by the code that wrote it. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import type { CounterHome } from "./counter-home.ts";
import { readHomeDatabase } from "./home-database.ts";

export interface RunRecord {
  readonly id: string;
  readonly status: string;
  readonly result: string | null;
  readonly parent_run_id: string | null;
  readonly resumed_from_run_id: string | null;
  readonly lease_owner: string | null;
  readonly lease_until: number | null;
  readonly finished_at: number | null;
}

interface StepRecord {
  readonly run_id: string;
  readonly key: string;
  readonly tool: string;
  readonly status: string;
  readonly result: string | null;
  readonly from_run_id: string | null;
}

export interface Records {
  readonly runs: readonly RunRecord[];
  readonly steps: readonly StepRecord[];
}

export function readRecords({ home, database }: RecordsPlace): Records {
  if (database !== undefined) {
    return {
      runs: readHomeDatabase(database, RUNS) as RunRecord[],
      steps: readHomeDatabase(database, STEPS) as StepRecord[],
    };
  }
  const db = new DatabaseSync(join(home, "repertoire.db"), { readOnly: true });
  try {
    expect(db.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
    return {
      runs: db.prepare(RUNS).all() as unknown as RunRecord[],
      steps: db.prepare(STEPS).all() as unknown as StepRecord[],
    };
  } finally {
    db.close();
  }
}

type RecordsPlace = Pick<CounterHome, "home"> & Partial<Pick<CounterHome, "database">>;

const RUNS = "select * from runs order by id";
const STEPS = "select * from steps order by run_id, seq";

/** What somebody started and did not resume from another, newest last. */
export function rootsOf({ runs }: Records): RunRecord[] {
  return runs.filter(({ parent_run_id: parent }) => parent === null);
}

/** The id of the newest run that no other run started. */
export function newestRunId(home: RecordsPlace): string {
  return rootsOf(readRecords(home)).at(-1)!.id;
}

/** Holds whatever happened: what has ended is nobody's, and no key of a chain of runs has two answers. */
export function checkRecords(records: Records): void {
  const { runs } = records;
  const held = runs.filter(({ status, lease_owner: owner }) => status !== "running" && owner !== null);
  expect(held, "runs that ended and are held").toEqual([]);
  const half = runs.filter(
    ({ status, finished_at: at }) => status !== "running" && status !== "paused" && at === null,
  );
  expect(half, "runs that ended at no time").toEqual([]);
  expect(twiceAnswered(records), "steps with two answers").toEqual([]);
}

/** After a run has gone on to its end, nothing of it is left behind as running; one that had waited says so for good. */
export function checkAllEnded({ runs, steps }: Records): void {
  const resumed = new Set(runs.map(({ resumed_from_run_id: from }) => from));
  const open = runs.filter(
    ({ id, status }) => status === "running" || (status === "paused" && !resumed.has(id)),
  );
  expect(open, "runs without an end").toEqual([]);
  const succeeded = new Set(runs.filter(({ status }) => status === "succeeded").map(({ id }) => id));
  const unanswered = steps.filter(
    ({ run_id: run, status }) => succeeded.has(run) && (status === "sent" || status === "waiting"),
  );
  expect(unanswered, "open steps of runs that succeeded").toEqual([]);
}

function twiceAnswered({ runs, steps }: Records): string[] {
  const before = new Map(runs.map((run) => [run.id, run.resumed_from_run_id]));
  const originOf = (id: string): string => {
    const from = before.get(id) ?? null;
    return from === null ? id : originOf(from);
  };
  const answers = new Map<string, Set<string | null>>();
  for (const { run_id: run, key, status, result } of steps) {
    if (status !== "succeeded") continue;
    const id = `${originOf(run)} ${key}`;
    answers.set(id, (answers.get(id) ?? new Set()).add(result));
  }
  return [...answers].filter(([, results]) => results.size > 1).map(([id]) => id);
}
