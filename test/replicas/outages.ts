/** The database is away, read only, full of connections or out of disk for some time, while runs are recorded. */
import { RepertoireError } from "../../src/core/errors.ts";
import type { Store } from "../../src/core/store.ts";
import type { Postgres } from "../rig/postgres.ts";
import type { Outcome } from "./case.ts";
import { findGhosts, meanwhile, workInTurns, workThrough } from "./journal-work.ts";
import { openStore } from "./stores.ts";
import { firstOf } from "./terminated.ts";

const STEP_COUNT = 5;

interface Trouble {
  readonly done: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

/** Work goes on before, during and after; nobody who works notices more than the time. */
async function workDuring(
  stores: readonly Store[],
  { runCount, ms }: { readonly runCount: number; readonly ms: number },
  { done, begin, end }: Trouble,
): Promise<Outcome> {
  const working = workInTurns(stores, { runs: runCount, steps: STEP_COUNT, atOnce: 8 });
  await begin();
  await new Promise((resolve) => setTimeout(resolve, ms));
  await end();
  const { ids, errors, worstMs } = await working;
  const ghosts = await findGhosts(stores[0]!, ids, STEP_COUNT);
  const wrong = [...errors, ...ghosts];
  return {
    done,
    figures:
      `${ids.length} of ${runCount} runs, ${errors.length} errors, ${ghosts.length} ghosts, ` +
      `longest run ${(worstMs / 1_000).toFixed(1)} s${firstOf(wrong)}`,
    // Where no run lasted so long, the trouble has met nobody.
    isMet: ids.length === runCount && wrong.length === 0 && worstMs >= ms / 2,
  };
}

interface Size {
  readonly runCount: number;
  readonly ms: number;
}

export function serverAway(postgres: Postgres, stores: readonly Store[], size: Size): Promise<Outcome> {
  return workDuring(stores, size, {
    done: `stopped (immediate) for ${size.ms / 1_000} s`,
    begin: () => postgres.stop("immediate"),
    end: () => postgres.start(),
  });
}

/** As after a failover, while the new server is still a standby. */
export function readOnly(postgres: Postgres, stores: readonly Store[], size: Size): Promise<Outcome> {
  const set = async (value: string): Promise<void> => {
    await postgres.query(
      `alter system set default_transaction_read_only = ${value}`,
      [],
      writableUrl(postgres),
    );
    await postgres.query("select pg_reload_conf()");
  };
  return workDuring(stores, size, {
    done: `read only for ${size.ms / 1_000} s`,
    begin: () => set("on"),
    end: () => set("off"),
  });
}

function writableUrl({ adminUrl }: Postgres): string {
  return `${adminUrl}?options=${encodeURIComponent("-c default_transaction_read_only=off")}`;
}

/** Every place for the user of the store is taken: 53300. */
export async function serverFull(postgres: Postgres, url: string, size: Size): Promise<Outcome> {
  const role = `few_${Math.random().toString(36).slice(2, 8)}`;
  await postgres.query(`create role ${role} login superuser`);
  const store = await openStore(Object.assign(new URL(url), { username: role }).href);
  try {
    return await workDuring([store], size, {
      done: `no connection to be had for ${size.ms / 1_000} s (53300)`,
      // The limit does not count for a superuser, and ends no connection that is there.
      async begin() {
        await postgres.query(`grant all on all tables in schema public to ${role}`, [], url);
        await postgres.query(`alter role ${role} nosuperuser connection limit 0`);
        await postgres.terminateBackends();
      },
      end: () => postgres.query(`alter role ${role} connection limit -1`),
    });
  } finally {
    await store.close();
  }
}

/** Longer away than a store waits: it says so, keeps nothing by halves, and goes on when the server is back. */
export async function awayForTooLong(postgres: Postgres, url: string): Promise<Outcome> {
  const waitMs = 500;
  const store = await openStore(url, { waitMs });
  try {
    await postgres.stop("fast");
    const startedAt = performance.now();
    const told = await workThrough(store, "away", STEP_COUNT).catch((error: unknown) => error);
    const waitedMs = performance.now() - startedAt;
    await postgres.start();
    const code = told instanceof RepertoireError ? told.code : String(told);
    await workThrough(store, "back", STEP_COUNT);
    return {
      done: "stopped, and waited for 0.5 s only",
      figures: `${code} after ${(waitedMs / 1_000).toFixed(1)} s, and goes on with the server`,
      isMet: code === "STORE_BUSY" && waitedMs >= waitMs,
    };
  } finally {
    await store.close();
  }
}

/** Restarts one after the other, in both ways, with runs under way all the time. */
export async function restarts(
  postgres: Postgres,
  stores: readonly Store[],
  { runCount, everyMs }: { readonly runCount: number; readonly everyMs: number },
): Promise<Outcome> {
  let restartCount = 0;
  const working = workInTurns(stores, { runs: runCount, steps: STEP_COUNT, atOnce: 16 });
  const { ids, errors, worstMs } = await meanwhile(working, async () => {
    await postgres.stop(restartCount++ % 2 === 0 ? "immediate" : "fast");
    await new Promise((resolve) => setTimeout(resolve, everyMs / 2));
    await postgres.start();
    await new Promise((resolve) => setTimeout(resolve, everyMs / 2));
  });
  const ghosts = await findGhosts(stores[0]!, ids, STEP_COUNT);
  const wrong = [...errors, ...ghosts];
  return {
    done: `${restartCount} restarts, immediate and fast in turn, half of the time away`,
    figures:
      `${ids.length} of ${runCount} runs, ${errors.length} errors, ${ghosts.length} ghosts, ` +
      `longest run ${(worstMs / 1_000).toFixed(1)} s${firstOf(wrong)}`,
    isMet: ids.length === runCount && wrong.length === 0 && restartCount > 0,
  };
}
