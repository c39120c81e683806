/**
 * Worlds: which servers with which tools are there. A world has the tools that its tasks need and as many others as
 * make its size: first others of the same servers, one of each in turn, then those of the next servers, in the order
 * of the file. So a task has the same world in every run, and a larger world is never an easier one.
 *
 * A world of five tools is one task's own. Larger ones are shared by as many tasks as fit, so that each is connected
 * once for each mode and not once for each task.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DefinedServer, Definitions } from "./definitions.ts";
import { toolsOf, type Task } from "./task.ts";

export interface World {
  readonly size: number;
  readonly tasks: readonly Task[];
  readonly servers: readonly WorldServer[];
}

interface WorldServer {
  readonly defined: DefinedServer;
  /** The names of those that are listed. */
  readonly tools: readonly string[];
}

/** How many tasks share a world of so many tools: few enough that their tools are a part of it. */
const TASKS_SHARING = [
  { upTo: 5, count: 1 },
  { upTo: 20, count: 5 },
  { upTo: 50, count: 15 },
  { upTo: Infinity, count: 45 },
];

export function worldsOf(definitions: Definitions, tasks: readonly Task[], size: number): World[] {
  const count = TASKS_SHARING.find(({ upTo }) => size <= upTo)!.count;
  return Array.from({ length: Math.ceil(tasks.length / count) }, (_, index) =>
    worldOf(definitions, tasks.slice(index * count, (index + 1) * count), size),
  );
}

function worldOf({ servers }: Definitions, tasks: readonly Task[], size: number): World {
  const chosen = new Map<string, Set<string>>();
  let total = 0;
  const add = (id: string, tool: string): void => {
    const tools = chosen.get(id) ?? new Set();
    if (!tools.has(tool)) total += 1;
    chosen.set(id, tools.add(tool));
  };
  for (const { server, tool } of tasks.flatMap(toolsOf)) add(server, tool);
  if (total > size) throw new Error(`${total} tools are needed in a world of ${size}`);
  for (const { id, tool } of fillers(servers, [...chosen.keys()])) if (total < size) add(id, tool);
  return {
    size,
    tasks,
    servers: servers.flatMap((defined) => {
      const tools = chosen.get(defined.id);
      return tools === undefined ? [] : [{ defined, tools: [...tools] }];
    }),
  };
}

function* fillers(servers: readonly DefinedServer[], needed: readonly string[]) {
  const own = servers.filter(({ id }) => needed.includes(id));
  yield* inTurn(own);
  const after = servers.indexOf(own.at(-1)!) + 1;
  const others = [...servers.slice(after), ...servers.slice(0, after)].filter(
    (server) => !own.includes(server),
  );
  for (const server of others) yield* inTurn([server]);
}

function* inTurn(servers: readonly DefinedServer[]) {
  const longest = Math.max(0, ...servers.map(({ tools }) => tools.length));
  for (let index = 0; index < longest; index++) {
    for (const { id, tools } of servers) {
      const tool = tools[index];
      if (tool !== undefined) yield { id, tool: tool.name };
    }
  }
}

const taskServer = join(import.meta.dirname, "../fixtures/task-server.mjs");

export interface ServerEntry {
  readonly command: string;
  readonly args: string[];
}

/** Writes what the servers of a world need, and says how each is started. */
export function writeWorld(
  world: World,
  definitions: Definitions,
  folder: string,
): Record<string, ServerEntry> {
  const file = join(folder, "world.json");
  const calls = world.tasks.flatMap((task) => task.calls);
  const servers = world.servers.map(({ defined: { id, server }, tools }) => [
    id,
    { server, tools, answers: calls.filter((call) => call.server === id) },
  ]);
  const content = { definitions: definitions.file, servers: Object.fromEntries(servers) as object };
  writeFileSync(file, JSON.stringify(content));
  return Object.fromEntries(
    world.servers.map(({ defined: { id } }) => [
      id,
      { command: process.execPath, args: [taskServer, file, id] },
    ]),
  );
}
