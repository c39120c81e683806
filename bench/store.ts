/** What a durable write costs, beside one commit of bare SQLite with the same promise in the same folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { printFigures, takeTurns, type Figures } from "./figures.ts";

const ROUNDS = 1_000;
const PAYLOAD = { text: "x".repeat(1_000) };
const END = { status: "succeeded", result: PAYLOAD, endSeq: 1, clockAt: 1, finishedAt: 1 } as const;

export async function benchStore(): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const store = await openSqliteStore({ home: join(folder, "home") });
  const bare = new DatabaseSync(join(folder, "bare.db"));
  try {
    bare.exec(
      "pragma journal_mode = wal; pragma synchronous = full; create table t (id integer primary key, body text)",
    );
    const insert = bare.prepare("insert into t (body) values (?)");
    const run = await store.runs.start(
      { scope: DEFAULT_SCOPE, kind: "code", source: "", inputs: {}, seed: "0", clockAt: 0 },
      "bench",
      3_600_000,
    );
    const lease = { runId: run.id, fence: run.fence };
    let seq = 0;
    const samples = await takeTurns(
      [
        {
          name: "bare SQLite, one commit of 1 KB",
          run: () => time(async () => insert.run(JSON.stringify(PAYLOAD))),
        },
        {
          name: "store: open a step (1 KB)",
          run: () =>
            time(() => store.runs.openStep(lease, { key: `k${seq}`, seq: seq++, tool: "t", args: PAYLOAD })),
        },
        {
          name: "store: close it",
          run: () => time(() => store.runs.closeStep(lease, `k${seq - 1}`, END)),
        },
        {
          name: "store: record one that has ended",
          run: () =>
            time(() =>
              store.runs.recordStep(lease, {
                ...END,
                key: `k${seq}`,
                seq: seq++,
                tool: "t",
                args: PAYLOAD,
                startedAt: 1,
              }),
            ),
        },
        { name: "store: find a run", run: () => time(() => store.runs.find(run.id)) },
      ],
      ROUNDS,
    );
    return printFigures("Store: WAL, synchronous = FULL", samples, "bare SQLite, one commit of 1 KB");
  } finally {
    bare.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
