/** One replica is frozen in the midst of its runs, as a machine that sleeps, and wakes when the others have taken them over. */
import { setTimeout as sleep } from "node:timers/promises";
import { canNameHosts } from "../rig/replicas.ts";
import type { Outcome, Skipped } from "./case.ts";
import { follow } from "./cut-runs.ts";
import { call, msUntil, type HttpStand } from "./http-stand.ts";
import { firstOf } from "./terminated.ts";

const STOPPED = 2;
/** What it does when it wakes it has done by then: two beats. */
const SETTLED_MS = 4_000;

export async function stoppedReplica(stand: HttpStand, ms: number): Promise<Outcome | Skipped> {
  if (!canNameHosts()) return { skipped: "no host names of their own for the replicas here" };
  const { members, balancer } = stand.replicas;
  const member = members[STOPPED]!;
  const runs = await follow(stand, member);
  balancer.setTargets(members.filter((one) => one !== member).map(({ url }) => url));
  member.signal("SIGSTOP");
  try {
    // Its servers are not frozen: they answer, and nobody hears it before it wakes.
    runs.releaseAll();
    await sleep(ms);
    await runs.areTaken();
  } finally {
    member.signal("SIGCONT");
  }
  await sleep(SETTLED_MS);
  const { wrong, figures } = await runs.judge();
  await msUntil("a run at the replica that was stopped", async () => {
    const { outputs } = await call(stand, "execute", { code: "return 7" }, member.url);
    return outputs === 7;
  });
  balancer.setTargets(members.map(({ url }) => url));
  return {
    done: `one of 3 stopped (SIGSTOP) for ${ms / 1_000} s with runs under way, and woken`,
    figures: `${wrong.length} wrong${firstOf(wrong)}; ${figures}`,
    isMet: wrong.length === 0,
  };
}
