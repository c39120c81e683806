/**
 * The replicas are upgraded one by one to a version that migrates the database, and then one by one taken back, while clients of both
 * eras work. A background run goes through all of it: it stands in a call while a replica is told to end, and gets its answer then.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { BIN } from "../fixtures/gateway-process.ts";
import type { ReplicaProcess } from "../rig/replicas.ts";
import type { Outcome } from "./case.ts";
import { startLoad, type Load } from "./http-load.ts";
import { call, msUntil, type HttpStand } from "./http-stand.ts";
import { buildNextVersion, NEXT_SCHEMA_VERSION } from "./next-version.ts";
import type { RollingSize } from "./http-rolling.ts";

const CODE = `for (let i = 0; i <= args.turns; i++) {
  await mcp.counter.add({ n: args.first + i });
  if (i < args.turns) await mcp.scripted.wait({ key: args.key + i });
}
return "done";`;
const TIMEOUT_MS = 590_000;
/**
 * A replica refuses requests for a second before its runs begin no more calls. A run that is answered earlier is met in its next call,
 * for which the replica waits ten seconds: as good, and slow.
 */
const REFUSING_MS = 1_500;
/** Apart from the effects of other cases. */
const FIRST = 8_000_000;
let caseCount = 0;

export async function rollingUpgrade(stand: HttpStand, { rounds, atOnce }: RollingSize): Promise<Outcome> {
  const next = await buildNextVersion();
  const { members } = stand.replicas;
  const turns = 2 * rounds * members.length;
  const run = await startRun(stand, turns);
  const load = await startLoad(stand, atOnce);
  const mixes: string[] = [];
  try {
    let turn = 0;
    for (let round = 0; round < rounds; round++) {
      for (const bin of [next.bin, BIN]) {
        for (const member of members) {
          await replace(stand, load, { member, bin, key: run.keyOf(turn++) });
          mixes.push(await versionsOf(stand));
        }
      }
    }
  } finally {
    next.close();
  }
  const { wrong, figures } = await load.end();
  const told = await call(stand, "execute", { resume: run.id, timeout_ms: TIMEOUT_MS });
  const effects = stand.calls("add").filter((n) => n >= run.first && n <= run.first + turns);
  const isOnce = effects.length === turns + 1 && new Set(effects).size === effects.length;
  const isMixed = mixes.some((mix) => mix.includes("next") && mix.includes(","));
  const [schema, moves] = await Promise.all([schemaOf(stand), moveCount(stand, run.id)]);
  return {
    done: `${turns} restarts: each of ${members.length} replicas to the next schema and back, ${rounds} times, ${load.clientCount} clients of both eras`,
    figures:
      `${figures}; schema ${schema} (${mixes.join("; ")}); the background run moved ${moves} times and is ${String(told["outputs"])}, ` +
      `${effects.length} of ${turns + 1} effects, ${effects.length - new Set(effects).size} repeated`,
    isMet:
      wrong.length === 0 &&
      schema === NEXT_SCHEMA_VERSION &&
      isMixed &&
      moves > 0 &&
      told["outputs"] === "done" &&
      isOnce,
  };
}

async function startRun(stand: HttpStand, turns: number) {
  const name = `upgrade-${++caseCount}-`;
  const first = FIRST + 10_000 * caseCount;
  const inputs = { first, turns, key: name };
  const told = await call(stand, "execute", { code: CODE, inputs, background: true, timeout_ms: TIMEOUT_MS });
  if (told.run_id === undefined) throw new Error(JSON.stringify(told));
  const keyOf = (turn: number): string => `${name}${turn}`;
  await msUntil("the background run", () => stand.waitCount(keyOf(0)) > 0);
  return { id: told.run_id, first, keyOf };
}

interface Replacement {
  readonly member: ReplicaProcess;
  readonly bin: string;
  /** Of the call in which the background run stands. */
  readonly key: string;
}

async function replace(stand: HttpStand, load: Load, { member, bin, key }: Replacement): Promise<void> {
  await msUntil(`the background run in ${key}`, () => stand.waitCount(key) > 0);
  const ending = member.end();
  await msUntil("the replica to take on nothing new", () => isLeaving(stand, member));
  await sleep(REFUSING_MS);
  stand.release(key);
  await ending;
  await member.start(bin);
  await load.goOn();
}

async function isLeaving({ store }: HttpStand, member: ReplicaProcess): Promise<boolean> {
  const seen = (await store.replicas.list()).find(({ url }) => url === member.url.origin);
  return member.isOver() || seen === undefined || seen.isDraining;
}

/** Those that live, as `0.1.0, 0.1.0-next`. */
async function versionsOf({ store, replicas }: HttpStand): Promise<string> {
  const urls = new Set(replicas.members.map(({ url }) => url.origin));
  const living = (await store.replicas.list()).filter(
    ({ url, ageMs }) => urls.has(url ?? "") && ageMs < 10_000,
  );
  return [...new Set(living.map(({ version }) => version))].toSorted().join(", ");
}

async function schemaOf({ postgres, databaseUrl }: HttpStand): Promise<number> {
  const [row] = await postgres.query<{ version: string }>(
    "select version from schema_version",
    [],
    databaseUrl,
  );
  return Number(row!.version);
}

/** How often it went on as another run. */
async function moveCount({ store }: HttpStand, runId: string): Promise<number> {
  let moves = 0;
  for (
    let next = await store.runs.successor(runId);
    next !== undefined;
    next = await store.runs.successor(next.id)
  )
    moves++;
  return moves;
}
