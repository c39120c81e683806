/** The modes without a gateway: the client is connected to every server of the world itself. */
import { isDeepStrictEqual } from "node:util";
import { createClientSearch, type ClientSearch } from "./client-search.ts";
import { connect, type Connection } from "./connection.ts";
import { startTokens, type Turn } from "./conversation.ts";
import { runDirectly, type DirectRun, type DirectTools } from "./direct-run.ts";
import { exposedName, searchFor } from "./meta-tools.ts";
import { outcomeOf, repeat, REPEATS, type Conversation, type Mode, type Report } from "./outcome.ts";
import type { Task } from "./task.ts";
import type { ServerEntry, World } from "./world.ts";

export async function runServerModes(
  world: World,
  entries: Readonly<Record<string, ServerEntry>>,
  modes: readonly Mode[],
  report: Report,
): Promise<void> {
  const servers = new Map<string, Connection>();
  try {
    for (const [id, entry] of Object.entries(entries)) servers.set(id, await connect(entry));
    const lists = await Promise.all(
      [...servers].map(async ([id, server]) =>
        (await server.listTools()).map((definition) => ({
          name: exposedName(id, definition.name),
          definition,
        })),
      ),
    );
    const offered = lists.flat();
    const listed = startTokens(offered.map(({ definition }) => definition));
    const search = createClientSearch(offered);
    const tools: DirectTools = {
      nameOf: (_server, tool) => tool,
      call: (server, tool, args) => servers.get(server)!.call(tool, args),
    };
    for (const task of world.tasks) {
      try {
        const { turns } = await runChecked(task, tools);
        const direct = { start: listed, once: turns, repeated: repeat(turns, REPEATS) };
        if (modes.includes("direct")) report.outcome(outcomeOf(task.id, "direct", world.size, direct));
        if (!modes.includes("client search")) continue;
        const searched = await searchedOf(task, search, turns);
        report.outcome(outcomeOf(task.id, "client search", world.size, searched));
      } catch (error) {
        report.failure(task.id, "direct", error);
      }
    }
  } finally {
    await Promise.all([...servers.values()].map((server) => server.close()));
  }
}

async function searchedOf(task: Task, client: ClientSearch, turns: readonly Turn[]): Promise<Conversation> {
  const search = await searchFor(task, (query) => client.ask(query));
  return {
    start: client.start,
    once: [...search.turns, ...turns],
    repeated: [...search.turns, ...repeat(turns, REPEATS)],
    search,
  };
}

/** Makes the calls, and throws where they are not those of the task or do not lead to its result. */
export async function runChecked(task: Task, tools: DirectTools): Promise<DirectRun> {
  const run = await runDirectly(task, tools);
  if (!isDeepStrictEqual(run.result, task.result)) {
    throw new Error(`the calls gave ${JSON.stringify(run.result)}`);
  }
  const made = run.turns.flatMap(({ calls }) => calls).length;
  if (made !== task.calls.length) throw new Error(`${made} of ${task.calls.length} calls were made`);
  return run;
}
