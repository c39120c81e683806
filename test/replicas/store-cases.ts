/** The cases that need the store and no gateway: rows of the table of `npm run soak:replicas`, long or short. */
import type { Postgres } from "../rig/postgres.ts";
import type { Case } from "./case.ts";
import { diskFull } from "./disk-full.ts";
import { lostAnswers } from "./lost-answers.ts";
import { awayForTooLong, readOnly, restarts, serverAway, serverFull } from "./outages.ts";
import { partitions } from "./partitions.ts";
import { pooled } from "./pooled.ts";
import { withProxy, withStores } from "./stores.ts";
import { takeovers } from "./takeovers.ts";
import { connectionsEnd } from "./terminated.ts";
import { migrateAtOnce, migrationLost, sameName, stoppedOwner } from "./writers.ts";

/** How much of each. */
export interface Size {
  readonly runs: number;
  readonly pairs: number;
  readonly seed: number;
  readonly awayMs: readonly number[];
  readonly troubleMs: number;
  readonly restartEveryMs: number;
  readonly stoppedOwners: { readonly rounds: number; readonly stoppedMs: number };
  readonly migrationRounds: number;
  /** Of the statements of a migration, each so many-th is lost. */
  readonly migrationStep: number;
  readonly writesOfOneName: number;
  /** Not every moment of every operation. */
  readonly isShort: boolean;
}

export const SHORT: Size = {
  runs: 40,
  pairs: 200,
  seed: 20_261_118,
  awayMs: [1_000],
  troubleMs: 1_000,
  restartEveryMs: 1_000,
  stoppedOwners: { rounds: 1, stoppedMs: 200 },
  migrationRounds: 1,
  migrationStep: 24,
  writesOfOneName: 60,
  isShort: true,
};

export const LONG: Size = {
  runs: 1_000,
  pairs: 10_000,
  seed: Date.now() % 2 ** 31,
  awayMs: [5_000, 12_000],
  troubleMs: 3_000,
  restartEveryMs: 5_000,
  stoppedOwners: { rounds: 3, stoppedMs: 60_000 },
  migrationRounds: 10,
  migrationStep: 1,
  writesOfOneName: 600,
  isShort: false,
};

/** A call or an audit entry that is there twice beats one that is missing; a limit that counts twice is on the safe side. */
const ONCE = "each done once (logs and limits at most twice), answered truly";
const NOTHING_LOST = "0 lost, 0 double, 0 errors";

export function storeCases(postgres: () => Postgres, size: Size): Case[] {
  const { runs, troubleMs } = size;
  return [
    {
      name: "store: restarts of PostgreSQL",
      bar: NOTHING_LOST,
      run: () =>
        withStores(postgres(), ({ stores }) =>
          restarts(postgres(), stores, { runCount: runs, everyMs: size.restartEveryMs }),
        ),
    },
    {
      name: "store: pg_terminate_backend of all",
      bar: NOTHING_LOST,
      run: () => withStores(postgres(), ({ stores }) => connectionsEnd(postgres(), stores, runs)),
    },
    {
      name: "store: lost answers at every operation",
      bar: ONCE,
      run: () => withProxy(postgres(), {}, (stand) => lostAnswers({ ...stand, isShort: size.isShort })),
    },
    ...(!size.isShort
      ? [
          {
            name: "store: silence at every operation",
            bar: ONCE,
            run: () =>
              withProxy(postgres(), { statementMs: 300 }, (stand) =>
                lostAnswers({ ...stand, fault: "drop" }),
              ),
          },
        ]
      : []),
    {
      name: "store: claim beside a write",
      bar: "0 zombie rows",
      run: () =>
        withStores(postgres(), ({ stores: [one, other] }) =>
          takeovers([one, other], { pairCount: size.pairs, seed: size.seed }),
        ),
    },
    {
      name: "store: an owner is stopped and wakes",
      bar: "fenced every time, 0 zombie rows",
      run: () =>
        withStores(postgres(), ({ url, stores }) => stoppedOwner(url, stores[0], size.stoppedOwners)),
    },
    {
      name: "store: partitions",
      bar: NOTHING_LOST,
      run: () => partitions(postgres(), { runCount: Math.ceil(runs / 8), partedMs: troubleMs }),
    },
    ...size.awayMs.map((ms) => ({
      name: `store: PostgreSQL away for ${ms / 1_000} s`,
      bar: NOTHING_LOST,
      run: () =>
        withStores(postgres(), ({ stores }) => serverAway(postgres(), stores, { runCount: runs, ms })),
    })),
    {
      name: "store: away for too long",
      bar: "STORE_BUSY, and goes on later",
      run: () => withStores(postgres(), ({ url }) => awayForTooLong(postgres(), url)),
    },
    {
      name: "store: read only",
      bar: NOTHING_LOST,
      run: () =>
        withStores(postgres(), ({ stores }) =>
          readOnly(postgres(), stores, { runCount: runs, ms: troubleMs }),
        ),
    },
    {
      name: "store: no connection left",
      bar: NOTHING_LOST,
      run: () =>
        withStores(postgres(), ({ url }) => serverFull(postgres(), url, { runCount: runs, ms: troubleMs })),
    },
    { name: "store: disk full", bar: "STORE_FULL, and goes on when freed", run: () => diskFull(postgres()) },
    {
      name: "store: 8 replicas migrate at once",
      bar: "all open",
      run: () => migrateAtOnce(postgres(), { processCount: 8, rounds: size.migrationRounds }),
    },
    {
      name: "store: connection lost while migrating",
      bar: "all open, whole schema",
      run: () => migrationLost(postgres(), size.migrationStep),
    },
    {
      name: "store: two processes save one name",
      bar: "every version once",
      run: () =>
        withStores(postgres(), ({ url, stores }) =>
          sameName(url, stores[0], { processCount: 2, writeCount: size.writesOfOneName }),
        ),
    },
    { name: "store: PgBouncer", bar: NOTHING_LOST, run: () => pooled(postgres(), runs) },
  ];
}
