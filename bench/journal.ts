/** What it costs that every step is on disk before and after its call, and how fast a long run goes on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../src/core/clock.ts";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import { succeed } from "../src/core/result.ts";
import type { RunStore } from "../src/core/store.ts";
import { createShutdown } from "../src/runs/shutdown.ts";
import { createJournal, type Journal, type StepRequest } from "../src/runs/journal/journal.ts";
import { createTestRuns, LIMITS, type TestRuns } from "../src/runs/runs.testkit.ts";
import { createSeal } from "../src/runs/journal/seal.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { printFigures, quantile, takeTurns, type Figures } from "./figures.ts";

const ROUNDS = 1_000;
const PAYLOAD = { text: "x".repeat(200) };
const ANSWER = { rows: [1, 2, 3], text: "y".repeat(600) };
const COMMIT = "bare SQLite, one FULL commit of 1 KB";
const STEPS = 1_000;

interface ResumeFigures {
  readonly steps: number;
  readonly firstMs: number;
  readonly resumedMs: number;
}

interface JournalFigures {
  readonly step: Figures;
  readonly resume: ResumeFigures;
}

export async function benchJournal(): Promise<JournalFigures> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  try {
    return { step: await benchStep(folder), resume: await benchResume(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchStep(folder: string): Promise<Figures> {
  const store = await openSqliteStore({ home: join(folder, "steps") });
  const bare = new DatabaseSync(join(folder, "bare.db"));
  bare.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table t (id integer primary key, body text)",
  );
  const insert = bare.prepare("insert into t (body) values (?)");
  const body = JSON.stringify({ ...PAYLOAD, ...ANSWER });
  const journal = await openJournal(store.runs);
  let number = 0;
  const step = (isRepeatable: boolean): StepRequest => ({
    key: `tool ${"0".repeat(64)} ${++number}`,
    tool: "tool",
    args: PAYLOAD,
    isRepeatable,
    make: () => Promise.resolve(succeed(ANSWER)),
  });
  const samples = await takeTurns(
    [
      { name: COMMIT, run: () => time(async () => insert.run(body)) },
      { name: "the call alone", run: () => time(() => step(true).make()) },
      {
        name: "journalled, may be repeated (one commit)",
        run: () => time(() => journal.perform(step(true))),
      },
      { name: "journalled, may not (two commits)", run: () => time(() => journal.perform(step(false))) },
    ],
    ROUNDS,
  );
  const figures = printFigures("Journal: one step around a call that answers at once", samples, COMMIT);
  const commit = quantile(samples[0]!.values, 0.5);
  const ratio = quantile(samples[3]!.values, 0.5) / commit;
  console.log(`  goal: at most 3 × one commit: ${ratio <= 3 ? "met" : "missed"} (${ratio.toFixed(2)} ×)`);
  const together = await time(() =>
    Promise.all(Array.from({ length: STEPS }, () => journal.perform(step(false)))),
  );
  const oneByOne = quantile(samples[3]!.values, 0.5);
  console.log(
    `  steps in a second: ${Math.round(1000 / oneByOne)} one after another, ${Math.round((STEPS / together) * 1000)} when many are asked for at once`,
  );
  bare.close();
  await store.close();
  return figures;
}

async function openJournal(store: RunStore): Promise<Journal> {
  const run = await store.start(
    { scope: DEFAULT_SCOPE, kind: "code", source: "", inputs: {}, seed: "0", clockAt: 0 },
    "bench",
    3_600_000,
  );
  return createJournal({
    store,
    lease: () => Promise.resolve({ runId: run.id, fence: run.fence }),
    clock: systemClock,
    seal: createSeal([]),
    shutdown: createShutdown(),
    signal: new AbortController().signal,
    taken: [],
    clockAt: 0,
    isOrdered: true,
    onLost: () => {},
    onBroken: () => {},
  });
}

/** A run of a thousand calls that fails after the last, and the same that goes on. */
async function benchResume(folder: string): Promise<ResumeFigures> {
  const limits = { ...LIMITS, callsMax: 2 * STEPS, timeoutMs: 120_000 };
  const kit: TestRuns = await createTestRuns(join(folder, "resume"), () => limits);
  kit.addSource("notes", { add: (args) => args });
  const code = (end: string) =>
    `let sum = 0; for (let n = 0; n < ${STEPS}; n++) sum += (await mcp.notes.add({ n, at: Date.now() })).n; ${end}`;
  await kit.execute("return await mcp.notes.add({ n: 0 })");
  const times: { first: number; resumed: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const failed = await kit.execute(code(`throw new Error("${round}")`));
    const callCount = kit.calls.length;
    const resumed = await kit.resume(failed.runId!, {
      corrected: { kind: "code", source: code("return sum") },
    });
    if (!resumed.result.success || kit.calls.length !== callCount) throw new Error("the resume made calls");
    times.push({ first: failed.elapsedMs, resumed: resumed.elapsedMs });
  }
  await kit.close();
  const [first, resumed] = [times.map((t) => t.first), times.map((t) => t.resumed)].map((all) =>
    quantile(all, 0.5),
  );
  console.log(`\nResume of a run of ${STEPS} steps`);
  console.log(`  the run itself   ${first!.toFixed(0).padStart(6)} ms`);
  console.log(
    `  gone on from     ${resumed!.toFixed(0).padStart(6)} ms  ${(resumed! / first!).toFixed(2)}×, no call made`,
  );
  return { steps: STEPS, firstMs: first!, resumedMs: resumed! };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
