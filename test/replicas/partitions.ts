/**
 * A store and its database are parted in every way that a network knows, while runs are recorded: silence in one direction or in both,
 * ends that only one side hears of, a closed door. Each way is tried on a database of its own, all at the same time.
 */
import type { PostgresProxy } from "../rig/fault-proxy.ts";
import type { Postgres } from "../rig/postgres.ts";
import type { Outcome } from "./case.ts";
import { findGhosts, workInTurns } from "./journal-work.ts";
import { withProxy } from "./stores.ts";
import { firstOf } from "./terminated.ts";

const STEP_COUNT = 5;

interface Parting {
  readonly part: (proxy: PostgresProxy) => void;
  readonly join: (proxy: PostgresProxy) => void | Promise<void>;
}

const pass = (proxy: PostgresProxy): void => proxy.set("pass");

export const PARTINGS: Readonly<Record<string, Parting>> = {
  "hold both": { part: (proxy) => proxy.set("hold"), join: pass },
  "hold answers": { part: (proxy) => proxy.set({ toClient: "hold" }), join: pass },
  "drop both": { part: (proxy) => proxy.set("drop"), join: pass },
  "drop questions": { part: (proxy) => proxy.set({ toServer: "drop" }), join: pass },
  "drop answers": { part: (proxy) => proxy.set({ toClient: "drop" }), join: pass },
  "half-open, server gone": { part: (proxy) => proxy.halfOpen("client"), join: pass },
  "half-open, client gone": { part: (proxy) => proxy.halfOpen("server"), join: pass },
  "cut and refuse": {
    part(proxy) {
      proxy.refuse();
      proxy.cut();
    },
    join: (proxy) => proxy.listen(),
  },
};

export async function partitions(
  postgres: Postgres,
  { runCount, partedMs }: { readonly runCount: number; readonly partedMs: number },
): Promise<Outcome> {
  const all = await Promise.all(
    Object.entries(PARTINGS).map(([name, parting]) => partOnce(postgres, name, parting, runCount, partedMs)),
  );
  const wrong = all.flatMap((made) => made.wrong);
  const worst = all.reduce((one, other) => (one.worstMs > other.worstMs ? one : other));
  return {
    done: `${all.length} ways for ${partedMs / 1_000} s: ${Object.keys(PARTINGS).join(", ")}`,
    figures:
      `${all.reduce((sum, { doneCount }) => sum + doneCount, 0)} of ${all.length * runCount} runs, ${wrong.length} wrong, ` +
      `longest run ${(worst.worstMs / 1_000).toFixed(1)} s (${worst.name})${firstOf(wrong)}`,
    isMet: wrong.length === 0,
  };
}

function partOnce(
  postgres: Postgres,
  name: string,
  { part, join }: Parting,
  runCount: number,
  partedMs: number,
) {
  return withProxy(postgres, {}, async ({ proxy, faulty, beside }) => {
    const working = workInTurns([faulty], { runs: runCount, steps: STEP_COUNT, atOnce: 4 });
    // In the midst of it: some statements are under way.
    await proxy.onNext("beforeSend", countdown(runCount), async () => part(proxy)).caught;
    await new Promise((resolve) => setTimeout(resolve, partedMs));
    await join(proxy);
    const { ids, errors, worstMs } = await working;
    const ghosts = await findGhosts(beside, ids, STEP_COUNT);
    const lost = ids.length === runCount ? [] : [`${runCount - ids.length} runs are lost`];
    const wrong = [...errors, ...lost, ...ghosts].map((line) => `${name}: ${line}`);
    return { name, wrong, worstMs, doneCount: ids.length };
  });
}

function countdown(count: number): () => boolean {
  let left = count;
  return () => --left === 0;
}
