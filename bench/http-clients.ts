/** Many clients, each with a session, an open stream and one call after another; and what each takes of the server's memory. */
import { setTimeout as pause } from "node:timers/promises";
import type { CrowdProcess, Target } from "./http-crowd.ts";
import { ofBare, ofGateway, startBare, startGateway, type RunningServer } from "./http-servers.ts";
import {
  addMeasured,
  emptyFigures,
  printHttpFigures,
  type HttpFigures,
  type HttpSummaries,
} from "./http-table.ts";
import { residentMb } from "./sandbox-processes.ts";

const CLIENT_COUNTS = [1, 32, 256];
const CALLS = 2_000;
const WARM_UP_CALLS = 2_000;
/** What a server frees, it frees soon after it has become quiet. */
const QUIET_MS = 1_000;

interface Kind {
  readonly name: string;
  start(folder: string): Promise<RunningServer>;
  target(server: RunningServer): Target;
}

export async function benchClients(crowds: CrowdProcess, bin: string, folder: string) {
  const kinds: readonly Kind[] = [
    {
      name: "repertoire, legacy sessions and streams",
      start: (home) => startGateway(bin, home),
      target: (server) => ofGateway(server, "legacy"),
    },
    {
      name: "repertoire, modern",
      start: (home) => startGateway(bin, home),
      target: (server) => ofGateway(server, "modern"),
    },
    {
      name: "bare SDK 1, legacy sessions and streams",
      start: () => startBare("http-bare-first.mjs"),
      target: (server) => ofBare(server, "legacy"),
    },
    {
      name: "bare SDK 2, modern",
      start: () => startBare("http-bare-second.mjs"),
      target: (server) => ofBare(server, "modern"),
    },
  ];
  const figures: Record<string, HttpSummaries> = {};
  for (const count of CLIENT_COUNTS) {
    const all: HttpFigures[] = [];
    const memory: string[] = [];
    for (const kind of kinds) {
      const { figures: own, kbEach } = await measureClients(
        crowds,
        kind,
        count,
        `${folder}/${all.length}-${count}`,
      );
      all.push(own);
      if (count > 1) memory.push(`${kind.name} ${kbEach.toFixed(0)} KB`);
    }
    figures[count] = printHttpFigures(
      `${count} client${count === 1 ? "" : "s"}, each with one call at a time`,
      all,
    );
    if (memory.length > 0) console.log(`  memory for each client that has opened: ${memory.join("; ")}`);
  }
  return figures;
}

/** A server of its own, so that nobody before has filled its memory. */
async function measureClients(crowds: CrowdProcess, kind: Kind, count: number, folder: string) {
  const server = await kind.start(folder);
  try {
    const warm = await crowds.open(kind.target(server), 1);
    await warm.measure(WARM_UP_CALLS, 32);
    await pause(QUIET_MS);
    const before = residentMb(server.pid);
    const crowd = await crowds.open(kind.target(server), count);
    // A modern client opens its connection with its first call.
    await crowd.measure(count, 1);
    await pause(QUIET_MS);
    const kbEach = Math.max(0, (1024 * (residentMb(server.pid) - before)) / count);
    const figures = emptyFigures(kind.name);
    addMeasured(figures, await crowd.measure(CALLS, 1));
    await crowd.close();
    await warm.close();
    return { figures, kbEach };
  } finally {
    await server.close();
  }
}
