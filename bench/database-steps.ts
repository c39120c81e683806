/** What a step costs on each database, and how many a process records with 1, 8 and 32 runs at once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../src/core/store.ts";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { LEASE_MS, leaseOf, newRunOf, recordedStep } from "../test/replicas/journal-work.ts";
import type { Postgres } from "../test/rig/postgres.ts";
import { printFigures, takeTurns } from "./figures.ts";

const ROUNDS = 300;
const RUN_COUNTS = [1, 8, 32];
/** In all runs together; long enough to be some seconds. */
const STEP_COUNT = 1_600;

export async function benchSteps(postgres: Postgres): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const stores = {
    SQLite: await openSqliteStore({ home: join(folder, "home") }),
    PostgreSQL: await openPostgresStore({ url: await postgres.createDatabase() }),
  };
  try {
    await benchOne(stores);
    await benchMany(stores);
  } finally {
    for (const store of Object.values(stores)) await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchOne(stores: Readonly<Record<string, Store>>): Promise<void> {
  const candidates = [];
  for (const [name, store] of Object.entries(stores)) {
    const run = await store.runs.start(newRunOf("bench"), "bench", LEASE_MS);
    const lease = leaseOf(run);
    let seq = 0;
    const next = () => recordedStep(`k${(seq += 2)}`, seq);
    candidates.push(
      { name: `${name}: record a step (1 KB)`, run: () => time(() => store.runs.recordStep(lease, next())) },
      {
        name: `${name}: open and close one`,
        run: () => {
          const { key, seq: at, tool, args, startedAt: _, ...end } = next();
          return time(async () => {
            await store.runs.openStep(lease, { key, seq: at, tool, args });
            await store.runs.closeStep(lease, key, end);
          });
        },
      },
      { name: `${name}: find a run`, run: () => time(() => store.runs.find(run.id)) },
    );
  }
  const samples = await takeTurns(candidates, ROUNDS);
  printFigures("One run: SQLite FULL beside PostgreSQL, fsync on", samples, "SQLite: record a step (1 KB)");
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function benchMany(stores: Readonly<Record<string, Store>>): Promise<void> {
  console.log("\nSteps/s of one process, by runs at once");
  console.log(`  ${"".padEnd(12)} ${RUN_COUNTS.map((count) => String(count).padStart(8)).join("")}`);
  const figures = new Map(Object.keys(stores).map((name) => [name, [] as number[]]));
  // Both for each number of runs: a noisy moment of the machine meets both.
  for (const runCount of RUN_COUNTS) {
    for (const [name, store] of Object.entries(stores))
      figures.get(name)!.push(await stepsPerSecond(store, runCount));
  }
  for (const [name, rates] of figures) {
    console.log(`  ${name.padEnd(12)} ${rates.map((rate) => rate.toFixed(0).padStart(8)).join("")}`);
  }
}

async function stepsPerSecond(store: Store, runCount: number, stepCount = STEP_COUNT): Promise<number> {
  const each = Math.ceil(stepCount / runCount);
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: runCount }, async () => {
      const lease = leaseOf(await store.runs.start(newRunOf("bench"), "bench", LEASE_MS));
      for (let i = 0; i < each; i++) await store.runs.recordStep(lease, recordedStep(`k${i}`, 2 * i));
    }),
  );
  return (each * runCount * 1_000) / (performance.now() - startedAt);
}
