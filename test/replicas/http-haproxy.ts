/** HAProxy with the configuration that we ship, in place of the plain balancer: the same clients, and a rolling restart behind it. */
import { hasHaproxy, startHaproxy } from "../rig/haproxy.ts";
import type { Outcome, Skipped } from "./case.ts";
import { startLoad } from "./http-load.ts";
import { restartAll, type RollingSize } from "./http-rolling.ts";
import type { HttpStand } from "./http-stand.ts";
import { legacySession } from "./round-robin.ts";

const SESSION_REQUEST_COUNT = 60;

export async function behindHaproxy(
  stand: HttpStand,
  { rounds, atOnce }: RollingSize,
): Promise<Outcome | Skipped> {
  if (!hasHaproxy()) return { skipped: "HAProxy is not installed here" };
  const { members } = stand.replicas;
  const haproxy = await startHaproxy(
    stand.frontPort,
    members.map(({ url }) => url),
  );
  try {
    const session = await legacySession(stand, SESSION_REQUEST_COUNT, haproxy.url);
    const load = await startLoad(stand, atOnce, haproxy.url);
    await load.goOn();
    for (let round = 0; round < rounds; round++) await restartAll(stand, load);
    const { wrong, figures } = await load.end();
    const shares = members.map((_, i) => haproxy.log().split(`gateways/replica-${i + 1} `).length - 1);
    return {
      done: `deploy/haproxy.cfg with 3 addresses: a session of ${SESSION_REQUEST_COUNT} requests, then ${rounds} rolling restarts with ${load.clientCount} clients of both eras`,
      figures: `session: ${session.figures}; ${figures}; requests by replica: ${shares.join(", ")}`,
      // Where one replica answered everything, nothing was balanced.
      isMet: session.isMet && wrong.length === 0 && Math.min(...shares) > SESSION_REQUEST_COUNT / 6,
    };
  } finally {
    await haproxy.close();
  }
}
