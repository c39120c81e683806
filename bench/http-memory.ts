/** What a gateway that nobody uses takes, and whether a hundred thousand calls leave something behind. */
import { setTimeout as pause } from "node:timers/promises";
import type { CrowdProcess } from "./http-crowd.ts";
import { ofGateway, startGateway } from "./http-servers.ts";
import { printGoal } from "./http-table.ts";
import { CAN_LOOK, residentMb } from "./sandbox-processes.ts";

const IDLE_MB_MAX = 95;
/** After the last look. */
const LOADED_MB_MAX = 200;
/** After how many calls is looked. */
const LOOKS = [10_000, 50_000, 100_000];
/** From there to the end. The collector lets a heap swing by some megabytes; what leaks with each call shows beyond that. */
const GROWTH_PERCENT_MAX = 5;
const UNDER_WAY = 32;
const QUIET_MS = 1_500;

export async function benchMemory(crowds: CrowdProcess, bin: string, folder: string) {
  if (!CAN_LOOK) {
    console.log("\nMemory: skipped, only Linux tells what a process has");
    return undefined;
  }
  const gateway = await startGateway(bin, folder);
  const look = async (): Promise<number> => {
    await pause(QUIET_MS);
    return residentMb(gateway.pid);
  };
  try {
    console.log("\nMemory of the gateway (resident, after a moment of quiet)");
    const idleMb = await look();
    const legacy = await crowds.open(ofGateway(gateway, "legacy"), 1);
    const modern = await crowds.open(ofGateway(gateway, "modern"), 1);
    await legacy.measure(1, 1);
    console.log(
      `  after the start ${idleMb.toFixed(1)} MB, after a first call ${(await look()).toFixed(1)} MB`,
    );
    printGoal(`idle below ${IDLE_MB_MAX} MB`, idleMb < IDLE_MB_MAX, `${idleMb.toFixed(1)} MB`);
    const seen: number[] = [];
    let made = 0;
    for (const until of LOOKS) {
      const half = (until - made) / 2;
      await legacy.measure(half, UNDER_WAY);
      await modern.measure(half, UNDER_WAY);
      made = until;
      seen.push(await look());
      console.log(`  after ${until} calls of both eras ${seen.at(-1)!.toFixed(1)} MB`);
    }
    const growth = 100 * (seen.at(-1)! / seen.at(-2)! - 1);
    const goal = `at most ${GROWTH_PERCENT_MAX} % more after ${LOOKS.at(-1)} calls than after ${LOOKS.at(-2)}`;
    printGoal(goal, growth <= GROWTH_PERCENT_MAX, `${growth.toFixed(1)} %`);
    const loadedMb = seen.at(-1)!;
    const size = `at most ${LOADED_MB_MAX} MB after ${LOOKS.at(-1)} calls`;
    printGoal(size, loadedMb <= LOADED_MB_MAX, `${loadedMb.toFixed(1)} MB`);
    return { idleMb, afterCallsMb: Object.fromEntries(LOOKS.map((calls, at) => [calls, seen[at]!])) };
  } finally {
    await gateway.close();
  }
}
