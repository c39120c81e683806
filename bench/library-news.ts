/** How soon a client hears of what another process saved. */
import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "./figures.ts";
import { earlyName, save, type LibraryHome } from "./library-home.ts";
import { LOOK_MS, withListener, type Listener } from "./library-listener.ts";

const ROUNDS = 10;
const GOAL_MS = 1_000;
/** Notices of one gateway are a second apart: a round that starts within it measures the pace and not the way. */
const REST_MS = 1_000;

export async function benchNews(home: LibraryHome): Promise<void> {
  const values: number[] = [];
  await withListener(home, async (listener, store) => {
    for (let round = 0; round < ROUNDS; round++) {
      // Rounds start anywhere between two looks.
      await pause(REST_MS + Math.random() * LOOK_MS);
      values.push(await timeNews(listener, () => save(store, earlyName(`news${round}`), "News.")));
      await listener.list();
    }
  });
  const [p50, max] = [quantile(values, 0.5), Math.max(...values)];
  console.log(`\nFrom a save by another process to list_changed at the client, ${ROUNDS} rounds`);
  console.log(
    `  goal: within ${GOAL_MS} ms: ${max <= GOAL_MS ? "met" : "MISSED"} (p50 ${p50.toFixed(0)} ms, max ${max.toFixed(0)} ms)`,
  );
}

/** From before the save, so that its own time counts. */
async function timeNews(listener: Listener, change: () => Promise<void>): Promise<number> {
  const heard = listener.news();
  const startedAt = performance.now();
  await change();
  await heard;
  return performance.now() - startedAt;
}
