/** Every replica is ended and started again in turn, while clients of both eras work through the balancer. */
import type { Outcome } from "./case.ts";
import { startLoad, type Load } from "./http-load.ts";
import type { HttpStand } from "./http-stand.ts";

export interface RollingSize {
  readonly rounds: number;
  /** Clients of each era. */
  readonly atOnce: number;
}

export async function rollingRestart(stand: HttpStand, { rounds, atOnce }: RollingSize): Promise<Outcome> {
  const load = await startLoad(stand, atOnce);
  for (let round = 0; round < rounds; round++) await restartAll(stand, load);
  const { wrong, figures } = await load.end();
  return {
    done: `SIGTERM and start of each of ${stand.replicas.members.length} replicas, ${rounds} times, ${load.clientCount} clients of both eras`,
    figures,
    isMet: wrong.length === 0,
  };
}

/** One after the other, each when the one before is at work again. */
export async function restartAll({ replicas }: HttpStand, load: Load): Promise<void> {
  for (const member of replicas.members) {
    await member.end();
    await member.start();
    await load.goOn();
  }
}
