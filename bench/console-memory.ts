/** What an idle gateway holds while nobody looks at it, beside another build of it. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { quantile } from "./figures.ts";
import { startGateway } from "./http-servers.ts";
import { printGoal } from "./http-table.ts";
import { CAN_LOOK, residentMb } from "./sandbox-processes.ts";

const ROUNDS = 7;
/** Long enough for everything that a start leaves to be done later. */
const QUIET_MS = 1_500;
const MORE_MB_MAX = 3;

export async function benchConsoleMemory(
  bin: string,
  other: string | undefined,
  folder: string,
): Promise<void> {
  if (!CAN_LOOK) return console.log("\nMemory: skipped, only Linux tells what a process has");
  const builds = [
    { name: "this build", bin },
    ...(other === undefined ? [] : [{ name: "the other build", bin: other }]),
  ];
  const found = builds.map(({ name }) => ({ name, values: [] as number[] }));
  // They take turns, so that a noisy moment meets both.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [at, build] of builds.entries())
      found[at]!.values.push(await idleMb(build.bin, join(folder, `${at}-${round}`)));
  console.log("\nMemory of an idle gateway that nobody looks at (resident)");
  for (const { name, values } of found) {
    const [low, middle, high] = [0, 0.5, 1].map((q) => quantile(values, q).toFixed(1));
    console.log(`  ${name.padEnd(20)} p50 ${middle} MB, from ${low} to ${high} MB`);
  }
  const [own, before] = found.map(({ values }) => quantile(values, 0.5));
  if (own === undefined || before === undefined) return;
  console.log(`  ratio ${(own / before).toFixed(3)}`);
  printGoal(`at most ${MORE_MB_MAX} MB more`, own - before <= MORE_MB_MAX, `${(own - before).toFixed(1)} MB`);
}

async function idleMb(bin: string, folder: string): Promise<number> {
  const gateway = await startGateway(bin, folder);
  try {
    await pause(QUIET_MS);
    return residentMb(gateway.pid);
  } finally {
    await gateway.close();
  }
}
