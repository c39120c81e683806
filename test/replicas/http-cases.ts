/** The cases that need real gateways: rows of the table of `npm run soak:replicas`, long or short. */
import type { Case } from "./case.ts";
import type { Postgres } from "../rig/postgres.ts";
import { killedReplica } from "./http-kills.ts";
import { behindHaproxy } from "./http-haproxy.ts";
import { stoppedReplica } from "./http-stopped.ts";
import { cutReplica, type CutSize } from "./http-cut.ts";
import { refreshAtOnce } from "./http-oauth.ts";
import { httpAway, httpRestarts, type AwaySize, type RestartSize } from "./http-outages.ts";
import { restartsInTakeover } from "./http-takeover.ts";
import { withHttpStand, type HttpStand, type StandOptions } from "./http-stand.ts";
import { rollingRestart, type RollingSize } from "./http-rolling.ts";
import { rollingUpgrade } from "./http-upgrade.ts";
import { approvals, draftsGoOn, heldCalls, keptTool, legacySession, revokedToken } from "./round-robin.ts";

/** How much of each. */
export interface HttpSize {
  /** What a busy machine adds is not the gateway's: a test prints the figure and lets it pass. */
  readonly convergedMsMax: number;
  readonly takenOverMsMax: number;
  readonly restarts: RestartSize;
  readonly away: readonly AwaySize[];
  readonly rolling: RollingSize;
  readonly upgrade: RollingSize;
  readonly haproxy: RollingSize;
  readonly refreshRounds: number;
  readonly takeoverRounds: number;
  readonly cuts: readonly CutSize[];
  /** For how long each time; those that others are to notice are over 10 s. */
  readonly stopped: readonly number[];
}

export const HTTP_SHORT: HttpSize = {
  convergedMsMax: 60_000,
  takenOverMsMax: 120_000,
  restarts: { runs: 30, everyMs: 2_000, restarts: 2 },
  // It takes longer than all the others: only in the soak.
  away: [],
  rolling: { rounds: 1, atOnce: 3 },
  upgrade: { rounds: 1, atOnce: 1 },
  haproxy: { rounds: 1, atOnce: 1 },
  refreshRounds: 3,
  takeoverRounds: 1,
  cuts: [{ way: "hold both", ms: 2_000, isTakenOver: false }],
  // As long as the others need to notice it: only in the soak.
  stopped: [],
};

export const HTTP_LONG: HttpSize = {
  convergedMsMax: 1_000,
  takenOverMsMax: 12_000,
  restarts: { runs: 5_000, everyMs: 5_000, restarts: Number.POSITIVE_INFINITY },
  away: [5_000, 12_000, 30_000].map((ms) => ({ ms, runs: 50, callMs: 3_000 })),
  rolling: { rounds: 3, atOnce: 8 },
  upgrade: { rounds: 2, atOnce: 8 },
  haproxy: { rounds: 6, atOnce: 8 },
  refreshRounds: 100,
  takeoverRounds: 5,
  cuts: [
    ...["hold both", "hold answers", "drop both", "drop questions", "drop answers", "cut and refuse"].map(
      (way) => ({ way, ms: 12_000, isTakenOver: true }),
    ),
    // It connects anew when it has waited for an answer for 10 s: whether its runs are taken over by then is open.
    { way: "half-open, server gone", ms: 12_000, isTakenOver: false },
    // Longer than a gateway waits for its store.
    { way: "drop both", ms: 40_000, isTakenOver: true },
  ],
  stopped: [60_000],
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

/** A stand of its own, or one that several share. */
export type OnStand = (
  work: (stand: HttpStand) => ReturnType<Case["run"]>,
  options?: StandOptions,
) => Case["run"];

/** Those that harm the replicas or the database, and leave them as they were: they may share a stand. */
export function mendedCases(on: OnStand, size: HttpSize): Case[] {
  return [
    {
      name: "replicas: PostgreSQL restarts during a takeover",
      bar: "each run goes on once, 0 lost, 0 repeated, 0 stranded",
      run: on((stand) => restartsInTakeover(stand, size.takeoverRounds), { isProxied: true }),
    },
    ...size.cuts.map((cut) => ({
      name: `replicas: one is cut from PostgreSQL, ${cut.way}, ${cut.ms / 1_000} s`,
      bar: "0 lost, 0 double, calls pass, the taken are fenced",
      run: on((stand) => cutReplica(stand, cut), { isProxied: true }),
    })),
    ...size.stopped.map((ms) => ({
      name: `replicas: one is stopped (SIGSTOP) for ${ms / 1_000} s and wakes`,
      bar: "0 repeated, the taken are fenced",
      run: on((stand) => stoppedReplica(stand, ms)),
    })),
    {
      name: "replicas: OAuth refresh by 3 at once",
      bar: "1 refresh in each round, 0 failed calls",
      run: on((stand) => refreshAtOnce(stand, size.refreshRounds), { hasLogin: true }),
    },
    {
      name: "replicas: HAProxy in front",
      bar: "0 failed requests",
      run: on((stand) => behindHaproxy(stand, size.haproxy)),
    },
    {
      name: "replicas: rolling upgrade to the next schema and back",
      bar: "0 failed requests, the background run goes on",
      run: on((stand) => rollingUpgrade(stand, size.upgrade)),
    },
  ];
}
