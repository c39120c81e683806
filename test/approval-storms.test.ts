/** Storms of kills with approvals in the run; `npm run soak approvals` plays many. */
import { expect, it } from "vitest";
import { playStorm, type StormEnd } from "./rig/approval-storm.ts";
import { createRandom } from "./rig/random.ts";

/** A soak raises the number and changes the seed; a failure's seed repeats its choices, as far as moments can be. */
const STORM_COUNT = Number(process.env["APPROVAL_STORMS"] ?? 2);
const SEED = Number(process.env["APPROVAL_STORM_SEED"] ?? 20_261_117);
const STORMS_AT_ONCE = 2;
/** Up to a dozen gateways and as many commands, on a busy machine. */
const STORM_MS_MAX = 180_000;

const isWindows = process.platform === "win32";

it.skipIf(isWindows)(
  `S3: ${STORM_COUNT} storms of kills and doubled answers repeat no payment, lose none, and approve none unseen`,
  { timeout: STORM_COUNT * STORM_MS_MAX },
  async () => {
    console.log(`APPROVAL_STORM_SEED=${SEED}`);
    const ends: StormEnd[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < STORM_COUNT; at = next++) {
        ends[at] = await playStorm(createRandom(SEED + at)).catch((error: unknown) => {
          throw new Error(`the storm of APPROVAL_STORM_SEED=${SEED + at}`, { cause: error });
        });
        if ((at + 1) % 50 === 0) console.log(`${at + 1} storms: ${JSON.stringify(totalOf(ends))}`);
      }
    };
    await Promise.all(Array.from({ length: STORMS_AT_ONCE }, work));
    const total = totalOf(ends);
    console.log(`${STORM_COUNT} storms: ${JSON.stringify(total)}`);
    expect(total).toMatchObject({ repeated: 0, lost: 0, unseen: 0 });
    expect(total.byClient + total.byCommand).toBeGreaterThanOrEqual(3 * STORM_COUNT);
  },
);

function totalOf(ends: readonly StormEnd[]): StormEnd {
  const total = {
    kills: 0,
    doubled: 0,
    byClient: 0,
    byCommand: 0,
    uncertain: 0,
    repeated: 0,
    lost: 0,
    unseen: 0,
  };
  // Storms that are still on have no end yet.
  for (const end of ends.filter(Boolean)) {
    for (const key of Object.keys(total) as (keyof StormEnd)[]) total[key] += end[key];
  }
  return total;
}
