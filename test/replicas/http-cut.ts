/**
 * One replica is cut from PostgreSQL in one way after the other, while clients reach all of them. What needs no database goes on there;
 * runs wait, or fail with the store's words. After ten seconds the others take over what it had: then it writes nothing more of that.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { canNameHosts } from "../rig/replicas.ts";
import type { Outcome, Skipped } from "./case.ts";
import { startCutClients, type CutClients } from "./cut-clients.ts";
import { follow } from "./cut-runs.ts";
import { call, msUntil, type HttpStand } from "./http-stand.ts";
import { PARTINGS } from "./partitions.ts";
import { firstOf } from "./terminated.ts";

export interface CutSize {
  readonly way: keyof typeof PARTINGS;
  /** At least; where runs are to be taken over, until they are. */
  readonly ms: number;
  readonly isTakenOver: boolean;
}

const CUT = 2;
/** What is kept of it and comes late comes by then: two beats. */
const SETTLED_MS = 4_000;

export async function cutReplica(
  stand: HttpStand,
  { way, ms, isTakenOver }: CutSize,
): Promise<Outcome | Skipped> {
  if (!canNameHosts()) return { skipped: "no host names of their own for the replicas here" };
  const proxy = stand.proxies[CUT]!;
  const { part, join } = PARTINGS[way]!;
  const runs = await follow(stand, stand.replicas.members[CUT]!);
  const clients = await startCutClients(stand, CUT);
  await msUntil("clients at work", () => clients.passed.okCount > 2 && clients.atCut.okCount > 1);
  part(proxy);
  const cutAt = performance.now();
  const before = clients.passed.okCount;
  runs.releaseAll();
  await sleep(ms);
  if (isTakenOver) await runs.areTaken();
  const cutMs = performance.now() - cutAt;
  const passedCount = clients.passed.okCount - before;
  await join(proxy);
  if (isTakenOver) await sleep(SETTLED_MS);
  const { done, asked } = await clients.end();
  const judged = await runs.judge();
  await msUntil("a run at the replica that was cut", async () => isWhole(stand));
  const effects = judgeEffects(stand.calls("add"), done, asked);
  const { passed, atCut, atOthers, balanced } = clients;
  const wrong = [
    ...[...passed.wrong, ...passed.storeErrors].map((text) => `passed through: ${text}`),
    ...[...atOthers.wrong, ...atOthers.storeErrors].map((text) => `at another: ${text}`),
    ...[...atCut.wrong, ...balanced.wrong].map((text) => `run: ${text}`),
    ...judgeTaken(clients),
    ...(passedCount > 0 ? [] : ["nothing passed through while it was cut"]),
    ...effects,
    ...judged.wrong,
  ];
  return {
    done: `one of 3 cut (${way}) for ${(cutMs / 1_000).toFixed(1)} s, runs under way there, clients at each and through the balancer`,
    figures: `${wrong.length} wrong${firstOf(wrong)}; ${passedCount} calls passed, ${figuresOf(clients)}; ${judged.figures}`,
    isMet: wrong.length === 0,
  };
}

async function isWhole(stand: HttpStand): Promise<boolean> {
  const { outputs } = await call(stand, "execute", { code: "return 7" }, stand.replicas.members[CUT]!.url);
  return outputs === 7;
}

/** Only what was under way when it was cut: one for each client that asks there. */
function judgeTaken({ atCut, atOthers, balanced }: CutClients): string[] {
  const isTooMany = atCut.takenCount > atCut.clientCount || balanced.takenCount > balanced.clientCount;
  return [
    ...(isTooMany ? ["runs were taken over that began after the cut"] : []),
    ...(atOthers.takenCount > 0 ? [`${atOthers.takenCount} runs were taken from the living`] : []),
  ];
}

/** A run that said that it is done has made its effect, and no effect is there twice. */
function judgeEffects(made: readonly number[], done: readonly number[], asked: readonly number[]): string[] {
  const own = new Set(asked);
  const effects = made.filter((n) => own.has(n));
  const once = new Set(effects);
  const lost = done.filter((n) => !once.has(n));
  return [
    ...(lost.length > 0 ? [`${lost.length} effects are lost`] : []),
    ...(effects.length > once.size ? [`${effects.length - once.size} effects were made twice`] : []),
  ];
}

function figuresOf({ passed, atCut, balanced }: CutClients): string {
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const refused = [...atCut.storeErrors, ...balanced.storeErrors];
  const codes = refused.length === 0 ? "" : ` (${[...new Set(refused)].join(", ")})`;
  return (
    `longest ${seconds(passed.worstMs)}; runs there: ${atCut.okCount} done, longest ${seconds(atCut.worstMs)}, ` +
    `${atCut.takenCount + balanced.takenCount} taken over, ${refused.length} refused${codes}`
  );
}
