/** Runs tasks in worlds of several sizes: each world is connected once for each mode. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Definitions } from "./definitions.ts";
import { warm } from "./gateway.ts";
import { runGatewayModes } from "./gateway-modes.ts";
import type { Mode, Outcome, Report } from "./outcome.ts";
import { runServerModes } from "./server-modes.ts";
import type { Task } from "./task.ts";
import { worldsOf, writeWorld, type World } from "./world.ts";

/** As many as there are cores on a small machine: each world has a gateway and its servers. */
const WORLDS_AT_ONCE = 2;

export interface TaskBench {
  readonly bin: string;
  readonly definitions: Definitions;
  readonly tasks: readonly Task[];
  readonly sizes: readonly number[];
  readonly modes: readonly Mode[];
}

export interface TaskResults {
  readonly outcomes: readonly Outcome[];
  readonly failures: readonly string[];
}

export async function runTaskBench(bench: TaskBench): Promise<TaskResults> {
  const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
  const outcomes: Outcome[] = [];
  const failures: string[] = [];
  // The largest first: no core is left with one of them at the end.
  const worlds = bench.sizes
    .toSorted((one, other) => other - one)
    .flatMap((size) => worldsOf(bench.definitions, bench.tasks, size));
  const waiting = worlds.entries();
  const work = async (): Promise<void> => {
    for (const [index, world] of waiting) {
      try {
        await runWorld(bench, world, join(folder, String(index)), {
          outcome: (outcome) => void outcomes.push(outcome),
          failure: (task, mode, error) =>
            void failures.push(`${task}, ${mode}, ${world.size} tools: ${wordsOf(error)}`),
        });
      } catch (error) {
        const whose = world.tasks.map(({ id }) => id).join(", ");
        failures.push(`${whose}, ${world.size} tools: ${wordsOf(error)}`);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: WORLDS_AT_ONCE }, work));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { outcomes, failures };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function runWorld(bench: TaskBench, world: World, folder: string, report: Report): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const servers = writeWorld(world, bench.definitions, folder);
  const isOurs = (mode: Mode): boolean => mode !== "direct" && mode !== "client search";
  if (!bench.modes.every(isOurs)) await runServerModes(world, servers, bench.modes, report);
  if (bench.modes.some(isOurs)) {
    const place = { bin: bench.bin, folder, servers };
    await warm(place);
    await runGatewayModes(world, place, bench.modes, report);
  }
}
