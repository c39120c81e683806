/** The things that pass between a client and a server, each tried in one cell: it passed if nothing is thrown. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../fixtures/temporary.ts";
import type { CellClient } from "./cell-client.ts";

export interface Cell {
  readonly client: CellClient;
  /** Its id in the config. */
  readonly server: string;
  /** Where the server keeps what it knows. */
  readonly folder: string;
  /** Of this cell, and of no other. */
  readonly key: string;
}

/** What went wrong in each cell; undefined where nothing did. */
export type Outcomes = ReadonlyMap<Cell, Error | undefined>;

type Try = (cell: Cell) => Promise<void>;

export const clockOf = (server: string): string => `repertoire://server/${server}/cell://clock`;

function requireEqual(actual: unknown, expected: unknown): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`got ${found} in place of ${wanted}`);
}

function requireIn(part: string, whole: string): void {
  if (!whole.includes(part)) throw new Error(`no ${part} in ${whole}`);
}

function questionsOf({ client, key }: Cell, method: string): string[] {
  return client.questions
    .filter((question) => question.method === method && question.text.includes(key))
    .map(({ text }) => text);
}

async function callTool({ client, server, key }: Cell): Promise<void> {
  requireEqual(await client.call(`${server}__echo`, key), `echo ${key}`);
}

async function hearProgress({ client, server, folder, key }: Cell): Promise<void> {
  const steps: number[] = [];
  const onProgress = (step: number): void => {
    steps.push(step);
    if (step === 3) writeFileSync(join(folder, `heard-${key}`), "");
  };
  await client.call(`${server}__report`, key, { onProgress });
  requireEqual(steps, [1, 2, 3]);
}

async function cancel({ client, server, folder, key }: Cell): Promise<void> {
  const abort = new AbortController();
  const isNoted = (line: string) => () => {
    const file = join(folder, "journal");
    return existsSync(file) && readFileSync(file, "utf8").split("\n").includes(`${line} ${key}`);
  };
  const ended = client.call(`${server}__wait`, key, { signal: abort.signal }).then(
    () => "answered",
    () => "cancelled",
  );
  await eventually("the call at the server", isNoted("started"));
  abort.abort();
  await eventually("the cancellation at the server", isNoted("cancelled"));
  requireEqual(await ended, "cancelled");
}

async function beElicited(cell: Cell): Promise<void> {
  const { client, server, key } = cell;
  const answer = await client.call(`${server}__ask`, key);
  requireIn(`${client.name} on ${key}`, answer);
  requireEqual(questionsOf(cell, "elicitation/create"), [key]);
}

async function sample(cell: Cell): Promise<void> {
  const { client, server, key } = cell;
  const answer = await client.call(`${server}__sample`, key);
  requireIn(`${client.name} on `, answer);
  requireEqual(questionsOf(cell, "sampling/createMessage").length, 1);
}

async function giveRoots({ client, server, key }: Cell): Promise<void> {
  requireIn(`file:///${client.name}`, await client.call(`${server}__roots`, key));
}

/** A legacy client's stream of what belongs to no call may not be open yet, so it is said again until it is heard. */
async function repeatUntil(what: string, isHeard: () => boolean, act: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 40 && !isHeard(); i++) {
    await act();
    await eventually(what, isHeard, 250).catch(() => {});
  }
  if (!isHeard()) throw new Error(`never heard ${what}`);
}

const isLog = ({ method }: { readonly method: string }): boolean => method === "notifications/message";

function isLogHeard({ client, key }: Cell): boolean {
  return client.notices.some((notice) => isLog(notice) && notice.params["data"] === key);
}

async function hearLog(cell: Cell): Promise<void> {
  const { client, server, key } = cell;
  await repeatUntil(
    "the log",
    () => isLogHeard(cell),
    () => client.call(`${server}__log`, key, { logLevel: "info" }),
  );
}

/** What a server logged during another client's call may be about that client; it comes after `hearLog` of all. */
async function hearNobodyElsesLog({ client, server, key }: Cell): Promise<void> {
  const others = client.notices
    .filter(isLog)
    .map(({ params }) => String(params["data"]))
    .filter((data) => data.endsWith(`_${server}`) && data !== key);
  requireEqual(others, []);
}

async function hearUpdate({ client, server, key }: Cell): Promise<void> {
  const isHeard = () =>
    client.notices.some(
      ({ method, params }) =>
        method === "notifications/resources/updated" && params["uri"] === clockOf(server),
    );
  await repeatUntil("the update", isHeard, () => client.call(`${server}__tick`, key));
}

/** Those that do not disturb each other. */
export const ROWS: Readonly<Record<string, Try>> = {
  "tools/call": callTool,
  progress: hearProgress,
  cancel,
  elicitation: beElicited,
  sampling: sample,
  roots: giveRoots,
  "log message": hearLog,
  "nobody else's log": hearNobodyElsesLog,
  "resource updated": hearUpdate,
};

/** One of the clients adds a tool; all of them are told, and then see it. */
export async function hearOfNewTool(cells: readonly Cell[]): Promise<Outcomes> {
  const { client: first, server, key } = cells[0]!;
  const isChange = ({ method }: { method: string }): boolean => method === "notifications/tools/list_changed";
  for (const { client } of cells) client.notices.length = 0;
  await first.call(`${server}__grow`, key);
  return tryEach(cells, async ({ client }) => {
    await eventually("the news", () => client.notices.some(isChange));
    requireIn(`"${server}__${key}"`, JSON.stringify(await client.toolNames()));
  });
}

/**
 * All clients are asked at once by each server, and none answers before every client of that server is asked: each has its own
 * question and no other.
 */
export async function beAskedAtOnce(cells: readonly Cell[]): Promise<Outcomes> {
  const asked = new Set<string>();
  const keyOf = ({ key }: Cell): string => `${key}-at-once`;
  const keysBeside = (text: string): string[] => {
    const server = cells.find((cell) => keyOf(cell) === text)?.server;
    return cells.filter((cell) => cell.server === server).map(keyOf);
  };
  const areAllAsked = (text: string): boolean => keysBeside(text).every((key) => asked.has(key));
  for (const { client } of cells) {
    client.beforeAnswer = async (text) => {
      asked.add(text);
      await eventually("everybody's question", () => areAllAsked(text)).catch(() => {});
    };
  }
  return tryEach(cells, async (cell) => {
    const key = keyOf(cell);
    await beElicited({ ...cell, key });
    if (!areAllAsked(key)) throw new Error(`not all were asked at once: ${[...asked].join(", ")}`);
    const others = cell.client.questions.filter(
      ({ text }) => text.endsWith("-at-once") && !text.startsWith(`${cell.client.name}_`),
    );
    requireEqual(others, []);
  });
}

/** What went wrong in each; undefined where nothing did. */
export async function tryEach(cells: readonly Cell[], attempt: Try): Promise<Outcomes> {
  const outcomes = cells.map(async (cell): Promise<[Cell, Error | undefined]> => {
    const problem = await attempt(cell).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    return [cell, problem];
  });
  return new Map(await Promise.all(outcomes));
}
