/** Every replica is ended and started again in turn, as an upgrade does it, while clients of both eras work through the balancer. */
import type { Outcome } from "./case.ts";
import { causeOf } from "./http-runs.ts";
import { call, msUntil, post, type HttpStand } from "./http-stand.ts";
import { legacyCall, openSession } from "./round-robin.ts";
import { firstOf } from "./terminated.ts";

export interface RollingSize {
  readonly rounds: number;
  /** Clients of each era. */
  readonly atOnce: number;
}

type Ask = (n: number) => Promise<string>;

export async function rollingRestart(stand: HttpStand, { rounds, atOnce }: RollingSize): Promise<Outcome> {
  const { members } = stand.replicas;
  const over = new AbortController();
  let requestCount = 0;
  const wrong: string[] = [];
  const work = async (ask: Ask): Promise<void> => {
    while (!over.signal.aborted) {
      const n = ++requestCount;
      const text = await ask(n).catch(causeOf);
      if (!text.includes(`"double":${2 * n}`)) wrong.push(text.slice(0, 300));
    }
  };
  const asks = [
    ...(await Promise.all(Array.from({ length: atOnce }, () => legacyAsk(stand)))),
    ...Array.from({ length: atOnce }, () => modernAsk(stand)),
  ];
  const working = asks.map(work);
  for (let round = 0; round < rounds; round++) {
    for (const member of members) {
      await member.end();
      await member.start();
      const before = requestCount;
      await msUntil("some more requests", () => requestCount >= before + 2 * asks.length);
    }
  }
  over.abort();
  await Promise.all(working);
  return {
    done: `SIGTERM and start of each of ${members.length} replicas, ${rounds} times, ${asks.length} clients of both eras`,
    figures: `${wrong.length} of ${requestCount} requests failed${firstOf(wrong)}`,
    isMet: wrong.length === 0,
  };
}

/** In one session all the time. */
async function legacyAsk({ replicas }: HttpStand): Promise<Ask> {
  const { url } = replicas.balancer;
  const headers = await openSession(url, replicas.headers);
  return async (n) => {
    const { status, text } = await post(url, headers, legacyCall(n, "counter__get", { n }));
    return `${status} ${text}`;
  };
}

function modernAsk(stand: HttpStand): Ask {
  const code = "return await mcp.counter.get({ n: args.n })";
  return async (n) => JSON.stringify(await call(stand, "execute", { code, inputs: { n } }));
}
