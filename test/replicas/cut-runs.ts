/** The runs that a replica had under way when it was cut: it ends them itself, or the others take them over and it is fenced. */
import type { ReplicaProcess } from "../rig/replicas.ts";
import { call, msUntil, type HttpStand, type Told } from "./http-stand.ts";
import {
  chainOf,
  effectsOfRuns,
  EFFECTS_EACH,
  isInterrupted,
  ownerAt,
  startWaitingRun,
  TIMEOUT_MS,
  type WaitingRun,
} from "./waiting-runs.ts";

const FOREGROUND_COUNT = 3;
/** The queue chooses who has a run of the background. */
const BACKGROUND_COUNT_MAX = 12;

export interface Followed {
  readonly wrong: readonly string[];
  readonly figures: string;
}

/** Runs at this replica, each in its call. */
export async function follow(stand: HttpStand, member: ReplicaProcess) {
  const foreground = await Promise.all(
    Array.from({ length: FOREGROUND_COUNT }, () => startWaitingRun(stand, member)),
  );
  const { here, elsewhere } = await startBackground(stand, await ownerAt(stand, member));
  const own = [...foreground, ...here];
  /** What the journal had when others took the run over. */
  const taken = new Map<string, string>();
  return {
    releaseAll() {
      for (const run of [...own, ...elsewhere]) run.release();
    },
    async areTaken() {
      for (const { id } of own) {
        await msUntil(`the takeover of ${id}`, async () => isInterrupted(await stand.store.runs.find(id)));
        taken.set(id, await recordOf(stand, id));
      }
    },
    async judge(): Promise<Followed> {
      const wrong: string[] = [];
      const ends = { kept: 0, resumed: 0, uncertain: 0 };
      for (const run of own) {
        const end = await endOf(stand, run, taken.get(run.id));
        if (end in ends) ends[end as keyof typeof ends]++;
        else wrong.push(end);
      }
      for (const run of elsewhere) {
        const [only, ...more] = await ended(stand, run);
        if (only!.status !== "succeeded" || more.length > 0)
          wrong.push(`${run.id} was taken from the living`);
      }
      const { repeated } = effectsOfRuns(stand, own);
      if (repeated > 0) wrong.push(`${repeated} effects of runs under way were made twice`);
      const told = await Promise.all(foreground.map(async (run) => inShort(await run.told)));
      return {
        wrong,
        figures:
          `of ${own.length} runs under way ${ends.kept} ended there, ${ends.resumed} were taken over and resumed, ` +
          `${ends.uncertain} taken over with an uncertain step, ${taken.size} journals watched, ${repeated} effects repeated; ` +
          `their clients were told ${[...new Set(told)].join(", ")}`,
      };
    },
  };
}

async function startBackground(stand: HttpStand, owner: string) {
  const elsewhere: WaitingRun[] = [];
  for (let i = 0; i < BACKGROUND_COUNT_MAX; i++) {
    const run = await startWaitingRun(stand, "background");
    if ((await stand.store.runs.find(run.id))?.leaseOwner === owner) return { here: [run], elsewhere };
    elsewhere.push(run);
  }
  return { here: [], elsewhere };
}

/** All that the cut replica could have written of it. */
async function recordOf({ store }: HttpStand, id: string): Promise<string> {
  return JSON.stringify({ run: await store.runs.find(id), steps: await store.runs.steps(id) });
}

/** How it ended, or what is wrong with that. */
async function endOf(stand: HttpStand, run: WaitingRun, atTakeover: string | undefined): Promise<string> {
  const { id, first } = run;
  const told = await call(stand, "execute", { resume: id, timeout_ms: TIMEOUT_MS });
  const chain = await chainOf(stand, id);
  if (atTakeover !== undefined && atTakeover !== (await recordOf(stand, id)))
    return `${id} was written to after it was taken over: ${atTakeover} then, ${await recordOf(stand, id)} now`;
  if (JSON.stringify(told).includes("uncertain_step"))
    return isInterrupted(chain[0]) ? "uncertain" : `${id} is uncertain`;
  const effects = effectsOfRuns(stand, [run]);
  const isDone = told["outputs"] === `done ${first}` && effects.once === EFFECTS_EACH;
  if (chain.length === 1 && chain[0]!.status === "succeeded") return "kept";
  if (isInterrupted(chain[0]) && chain.length === 2 && isDone) return "resumed";
  return `${id}: ${chain.map(({ status }) => status).join(", ")}: ${JSON.stringify(told).slice(0, 300)}`;
}

async function ended(stand: HttpStand, { id }: WaitingRun) {
  await call(stand, "execute", { resume: id, timeout_ms: TIMEOUT_MS });
  return chainOf(stand, id);
}

function inShort(told: Told | string): string {
  if (typeof told === "string") return told.slice(0, 100);
  const { error, success } = told as { error?: { code?: string; reason?: string }; success?: boolean };
  return success === true ? "success" : `${error?.code ?? "?"}/${error?.reason ?? "?"}`;
}
