/** The store behind a pooler that gives a connection of the server to each transaction. */
import { hasPgBouncer, startPgBouncer } from "../rig/pgbouncer.ts";
import type { Postgres } from "../rig/postgres.ts";
import type { Outcome, Skipped } from "./case.ts";
import { findGhosts, workInTurns } from "./journal-work.ts";
import { OPERATIONS } from "./store-operations.ts";
import { openStore } from "./stores.ts";
import { firstOf } from "./terminated.ts";

const STEP_COUNT = 5;

export async function pooled(postgres: Postgres, runCount: number): Promise<Outcome | Skipped> {
  if (!hasPgBouncer()) return { skipped: "PgBouncer is not installed here" };
  const pooler = await startPgBouncer(postgres.adminUrl);
  const url = pooler.urlOf(await postgres.createDatabase());
  const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(url, { pooler: true })));
  try {
    const { ids, errors } = await workInTurns(stores, { runs: runCount, steps: STEP_COUNT, atOnce: 16 });
    const ghosts = await findGhosts(stores[0]!, ids, STEP_COUNT);
    const wrong = [...errors, ...ghosts];
    for (const operation of OPERATIONS) {
      const prepared = await operation.prepare(stores[0]!, `pooled-${operation.name.replaceAll(/\W/g, "-")}`);
      const problem = await prepared.check(stores[1]!, await prepared.act(stores[2]!));
      if (problem !== undefined) wrong.push(`${operation.name}: ${problem}`);
    }
    return {
      done: `PgBouncer in transaction mode, 3 stores with pooler: true, then ${OPERATIONS.length} operations`,
      figures: `${ids.length} of ${runCount} runs, ${wrong.length} wrong${firstOf(wrong)}`,
      isMet: ids.length === runCount && wrong.length === 0,
    };
  } finally {
    await Promise.all(stores.map((store) => store.close()));
    await pooler.close();
  }
}
