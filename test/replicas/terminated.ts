/** Every connection to the database is ended again and again while runs are recorded. */
import type { Store } from "../../src/core/store.ts";
import type { Postgres } from "../rig/postgres.ts";
import type { Outcome } from "./case.ts";
import { findGhosts, meanwhile, workInTurns } from "./journal-work.ts";

const STEP_COUNT = 5;
/** About as long as a step takes: each stroke meets other statements. */
const PAUSE_MS = 10;

export async function connectionsEnd(
  postgres: Postgres,
  stores: readonly Store[],
  runCount: number,
): Promise<Outcome> {
  const counts = { kills: 0, connections: 0 };
  const working = workInTurns(stores, { runs: runCount, steps: STEP_COUNT, atOnce: 8 });
  const made = await meanwhile(working, async () => {
    counts.connections += await postgres.terminateBackends();
    counts.kills++;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  });
  const ghosts = await findGhosts(stores[0]!, made.ids, STEP_COUNT);
  const wrong = [...made.errors, ...ghosts];
  return {
    done: `${counts.connections} connections ended in ${counts.kills} strokes`,
    figures: `${made.ids.length} of ${runCount} runs, ${made.errors.length} errors, ${ghosts.length} ghosts${firstOf(wrong)}`,
    isMet: made.ids.length === runCount && wrong.length === 0 && counts.connections > 0,
  };
}

export function firstOf(wrong: readonly string[]): string {
  return wrong.length === 0 ? "" : `; the first: ${wrong[0]}`;
}
