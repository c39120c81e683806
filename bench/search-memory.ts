/** What an index takes to build and to keep, each in a process of its own, so that nothing else is counted. */
import { execFileSync } from "node:child_process";
import { dataFolder, fillSet, loadBenchData } from "./search-data.ts";
import { buildSystem } from "./search-quality.ts";
import type { SearchSystem } from "./search-systems.ts";

export interface Footprint {
  readonly toolCount: number;
  readonly buildMs: number;
  /** The growth of the heap and of what lies beside it, after the garbage is gone. */
  readonly bytes: number;
}

/** Starts the given entry anew; there it comes to `printFootprint`. */
export function measureFootprint(entry: string, system: string, size: number): Footprint {
  const args = ["--expose-gc", entry, "--footprint", system, String(size)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Footprint;
}

export function printFootprint(create: () => SearchSystem, size: number): void {
  const data = loadBenchData(dataFolder())!;
  const { tools } = fillSet(data, data.sets[0]!, size);
  const before = keptBytes();
  const startedAt = performance.now();
  const system = buildSystem(create, tools);
  const buildMs = performance.now() - startedAt;
  const bytes = keptBytes() - before + (system.foreignBytes?.() ?? 0);
  system.close?.();
  console.log(JSON.stringify({ toolCount: tools.length, buildMs, bytes } satisfies Footprint));
}

function keptBytes(): number {
  // The second finds what the first one's finalizers let go.
  globalThis.gc!();
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
