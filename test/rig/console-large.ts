/** Runs that are larger than anybody would wait for, written by the store's own functions. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/core/clock.ts";
import { DEFAULT_SCOPE } from "../../src/core/names.ts";
import type { FinishedStep, Lease, Store } from "../../src/core/store.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

const LEASE_MS = 3_600_000;
const STEP_MS = 12;
const EQUAL_COUNT = 1_000;

/** Of each record: fifty thousand of them have twenty megabytes. */
const RECORD_TEXT = "a line of a record that is long enough to count, ".repeat(8);
const RECORD_COUNT = 50_000;
export const BIG_BYTES = RECORD_COUNT * (RECORD_TEXT.length + 30);

async function writeRun(
  home: string,
  intent: string,
  /** Answers when it ended. */
  write: (store: Store, lease: Lease, startedAt: number) => Promise<number>,
): Promise<string> {
  const startedAt = Date.now() - LEASE_MS;
  let now = startedAt;
  const store = await openSqliteStore({ home, clock: { ...systemClock, now: () => now } });
  try {
    const run = await store.runs.start(
      {
        scope: DEFAULT_SCOPE,
        kind: "code",
        source: "for (const n of args.numbers) await mcp.scripted.echo({ n });",
        intent,
        inputs: {},
        principal: "token:default",
        client: "test",
        seed: intent,
        clockAt: startedAt,
      },
      "large",
      LEASE_MS,
    );
    const lease = { runId: run.id, fence: run.fence };
    now = await write(store, lease, startedAt);
    await store.runs.finish(lease, { status: "succeeded", result: null });
    return run.id;
  } finally {
    await store.close();
  }
}

function stepOf(at: number, tool: string, startedAt: number, more: Partial<FinishedStep> = {}): FinishedStep {
  const began = startedAt + at * STEP_MS;
  return {
    key: `${tool}:${at}`,
    seq: at * 2 + 1,
    tool,
    args: { n: at },
    startedAt: began,
    finishedAt: began + STEP_MS - 2,
    status: "succeeded",
    result: { n: at },
    endSeq: at * 2 + 2,
    clockAt: began + STEP_MS - 2,
    ...more,
  };
}

/** The first thousand steps are equal, and rolled up; of the others no two neighbours have the same tool. */
export function writeLongRun(home: string, stepCount: number): Promise<string> {
  const toolOf = (at: number): string =>
    `scripted__${at < EQUAL_COUNT ? "echo" : ["count", "touch"][at % 2]!}`;
  return writeRun(home, `${stepCount} steps`, async (store, lease, startedAt) => {
    for (let at = 0; at < stepCount; at += 1)
      await store.runs.recordStep(lease, stepOf(at, toolOf(at), startedAt));
    return startedAt + stepCount * STEP_MS;
  });
}

/** One step with a result that no page may load whole. */
export async function writeBigRun(home: string): Promise<string> {
  const run = await writeRun(home, "a large result", async (store, lease, startedAt) => {
    const result = { records: [RECORD_TEXT.repeat(300)] };
    await store.runs.recordStep(lease, stepOf(0, "scripted__big", startedAt, { result }));
    return startedAt + STEP_MS;
  });
  makeBig(home, run);
  return run;
}

/** Beyond what the store takes today, so it is put into its file. */
function makeBig(home: string, run: string): void {
  const records = Array.from({ length: RECORD_COUNT }, (_, id) => ({
    id,
    text: `record ${id}: ${RECORD_TEXT}`,
  }));
  const text = JSON.stringify({ long: RECORD_TEXT.repeat(500), records });
  const db = new DatabaseSync(join(home, "repertoire.db"));
  try {
    db.prepare(
      "update step_values set value = ? where id = (select value_id from steps where run_id = ?)",
    ).run(text, run);
    db.prepare("update steps set result_bytes = ? where run_id = ?").run(Buffer.byteLength(text), run);
  } finally {
    db.close();
  }
}
