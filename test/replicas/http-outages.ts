/** PostgreSQL restarts, or is away, while gateways run what clients asked for through the balancer. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "./case.ts";
import { effectsOf, figuresOf, isWhole, runMany } from "./http-runs.ts";
import { msUntil, type HttpStand } from "./http-stand.ts";

const AT_ONCE = 12;

export interface RestartSize {
  readonly runs: number;
  readonly everyMs: number;
  /** No more than these. */
  readonly restarts: number;
}

/** Immediate and fast in turn, 1 to 3 s away each time. */
export async function httpRestarts(stand: HttpStand, size: RestartSize): Promise<Outcome> {
  const ended = new AbortController();
  let restartCount = 0;
  const working = runMany(stand, { count: size.runs, atOnce: AT_ONCE }).finally(() => ended.abort());
  const over = Promise.allSettled([working]);
  while (!ended.signal.aborted && restartCount < size.restarts) {
    await stand.postgres.stop(restartCount % 2 === 0 ? "immediate" : "fast");
    await sleep(1_000 * (1 + (restartCount++ % 3)));
    await stand.postgres.start();
    await Promise.race([sleep(size.everyMs), over]);
  }
  const done = await working;
  const effects = effectsOf(stand, size.runs);
  return {
    done: `${restartCount} restarts, away for 1 to 3 s, the next ${size.everyMs / 1_000} s later; 3 replicas, 5 calls a run`,
    figures: figuresOf(size.runs, done, effects),
    isMet: isWhole(done, effects) && restartCount > 0,
  };
}

export interface AwaySize {
  readonly ms: number;
  readonly runs: number;
  /** So long that a call ends while the server is away. */
  readonly callMs: number;
}

/** A gateway runs only some at once: the others wait for their turn. */
const UNDER_WAY_MIN = 12;

/** Longer than a replica counts as living without a beat: none may take the runs of another that lives. */
export async function httpAway(stand: HttpStand, { ms, runs, callMs }: AwaySize): Promise<Outcome> {
  const working = runMany(stand, { count: runs, atOnce: runs, delayMs: callMs });
  await msUntil("runs under way", async () => (await countRunning(stand)) >= UNDER_WAY_MIN);
  await sleep(callMs / 2);
  const underWay = await countRunning(stand);
  await stand.postgres.stop("immediate");
  await sleep(ms);
  await stand.postgres.start();
  const done = await working;
  const effects = effectsOf(stand, runs);
  const takenCount = await countRuns(stand, "fence > 1 or error like '%interrupted%'");
  return {
    done: `away for ${ms / 1_000} s with ${underWay} of ${runs} runs of 5 calls of ${callMs} ms under way`,
    figures: `${takenCount} taken; ${figuresOf(runs, done, effects)}`,
    isMet: takenCount === 0 && isWhole(done, effects) && underWay >= UNDER_WAY_MIN,
  };
}

const countRunning = (stand: HttpStand): Promise<number> => countRuns(stand, "status = 'running'");

async function countRuns({ postgres, databaseUrl }: HttpStand, condition: string): Promise<number> {
  const sql = `select count(*) as count from runs where ${condition}`;
  const [row] = await postgres.query<{ count: string }>(sql, [], databaseUrl);
  return Number(row!.count);
}
