/**
 * One replica is killed, and PostgreSQL restarts again and again while the others take over what it had: when they find out that it is
 * dead, and in some rounds just when they write that a run goes on.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { canNameHosts, type ReplicaProcess } from "../rig/replicas.ts";
import type { Outcome, Skipped } from "./case.ts";
import { call, msUntil, type HttpStand, type Told } from "./http-stand.ts";
import { startRestarter, trapResumes, type Restarter } from "./restarter.ts";
import { firstOf } from "./terminated.ts";
import {
  chainOf,
  effectsOfRuns,
  isInterrupted,
  ownerAt,
  startWaitingRun,
  TIMEOUT_MS,
  type WaitingRun,
} from "./waiting-runs.ts";

/** From when on after the kill, and until when: the others call it dead in between. */
const [RESTARTS_FROM_MS, RESTARTS_TO_MS] = [8_000, 14_000];
const PAUSE_MS = 700;
const [FOREGROUND_COUNT, BACKGROUND_COUNT] = [3, 6];

export async function restartsInTakeover(stand: HttpStand, rounds: number): Promise<Outcome | Skipped> {
  if (!canNameHosts()) return { skipped: "no host names of their own for the replicas here" };
  const counts = {
    foreground: 0,
    background: 0,
    restarts: 0,
    trapped: 0,
    effects: 0,
    wanted: 0,
    repeated: 0,
  };
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const made = await takeOverOnce(stand, round % 2 === 0);
    for (const key of Object.keys(counts) as (keyof typeof counts)[]) counts[key] += made[key];
    wrong.push(...made.wrong.map((text) => `round ${round}: ${text}`));
  }
  const { foreground, background, restarts, trapped, effects, wanted, repeated } = counts;
  return {
    done: `${rounds} rounds: kill -9 of one of 3, PostgreSQL stopped (immediate) and started from ${RESTARTS_FROM_MS / 1_000} to ${RESTARTS_TO_MS / 1_000} s after it`,
    figures:
      `${restarts} restarts, ${trapped} of them while a resume was written; ${foreground} foreground and ${background} background runs ` +
      `taken over, ${effects} of ${wanted} effects, ${repeated} repeated, ${wrong.length} wrong${firstOf(wrong)}`,
    isMet: wrong.length === 0 && repeated === 0 && effects === wanted && background > 0 && trapped > 0,
  };
}

async function takeOverOnce(stand: HttpStand, isTrapped: boolean) {
  const { replicas } = stand;
  const { doomed, others, foreground, background, elsewhere } = await startRuns(stand);
  const all = [...foreground, ...background, ...elsewhere];
  const dead = await ownerAt(stand, doomed);
  await doomed.end("SIGKILL");
  const killedAt = performance.now();
  replicas.balancer.setTargets(others.map(({ url }) => url));
  const restarter = startRestarter(stand.postgres);
  const trap = isTrapped ? trapResumes(stand, restarter) : undefined;
  for (const run of all) run.release();
  const resuming = foreground.map((run) => resumeTwice(stand, run, others));
  await restartBetween(restarter, killedAt);
  const problems = await Promise.all([
    ...resuming,
    ...[...background, ...elsewhere].map((run) => attach(stand, run)),
  ]);
  trap?.cancel();
  await restarter.settled();
  const wrong = [
    ...problems.flat(),
    ...(await judge(stand, [...foreground, ...background], elsewhere, dead)),
  ];
  await doomed.start();
  replicas.balancer.setTargets(replicas.members.map(({ url }) => url));
  const { once: effects, wanted, repeated } = effectsOfRuns(stand, all);
  return {
    foreground: foreground.length,
    background: background.length,
    restarts: restarter.count(),
    trapped: trap?.caughtCount() ?? 0,
    effects,
    wanted,
    repeated,
    wrong,
  };
}

/** The queue chooses who has the runs of the background: who has most of them is killed. */
async function startRuns(stand: HttpStand) {
  const { members } = stand.replicas;
  const started = await Promise.all(
    Array.from({ length: BACKGROUND_COUNT }, () => startWaitingRun(stand, "background")),
  );
  const owners = await Promise.all(
    started.map(async ({ id }) => (await stand.store.runs.find(id))!.leaseOwner),
  );
  const names = await Promise.all(members.map((member) => ownerAt(stand, member)));
  const shares = names.map((name) => owners.filter((owner) => owner === name).length);
  const index = shares.indexOf(Math.max(...shares));
  const doomed = members[index]!;
  const isDoomed = (_: WaitingRun, i: number): boolean => owners[i] === names[index];
  const foreground = await Promise.all(
    Array.from({ length: FOREGROUND_COUNT }, () => startWaitingRun(stand, doomed)),
  );
  return {
    doomed,
    others: members.filter((member) => member !== doomed),
    foreground,
    background: started.filter(isDoomed),
    elsewhere: started.filter((run, i) => !isDoomed(run, i)),
  };
}

async function restartBetween(restarter: Restarter, killedAt: number): Promise<void> {
  const since = (): number => performance.now() - killedAt;
  await sleep(Math.max(0, RESTARTS_FROM_MS - since()));
  while (since() < RESTARTS_TO_MS) {
    await restarter.restart();
    await sleep(PAUSE_MS);
  }
}

/** Two clients want to go on with it at the same moment, at two replicas: one does. What is wrong with their answers. */
async function resumeTwice(
  stand: HttpStand,
  { id, first }: WaitingRun,
  others: readonly ReplicaProcess[],
): Promise<string[]> {
  await msUntil(`the end of ${id}`, async () => isInterrupted(await stand.store.runs.find(id)));
  const resume = { resume: id, timeout_ms: TIMEOUT_MS };
  const told = await Promise.all(
    others.map(({ url }) => call(stand, "execute", resume, url).catch((error: unknown) => ({ error }))),
  );
  const isDone = (answer: Told): boolean => answer["outputs"] === `done ${first}`;
  const isLate = (answer: Told): boolean => JSON.stringify(answer).includes("superseded");
  const wrong = told
    .filter((answer) => !isDone(answer) && !isLate(answer))
    .map((answer) => JSON.stringify(answer));
  return told.some(isDone) ? wrong : [...wrong, `nobody could go on with ${id}`];
}

async function attach(stand: HttpStand, { id, first }: WaitingRun): Promise<string[]> {
  const told = await call(stand, "execute", { resume: id, timeout_ms: TIMEOUT_MS });
  return told["outputs"] === `done ${first}` ? [] : [JSON.stringify(told)];
}

/** What is wrong with the records: each run of the dead has one successor, those of the living none, and nothing is left behind. */
async function judge(
  stand: HttpStand,
  taken: readonly WaitingRun[],
  kept: readonly WaitingRun[],
  dead: string,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { id } of taken) {
    const [old, ...later] = await chainOf(stand, id);
    if (!isInterrupted(old)) wrong.push(`${id} is ${old!.status}`);
    if (later.length !== 1 || later[0]!.status !== "succeeded")
      wrong.push(`${id} went on as ${later.map(({ status }) => status).join(", ") || "nothing"}`);
  }
  for (const { id } of kept) {
    const chain = await chainOf(stand, id);
    if (chain.length !== 1 || chain[0]!.status !== "succeeded") wrong.push(`${id} was taken from the living`);
  }
  const left = await stand.postgres.query<{ id: string; lease_owner: string }>(
    "select id, lease_owner from runs where status = 'running'",
    [],
    stand.databaseUrl,
  );
  const strands = left.map(
    ({ id, lease_owner }) => `${id} is left running${lease_owner === dead ? " by the dead" : ""}`,
  );
  return [...wrong, ...strands];
}
