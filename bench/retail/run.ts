/** The whole bench as a function: undisturbed in three ways, then the kills. */
import { join } from "node:path";
import type { Lines } from "../lines.ts";
import { instructionsOf, listTools } from "./connection.ts";
import { createStateHash, type HashOf } from "./final-state.ts";
import { figuresOf, planKills, playKills, type KillFigures, type KillRun } from "./kills.ts";
import { readDatabase } from "./shop.ts";
import { createStand, type Stand } from "./stand.ts";
import { loadTasks, type RetailTask } from "./task.ts";
import { countTokensOf, type ListedTools, type Lists, type TokenFigures } from "./tokens.ts";
import { playDirect, playThroughGateway, readOnlyTools, type Played, type Reference } from "./undisturbed.ts";

/** Each has a gateway, its runner and the shop's server: two keep two cores busy. */
const STANDS_AT_ONCE = 2;

export interface RetailFigures {
  readonly name: "retail";
  readonly tasks: number;
  readonly actions: number;
  /** Tasks that come to the database of the direct calls, as a script and as a kept tool. */
  readonly scriptEqual: number;
  readonly keptEqual: number;
  /** Kept tools that gave what the script gave. */
  readonly keptSameResult: number;
  readonly tokens: TokenFigures;
  /** Where kills were asked for. */
  readonly kills?: KillFigures;
}

export interface RetailOptions {
  /** For homes, logs and configs. */
  readonly folder: string;
  /** With `db.json` and `tasks.json`. */
  readonly data: string;
  /** `dist/main.js` of the gateway. */
  readonly bin: string;
  /** Every so-many-th kill of all; without it, none. */
  readonly sample?: number;
  readonly onKill?: (run: KillRun, kills: number) => void;
}

/** Undefined where the data are not to be had. */
export async function benchRetail(options: RetailOptions): Promise<RetailFigures | undefined> {
  const { folder, data, bin, sample, onKill } = options;
  const tasks = loadTasks(data);
  if (tasks === undefined) return undefined;
  const hashOf = createStateHash(readDatabase(join(data, "db.json")));
  const cache = join(folder, "cache");
  const standOf = (name: string, exposure: "lean" | "full" = "lean") =>
    createStand({ folder: join(folder, name), data, bin, cache, exposure });
  const undisturbed = await playUndisturbed(standOf("undisturbed"), tasks, hashOf);
  const { played } = undisturbed;
  const full = await listedByGateway(standOf("full", "full"));
  const figures: RetailFigures = {
    name: "retail",
    tasks: tasks.length,
    actions: tasks.reduce((count, { actions }) => count + actions.length, 0),
    scriptEqual: played.filter(({ direct, script }) => script.hash === direct.hash).length,
    keptEqual: played.filter(({ direct, kept }) => kept.hash === direct.hash).length,
    keptSameResult: played.filter(({ isSameResult }) => isSameResult).length,
    tokens: countTokensOf(played, { ...undisturbed, full }),
  };
  if (sample === undefined) return figures;
  const plan = planKills(played, sample);
  const stands = Array.from({ length: STANDS_AT_ONCE }, (_, at) => standOf(`kills-${at}`));
  const run = await playKills(stands, plan, hashOf, (sofar) => onKill?.(sofar, plan.length));
  return { ...figures, kills: figuresOf(run, played) };
}

/** Each way came to the same in each task, and no kill changed anything. */
export function isProven({ tasks, scriptEqual, keptEqual, keptSameResult, kills }: RetailFigures): boolean {
  const isSame = [scriptEqual, keptEqual, keptSameResult].every((count) => count === tasks);
  return isSame && (kills === undefined || kills.whole === kills.kills);
}

interface Undisturbed extends Omit<Lists, "full"> {
  readonly played: readonly Played[];
}

async function playUndisturbed(
  stand: Stand,
  tasks: readonly RetailTask[],
  hashOf: HashOf,
): Promise<Undisturbed> {
  stand.choose("start");
  const shop = await whileOpen(stand.openServer(), listedBy);
  const references = await whileOpen(stand.openServer(), async (server) => {
    const readOnly = readOnlyTools(shop.definitions);
    const done: Reference[] = [];
    for (const task of tasks) done.push(await playDirect(stand, server, task, readOnly, hashOf));
    return done;
  });
  return whileOpen(stand.openGateway(), async (gateway) => {
    const lean = await listedBy(gateway);
    const browse = lean.definitions.find(({ name }) => name === "browse_components")!;
    const searched = { gateway, browse, definitions: shop.definitions };
    const played: Played[] = [];
    for (const reference of references) {
      played.push(await playThroughGateway(stand, searched, reference, hashOf));
    }
    return { played, shop, lean };
  });
}

function listedByGateway(stand: Stand): Promise<ListedTools> {
  stand.choose("start");
  return whileOpen(stand.openGateway(), listedBy);
}

/** Whatever happens, the process ends with the work. */
async function whileOpen<T>(opening: Promise<Lines>, work: (lines: Lines) => Promise<T>): Promise<T> {
  const lines = await opening;
  try {
    return await work(lines);
  } finally {
    await lines.close();
  }
}

async function listedBy(lines: Lines): Promise<ListedTools> {
  return { instructions: instructionsOf(lines), definitions: await listTools(lines) };
}
