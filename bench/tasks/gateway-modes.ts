/**
 * The modes behind the gateway. In a world that tasks share, all of them search before any of them runs, and all run
 * before any is kept: what one task leaves behind (an intent, a kept tool) is not there for another.
 */
import type { Connection } from "./connection.ts";
import { startTokens, type Turn } from "./conversation.ts";
import type { Definition } from "./definitions.ts";
import { openGateway, type Exposure, type GatewayPlace } from "./gateway.ts";
import { createKept, type Kept } from "./kept.ts";
import { browse, execute, exposedName, neededBy, searchFor, type Search } from "./meta-tools.ts";
import { cheaper, outcomeOf, repeat, REPEATS, type Conversation, type Mode, type Report } from "./outcome.ts";
import { runChecked } from "./server-modes.ts";
import type { Task } from "./task.ts";
import type { World } from "./world.ts";

/** What is there before a conversation begins. */
interface Start {
  readonly tools: readonly Definition[];
  readonly tokens: number;
}

export async function runGatewayModes(
  world: World,
  place: GatewayPlace,
  modes: readonly Mode[],
  report: Report,
): Promise<void> {
  for (const exposure of ["lean", "full", "auto"] as const) {
    const keeps = exposure === "lean" && (modes.includes("kept") || modes.includes("kept of 20"));
    if (!modes.includes(exposure) && !keeps) continue;
    const gateway = await openGateway(place, exposure);
    try {
      await runExposure(gateway, world, exposure, modes, report);
    } finally {
      await gateway.close();
    }
  }
}

async function runExposure(
  gateway: Connection,
  world: World,
  exposure: Exposure,
  modes: readonly Mode[],
  report: Report,
): Promise<void> {
  const tools = await gateway.listTools();
  const start: Start = { tools, tokens: startTokens(tools, gateway.instructions) };
  const conversations = await runTasks(gateway, world, start, (task, error) =>
    report.failure(task.id, exposure, error),
  );
  const kept = createKept(gateway);
  if (exposure === "lean") await keepAll(kept, [...conversations.keys()], modes, report);
  for (const [task, conversation] of conversations) {
    const shown: [Mode, Conversation | undefined][] = [
      [exposure, kept.repeats(task, conversation)],
      ["kept", kept.alone(task, start.tokens)],
      ["kept of 20", kept.ofMany(task, start.tokens)],
    ];
    for (const [mode, one] of shown) {
      if (one !== undefined && modes.includes(mode))
        report.outcome(outcomeOf(task.id, mode, world.size, one));
    }
  }
}

async function keepAll(
  kept: Kept,
  tasks: readonly Task[],
  modes: readonly Mode[],
  report: Report,
): Promise<void> {
  for (const task of tasks) {
    try {
      await kept.keep(task);
    } catch (error) {
      report.failure(task.id, "kept", error);
    }
  }
  if (modes.includes("kept of 20") && tasks.length > 0) await kept.fill(tasks);
}

async function runTasks(
  gateway: Connection,
  { tasks }: World,
  start: Start,
  failed: (task: Task, error: unknown) => void,
): Promise<Map<Task, Conversation>> {
  const searches = new Map<Task, Search>();
  const knows = (task: Task): boolean => neededBy(task).every((name) => isListed(start, name));
  const conversations = new Map<Task, Conversation>();
  const each = async (step: (task: Task) => Promise<void>): Promise<void> => {
    for (const task of tasks) await step(task).catch((error: unknown) => failed(task, error));
  };
  await each(async (task) => {
    if (knows(task)) return;
    if (!isListed(start, "browse_components")) throw new Error("neither its tools nor a search is listed");
    searches.set(task, await searchFor(task, (query) => browse(gateway, query)));
  });
  await each(async (task) => {
    const search = searches.get(task);
    if (search !== undefined) conversations.set(task, await runSearched(gateway, task, start, search));
    else if (knows(task)) conversations.set(task, await runListed(gateway, task, start));
  });
  return conversations;
}

/** The model knows no tool but the meta-tools: it searches, and runs code. */
async function runSearched(
  gateway: Connection,
  task: Task,
  start: Start,
  search: Search,
): Promise<Conversation> {
  const runs: Turn[] = [];
  for (let round = 0; round < REPEATS; round++) runs.push({ calls: [await execute(gateway, task)] });
  const once = [...search.turns, runs[0]!];
  return { start: start.tokens, once, repeated: [...search.turns, ...runs], search };
}

/**
 * The model has all definitions: it calls a tool for one call, runs code for a loop, and takes the cheaper way else.
 * Where it is not told that code can be run, it calls.
 */
async function runListed(gateway: Connection, task: Task, start: Start): Promise<Conversation> {
  const tools = {
    nameOf: exposedName,
    call: (server: string, tool: string, args: Parameters<Connection["call"]>[1]) =>
      gateway.call(exposedName(server, tool), args),
  };
  const calls = async (): Promise<readonly Turn[]> => (await runChecked(task, tools)).turns;
  const code = async (): Promise<readonly Turn[]> => [{ calls: [await execute(gateway, task)] }];
  const ways = {
    one: calls,
    loop: code,
    sequence: async () => cheaper(start.tokens, await calls(), await code()),
  };
  const once = await (isListed(start, "execute") ? ways[task.kind] : calls)();
  return { start: start.tokens, once, repeated: repeat(once, REPEATS) };
}

function isListed({ tools }: Start, wanted: string): boolean {
  return tools.some(({ name }) => name === wanted);
}
