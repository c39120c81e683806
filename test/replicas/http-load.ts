/** Clients of both eras that ask without a pause, each in its own way, for as long as a case lasts. */
import { causeOf } from "./http-runs.ts";
import { call, msUntil, post, type HttpStand } from "./http-stand.ts";
import { legacyCall, openSession } from "./round-robin.ts";
import { firstOf } from "./terminated.ts";

type Ask = (n: number) => Promise<string>;

export interface Load {
  readonly clientCount: number;
  /** Until every client has been answered about twice more. */
  goOn(): Promise<void>;
  /** After the last answer: how many requests there were, and what was answered to those that failed. */
  end(): Promise<LoadEnd>;
}

interface LoadEnd {
  readonly requestCount: number;
  readonly wrong: readonly string[];
  readonly figures: string;
}

/** So many clients of each era, through the balancer unless another address is given. */
export async function startLoad(
  stand: HttpStand,
  atOnce: number,
  url = stand.replicas.balancer.url,
): Promise<Load> {
  const over = new AbortController();
  const wrong: string[] = [];
  let requestCount = 0;
  let answerCount = 0;
  const work = async (ask: Ask): Promise<void> => {
    while (!over.signal.aborted) {
      const n = ++requestCount;
      const text = await ask(n).catch(causeOf);
      if (!text.includes(`"double":${2 * n}`)) wrong.push(text.slice(0, 300));
      answerCount++;
    }
  };
  const asks = [
    ...(await Promise.all(Array.from({ length: atOnce }, () => legacyAsk(stand, url)))),
    ...Array.from({ length: atOnce }, () => modernAsk(stand, url)),
  ];
  const working = asks.map(work);
  return {
    clientCount: asks.length,
    async goOn() {
      const before = answerCount;
      await msUntil("some more answers", () => answerCount >= before + 2 * asks.length);
    },
    async end() {
      over.abort();
      await Promise.all(working);
      const kindCount = new Set(wrong).size;
      const kinds = kindCount > 1 ? ` in ${kindCount} ways` : "";
      const figures = `${wrong.length} of ${requestCount} requests failed${kinds}${firstOf(wrong)}`;
      return { requestCount, wrong, figures };
    },
  };
}

/** In one session all the time. */
async function legacyAsk({ replicas }: HttpStand, url: URL): Promise<Ask> {
  const headers = await openSession(url, replicas.headers);
  return async (n) => {
    const { status, text } = await post(url, headers, legacyCall(n, "counter__get", { n }));
    return `${status} ${text}`;
  };
}

function modernAsk(stand: HttpStand, url: URL): Ask {
  const code = "return await mcp.counter.get({ n: args.n })";
  return async (n) => JSON.stringify(await call(stand, "execute", { code, inputs: { n } }, url));
}
