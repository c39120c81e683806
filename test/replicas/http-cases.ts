/** The cases that need real gateways: rows of the table of `npm run soak:replicas`, long or short. */
import type { Case } from "./case.ts";
import type { Postgres } from "../rig/postgres.ts";
import { killedReplica } from "./http-kills.ts";
import { httpAway, httpRestarts, type AwaySize, type RestartSize } from "./http-outages.ts";
import { withHttpStand, type HttpStand } from "./http-stand.ts";
import { rollingRestart, type RollingSize } from "./http-rolling.ts";
import { approvals, draftsGoOn, heldCalls, keptTool, legacySession, revokedToken } from "./round-robin.ts";

/** How much of each. */
export interface HttpSize {
  /** What a busy machine adds is not the gateway's: a test prints the figure and lets it pass. */
  readonly convergedMsMax: number;
  readonly takenOverMsMax: number;
  readonly restarts: RestartSize;
  readonly away: readonly AwaySize[];
  readonly rolling: RollingSize;
}

export const HTTP_SHORT: HttpSize = {
  convergedMsMax: 60_000,
  takenOverMsMax: 120_000,
  restarts: { runs: 30, everyMs: 2_000, restarts: 2 },
  // It takes longer than all the others: only in the soak.
  away: [],
  rolling: { rounds: 1, atOnce: 3 },
};

export const HTTP_LONG: HttpSize = {
  convergedMsMax: 1_000,
  takenOverMsMax: 12_000,
  restarts: { runs: 5_000, everyMs: 5_000, restarts: Number.POSITIVE_INFINITY },
  away: [5_000, 12_000, 30_000].map((ms) => ({ ms, runs: 12, callMs: 3_000 })),
  rolling: { rounds: 3, atOnce: 8 },
};

/** Those that leave the replicas and the database as they are: they share a stand. */
export function roundRobinCases(stand: () => HttpStand, { convergedMsMax }: HttpSize): Case[] {
  return [
    { name: "round robin: a legacy session", bar: "60 of 60", run: () => legacySession(stand(), 60) },
    { name: "round robin: drafts", bar: "9 of 9", run: () => draftsGoOn(stand(), 9) },
    { name: "round robin: approvals", bar: "5 of 5, 5 effects", run: () => approvals(stand(), 5) },
    { name: "round robin: held calls", bar: "6 of 6", run: () => heldCalls(stand(), 6) },
    {
      name: "round robin: a revoked token",
      bar: "≤ 1 s everywhere",
      run: () => revokedToken(stand(), convergedMsMax),
    },
    {
      name: "round robin: a kept capability",
      bar: "≤ 1 s everywhere",
      run: () => keptTool(stand(), convergedMsMax),
    },
  ];
}

/** Those that harm the replicas or the database: each has a stand of its own. */
export function harmfulCases(postgres: () => Postgres, size: HttpSize): Case[] {
  const on = (work: (stand: HttpStand) => ReturnType<Case["run"]>) => () => withHttpStand(postgres(), work);
  return [
    {
      name: "replicas: restarts of PostgreSQL",
      bar: "0 lost, 0 repeated, 0 errors",
      run: on((stand) => httpRestarts(stand, size.restarts)),
    },
    {
      name: "replicas: kill -9 of one",
      bar: "≤ 12 s, effects once, the session answers",
      run: on((stand) => killedReplica(stand, size.takenOverMsMax)),
    },
    ...size.away.map((away) => ({
      name: `replicas: PostgreSQL away for ${away.ms / 1_000} s`,
      bar: "0 taken from the living, all finish",
      // A gateway waits for its store for 30 s unless it is told to wait longer.
      run: () =>
        withHttpStand(postgres(), (stand) => httpAway(stand, away), {
          config: { store: { waitMs: 60_000 } },
        }),
    })),
    {
      name: "replicas: rolling restart under load",
      bar: "0 failed requests",
      run: on((stand) => rollingRestart(stand, size.rolling)),
    },
  ];
}

/** What is known to be of interest and is not there yet, so that the table says so. */
export const MISSING_CASES: readonly Case[] = [
  missing(
    "replicas: rolling upgrade from the version before",
    "0 failed requests",
    "no released version has PostgreSQL yet",
  ),
  missing(
    "replicas: HAProxy in front",
    "0 failed requests",
    "the plain balancer does what deploy/haproxy.cfg says",
  ),
  missing(
    "replicas: PostgreSQL restarts during a takeover",
    "a run is resumed once",
    "at the store alone so far",
  ),
  missing(
    "replicas: OAuth refresh by 3 at once",
    "1 refresh in 100 rounds",
    "in tests of the secrets alone so far",
  ),
  missing("replicas: one is cut from PostgreSQL", "0 lost, 0 double", "at the store alone so far"),
];

function missing(name: string, bar: string, why: string): Case {
  return { name, bar, run: async () => ({ skipped: `missing: ${why}` }) };
}
