/** Runs that have had effects and stand in a call until the case lets them go on: whatever is done to their replica meets them there. */
import type { Run } from "../../src/core/store.ts";
import type { ReplicaProcess } from "../rig/replicas.ts";
import { call, msUntil, type HttpStand, type Told } from "./http-stand.ts";

/** Two effects, a call without one that is answered when the case says so, and two more effects. */
const CODE = `for (const i of [1, 2]) await mcp.counter.add({ n: args.first + i });
await mcp.scripted.wait({ key: args.key });
for (const i of [3, 4]) await mcp.counter.add({ n: args.first + i });
return "done " + args.first;`;
export const EFFECTS_EACH = 4;
export const TIMEOUT_MS = 240_000;
/** Apart from the effects of other cases. */
const FIRST = 100_000_000;
let runCount = 0;

export interface WaitingRun {
  /** The first of its numbers. */
  readonly first: number;
  readonly id: string;
  /** What its client is told in the end. */
  readonly told: Promise<Told | string>;
  release(): void;
}

/** Started at this replica, or in the background, wherever that is; it stands in its call. */
export async function startWaitingRun(
  stand: HttpStand,
  at: ReplicaProcess | "background",
): Promise<WaitingRun> {
  const first = FIRST + 10 * ++runCount;
  const key = `run-${first}`;
  const isBackground = at === "background";
  const request = {
    code: CODE,
    inputs: { first, key },
    timeout_ms: TIMEOUT_MS,
    // By which it is found: the client of a run hears of its id in the end.
    intent: key,
    ...(isBackground && { background: true }),
  };
  const url = isBackground ? stand.replicas.balancer.url : at.url;
  const told = call(stand, "execute", request, url).catch(String);
  await msUntil(`${key} in its call`, () => stand.waitCount(key) > 0);
  return { first, id: await idOf(stand, key), told, release: () => stand.release(key) };
}

async function idOf({ postgres, databaseUrl }: HttpStand, intent: string): Promise<string> {
  const sql = "select id from runs where intent = $1 order by started_at limit 1";
  const [row] = await postgres.query<{ id: string }>(sql, [intent], databaseUrl);
  return row!.id;
}

/** Their effects: how many were made, and how many of them more than once. */
export function effectsOfRuns(stand: HttpStand, runs: readonly WaitingRun[]) {
  const isOfThem = (n: number) => runs.some(({ first }) => n > first && n <= first + EFFECTS_EACH);
  const made = stand.calls("add").filter(isOfThem);
  const once = new Set(made).size;
  return { made: made.length, once, repeated: made.length - once, wanted: EFFECTS_EACH * runs.length };
}

/** The run and those that went on from it. */
export async function chainOf({ store }: HttpStand, runId: string): Promise<Run[]> {
  const chain: Run[] = [];
  for (let id: string | undefined = runId; id !== undefined; id = (await store.runs.successor(id))?.id)
    chain.push((await store.runs.find(id))!);
  return chain;
}

export function isInterrupted(run: Run | undefined): boolean {
  return run?.status === "failed" && run.error?.["reason"] === "interrupted";
}

/** Which replica this is in the table. */
export async function ownerAt({ store }: HttpStand, member: ReplicaProcess): Promise<string> {
  const found = (await store.replicas.list()).find(({ url }) => url === member.url.origin);
  if (found === undefined) throw new Error(`${member.name} is not in the table of replicas`);
  return found.owner;
}
