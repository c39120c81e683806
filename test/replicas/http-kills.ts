/** One replica is killed, as a machine dies: the others are on other hosts and go on with what it had. */
import { canNameHosts } from "../rig/replicas.ts";
import type { Outcome, Skipped } from "./case.ts";
import { call, msUntil, post, type HttpStand } from "./http-stand.ts";
import { legacyCall, openSession } from "./round-robin.ts";

/** Two effects, a call without one that lasts until the kill, and two more effects. */
const CODE = `for (const i of [1, 2]) await mcp.counter.add({ n: args.first + i });
await mcp.counter.get({ n: args.first, delay_ms: args.delay });
for (const i of [3, 4]) await mcp.counter.add({ n: args.first + i });
return "done " + args.first;`;
/** The call is in the log after half of it. */
const CALL_MS = 10_000;
const TIMEOUT_MS = 240_000;
const [FOREGROUND, BACKGROUND] = [1_000, 2_000];
const EFFECT_COUNT = 8;

const requestOf = (first: number): object => ({
  code: CODE,
  inputs: { first, delay: CALL_MS },
  timeout_ms: TIMEOUT_MS,
});

/** `msMax`: from the kill until the run of the foreground is `interrupted`, and until the one of the background is at work elsewhere. */
export async function killedReplica(stand: HttpStand, msMax: number): Promise<Outcome | Skipped> {
  if (!canNameHosts()) return { skipped: "no host names of their own for the replicas here" };
  const { replicas, store } = stand;
  const background = await startBackground(stand);
  // The queue chose it, so it is the one to kill.
  const [owner, url] = await placeOf(stand, background);
  const doomed = replicas.members.find((member) => member.url.origin === url)!;
  const others = replicas.members.filter((member) => member !== doomed);
  const headers = await openSession(doomed.url, replicas.headers);
  const lost = call(stand, "execute", requestOf(FOREGROUND), doomed.url).then(
    () => "answered",
    () => "cut",
  );
  const isInCall = (first: number) => stand.calls("get").includes(first);
  await msUntil("both runs in their calls", () => isInCall(FOREGROUND) && isInCall(BACKGROUND));
  const foreground = await otherRunOf(stand, owner, background);
  await doomed.end("SIGKILL");
  replicas.balancer.setTargets(others.map((member) => member.url));
  const [interruptedMs, onMs] = await Promise.all([
    msUntil("the interrupted run", async () => {
      const run = await store.runs.find(foreground);
      return run?.status === "failed" && run.error?.reason === "interrupted";
    }),
    msUntil("the background run elsewhere", async () => {
      const found = await ownerOf(stand, background);
      return found !== undefined && found !== owner;
    }),
  ]);
  const session = await post(others[0]!.url, headers, legacyCall(2, "counter__get", { n: 21 }));
  const told = [
    await call(stand, "execute", { resume: foreground, timeout_ms: TIMEOUT_MS }),
    await call(stand, "execute", { resume: background, timeout_ms: TIMEOUT_MS }),
  ];
  const effects = stand.calls("add").filter((n) => n >= FOREGROUND && n < 2 * BACKGROUND);
  const isOnce = effects.length === EFFECT_COUNT && new Set(effects).size === EFFECT_COUNT;
  const isAnswered = session.status === 200 && session.text.includes('"double":42');
  const isDone = told[0]!["outputs"] === `done ${FOREGROUND}` && told[1]!["outputs"] === `done ${BACKGROUND}`;
  const wrong = isDone && isAnswered ? "" : `; ${session.text.slice(0, 200)} ${JSON.stringify(told)}`;
  return {
    done: "kill -9 of one of 3 with a run, a background run and a legacy session",
    figures:
      `interrupted after ${seconds(interruptedMs)}, background on after ${seconds(onMs)}, session ${session.status}, ` +
      `${effects.length} of ${EFFECT_COUNT} effects, ${effects.length - new Set(effects).size} repeated, ` +
      `the client's request was ${await lost}${wrong}`,
    isMet: interruptedMs <= msMax && onMs <= msMax && isOnce && isAnswered && isDone,
  };
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

async function startBackground(stand: HttpStand): Promise<string> {
  const told = await call(stand, "execute", { ...requestOf(BACKGROUND), background: true });
  if (told.run_id === undefined) throw new Error(JSON.stringify(told));
  return told.run_id;
}

/** The owner of a run, and the address of that replica. */
async function placeOf(stand: HttpStand, run: string): Promise<readonly [string, string]> {
  await msUntil("an owner of the run", async () => (await ownerOf(stand, run)) !== undefined);
  const owner = (await ownerOf(stand, run))!;
  const replica = (await stand.store.replicas.list()).find((one) => one.owner === owner);
  if (replica?.url == null) throw new Error(`No replica is ${owner}.`);
  return [owner, new URL(replica.url).origin];
}

/** A background run that goes on elsewhere is another row, which continues the first. */
async function ownerOf({ postgres, databaseUrl }: HttpStand, run: string): Promise<string | undefined> {
  const rows = await postgres.query<{ lease_owner: string }>(
    "select lease_owner from runs where (id = $1 or resumed_from_run_id = $1) and status = 'running' and lease_owner is not null order by started_at desc",
    [run],
    databaseUrl,
  );
  return rows[0]?.lease_owner;
}

async function otherRunOf({ postgres, databaseUrl }: HttpStand, owner: string, run: string): Promise<string> {
  const rows = await postgres.query<{ id: string }>(
    "select id from runs where status = 'running' and lease_owner = $1 and id <> $2",
    [owner, run],
    databaseUrl,
  );
  return rows[0]!.id;
}
