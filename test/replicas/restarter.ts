/** Restarts PostgreSQL, by the clock or just when a replica writes a certain thing; never twice at once. */
import { setTimeout as sleep } from "node:timers/promises";
import { MOMENTS, type PostgresProxy } from "../rig/fault-proxy.ts";
import type { Postgres } from "../rig/postgres.ts";
import type { HttpStand } from "./http-stand.ts";

/** A restart that clients notice, and shorter than a gap between beats that would make every replica doubt what it knows. */
const AWAY_MS = 300;

export interface Restarter {
  /** Stopped at once, and started a little later. */
  restart(): Promise<void>;
  count(): number;
  /** Resolves when no restart is under way. */
  settled(): Promise<void>;
}

export function startRestarter(postgres: Postgres): Restarter {
  let last = Promise.resolve();
  let count = 0;
  const once = async (): Promise<void> => {
    await postgres.stop("immediate");
    await sleep(AWAY_MS);
    await postgres.start();
    count++;
  };
  return {
    restart: () => (last = last.then(once)),
    count: () => count,
    settled: () => last,
  };
}

/** The row of a run that goes on from another, and the end of its transaction. */
const isSuccessor = (sql: string): boolean =>
  /^insert into "runs" .* on conflict \("resumed_from_run_id"\)/s.test(sql);
const isCommit = (sql: string): boolean => /^commit/i.test(sql);

/** At each replica, the next resumes are met: before the row was sent, after it, and after its commit, whose answer is lost. */
export function trapResumes({ proxies }: HttpStand, restarter: Restarter) {
  const restart = (): Promise<void> => restarter.restart();
  const traps = proxies.flatMap((proxy) => [
    ...MOMENTS.map((moment) => proxy.onNext(moment, ({ sql }) => isSuccessor(sql), restart)),
    proxy.onNext("afterAnswer", isCommitOfResume(proxy), restart),
  ]);
  return {
    caughtCount: () => traps.filter((trap) => trap.isCaught()).length,
    cancel: () => traps.forEach((trap) => trap.cancel()),
  };
}

/** The last statement of this connection but a few was the row. */
function isCommitOfResume({ statements }: PostgresProxy): Parameters<PostgresProxy["onNext"]>[1] {
  return ({ sql, connection }) => {
    if (!isCommit(sql)) return false;
    const own = statements.filter((one) => one.connection === connection).slice(0, -1);
    const begin = own.findLastIndex((one) => /^begin/i.test(one.sql));
    return own.slice(begin).some((one) => isSuccessor(one.sql));
  };
}
