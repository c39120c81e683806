/** Random interleavings of lists, changes, decisions and calls; `npm run soak pins` plays 10,000. */
import { expect, it } from "vitest";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { playInterleaving, WAYS, type InterleavingEnd } from "./rig/pin-interleaving.ts";
import { createRandom } from "./rig/random.ts";

const COUNT = Number(process.env["PIN_INTERLEAVINGS"] ?? 200);
const SEED = Number(process.env["PIN_INTERLEAVING_SEED"] ?? 20_261_117);

it(
  `T097: in ${COUNT} interleavings on one store no way reaches what is held, and lists have what may be used`,
  { timeout: Math.max(120_000, COUNT * 1_000) },
  async () => {
    console.log(`PIN_INTERLEAVING_SEED=${SEED}`);
    const total = { rounds: 0, uses: 0, refused: 0, made: 0, approvals: 0, rejections: 0 };
    const wrong: string[] = [];
    const store = await openSqliteStore({ home: temporaryFolder() });
    for (let at = 0; at < COUNT && wrong.length === 0; at++) {
      const end: InterleavingEnd = await playInterleaving(store, `s${at}`, createRandom(SEED + at));
      for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += end[key];
      if (end.wrong.length > 0) wrong.push(`PIN_INTERLEAVING_SEED=${SEED + at}`, ...end.wrong);
    }
    await store.close();
    console.log(`${COUNT} interleavings over ${Object.keys(WAYS).length} ways: ${JSON.stringify(total)}`);
    expect(wrong).toEqual([]);
    expect(total.refused).toBeGreaterThan(COUNT / 4);
    expect(total.made).toBeGreaterThan(COUNT / 4);
  },
);
