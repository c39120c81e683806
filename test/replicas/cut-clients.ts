/** Clients while one replica is cut from PostgreSQL: of tools that need no database, and of runs, which do. */
import { RepertoireError, tellThrown } from "../../src/core/errors.ts";
import { causeOf } from "./http-runs.ts";
import { call, post, request, type HttpStand } from "./http-stand.ts";
import { legacyCall, openSession } from "./round-robin.ts";

/** What a group of clients saw. */
interface Seen {
  readonly clientCount: number;
  okCount: number;
  /** What clients are told when the store is away, by its code. */
  readonly storeErrors: string[];
  /** Runs that were under way when it was cut, and that the others have taken over: their clients are told so. */
  takenCount: number;
  readonly wrong: string[];
  worstMs: number;
}

/** Their numbers are their own: which effects were made, and how often, is in the log of the counter. */
const FIRST = 500_000_000;
let nextNumber = FIRST;
const CODE = "return await mcp.counter.add({ n: args.n })";
/** What a client may be told of a store that is away. */
const STORE_CODES = ["STORE_BUSY", "STORE_UNCERTAIN"] as const;
const TAKEN = '"reason":"taken_over"';

type Ask = (n: number) => Promise<string>;

export interface CutClients {
  /** Through the cut replica to a server of its own, in both eras. */
  readonly passed: Seen;
  /** Runs at the cut replica, at the others, and through the balancer. */
  readonly atCut: Seen;
  readonly atOthers: Seen;
  readonly balanced: Seen;
  /** Ends the clients after their last answers; the numbers of runs that said that they are done, and of all that were asked for. */
  end(): Promise<{ readonly done: readonly number[]; readonly asked: readonly number[] }>;
}

export async function startCutClients(stand: HttpStand, cutIndex: number): Promise<CutClients> {
  const { members, balancer, headers } = stand.replicas;
  const over = new AbortController();
  const done: number[] = [];
  const asked: number[] = [];
  const cut = members[cutIndex]!.url;
  const session = await openSession(cut, headers);
  const legacy: Ask = async (n) => (await post(cut, session, legacyCall(n, "counter__get", { n }))).text;
  const modern: Ask = async (n) => {
    const params = { name: "counter__get", arguments: { n } };
    return JSON.stringify(await request(cut, headers, "tools/call", params));
  };
  const runAt = (url: URL): Ask => {
    return async (n) => {
      asked.push(n);
      const told = JSON.stringify(await call(stand, "execute", { code: CODE, inputs: { n } }, url));
      if (told.includes(`"double":${2 * n}`)) done.push(n);
      return told;
    };
  };
  const others = members.filter((_, i) => i !== cutIndex).map(({ url }) => url);
  const groups = [[legacy, modern], [runAt(cut), runAt(cut)], others.map(runAt), [runAt(balancer.url)]];
  const seen = groups.map(newSeen);
  const working = groups.flatMap((asks, i) => asks.map((ask) => askOn(ask, seen[i]!, over.signal)));
  const [passed, atCut, atOthers, balanced] = seen as [Seen, Seen, Seen, Seen];
  return {
    passed,
    atCut,
    atOthers,
    balanced,
    async end() {
      over.abort();
      await Promise.all(working);
      return { done, asked };
    },
  };
}

const newSeen = ({ length }: readonly Ask[]): Seen => ({
  clientCount: length,
  okCount: 0,
  storeErrors: [],
  takenCount: 0,
  wrong: [],
  worstMs: 0,
});

async function askOn(ask: Ask, seen: Seen, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const n = nextNumber++;
    const startedAt = performance.now();
    const text = await ask(n).catch(causeOf);
    seen.worstMs = Math.max(seen.worstMs, performance.now() - startedAt);
    const storeError = STORE_CODES.find((code) => text.includes(tellThrown(new RepertoireError(code, ""))!));
    if (text.includes(`"double":${2 * n}`)) seen.okCount++;
    else if (storeError !== undefined) seen.storeErrors.push(storeError);
    else if (text.includes(TAKEN)) seen.takenCount++;
    else seen.wrong.push(text.slice(0, 400));
  }
}
