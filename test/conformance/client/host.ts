/**
 * Plays scenarios for the suite's client processes. The suite starts all of them at once, and answers nobody while it does so. A process
 * that does nothing but ask here costs little; here all are awaited first, and then only a few play at a time, so that none of them
 * runs into a time limit because of the others.
 */
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createTemporaryFolder } from "../temporary-folder.ts";
import { readLine, type Outcome } from "./ask-host.ts";
import { playScenario, type Scenario } from "./play-scenario.ts";

/** As many as there are cores on a small machine. */
const AT_ONCE_MAX = 2;

type Run = <T>(work: () => Promise<T>) => Promise<T>;

export interface ClientHost {
  /** The address for `askHost`. */
  readonly socket: string;
  close(): Promise<void>;
}

/** Begins to play when so many have asked. */
export async function startClientHost(clientCount: number): Promise<ClientHost> {
  const folder = createTemporaryFolder();
  const socket = join(folder.path, "host.sock");
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  const queue = createQueue(AT_ONCE_MAX);
  const run: Run = async (work) => {
    await complete;
    return queue(work);
  };
  let arrivedCount = 0;
  const server = createServer((connection) => {
    if (++arrivedCount === clientCount) resolve();
    // A process that the suite has given up is no longer there to be told.
    connection.on("error", () => {});
    void answer(connection, run);
  });
  server.listen(socket);
  await once(server, "listening");
  return {
    socket,
    async close() {
      server.close();
      await once(server, "close");
      folder.remove();
    },
  };
}

async function answer(connection: Socket, run: Run): Promise<void> {
  const scenario = (await readLine(connection)) as Scenario;
  const outcome = await run(() => playSafely(scenario));
  // The suite keeps what its clients print to itself.
  if (outcome.isError) console.error(`${scenario.name}: ${outcome.lines.join("\n")}`);
  connection.end(`${JSON.stringify(outcome)}\n`);
}

export async function playSafely(scenario: Scenario): Promise<Outcome> {
  try {
    return { isError: false, lines: await playScenario(scenario) };
  } catch (error) {
    return {
      isError: true,
      lines: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    };
  }
}

function createQueue(limit: number): Run {
  let free = limit;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free--;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
