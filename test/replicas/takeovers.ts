/**
 * An owner writes in the moment in which another takes over its run. Whoever took over reads the journal and goes on from it, so nothing
 * may come into it afterwards: a write of the old owner is in what the new one read, or it is nowhere and was refused.
 */
import {
  INLINE_RESULT_BYTES_MAX,
  type Lease,
  type Run,
  type Step,
  type Store,
} from "../../src/core/store.ts";
import { createRandom } from "../rig/random.ts";
import type { Outcome } from "./case.ts";
import { LEASE_MS, leaseOf, newRunOf, recordedStep } from "./journal-work.ts";
import { firstOf } from "./terminated.ts";

const LARGE = { text: "x".repeat(INLINE_RESULT_BYTES_MAX) };
const OPENED = { key: "opened", seq: 1, tool: "t", args: {} };
const END = { status: "succeeded", result: 1, endSeq: 2, clockAt: 1, finishedAt: 2 } as const;
/** Around the time that a write takes, so that each order of the two happens often. */
const HEAD_START_MS_MAX = 3;
const AT_ONCE = 8;

interface Write {
  readonly make: (store: Store, lease: Lease) => Promise<boolean>;
  /** Whether the journal has it; absent where it writes no step. */
  readonly isIn?: (steps: readonly Step[]) => boolean;
}

const hasNew = (steps: readonly Step[]): boolean => steps.some(({ key }) => key === "k");
const isClosed = (steps: readonly Step[]): boolean => steps.some(({ status }) => status === "succeeded");

const WRITES: Readonly<Record<string, Write>> = {
  record: { make: (store, lease) => store.runs.recordStep(lease, recordedStep("k", 3)), isIn: hasNew },
  large: {
    make: (store, lease) => store.runs.recordStep(lease, { ...recordedStep("k", 3), result: LARGE }),
    isIn: hasNew,
  },
  several: {
    make: (store, lease) => store.runs.recordSteps(lease, [recordedStep("j", 3), recordedStep("k", 5)]),
    isIn: hasNew,
  },
  open: { make: (store, lease) => store.runs.openStep(lease, { ...OPENED, key: "k", seq: 3 }), isIn: hasNew },
  close: { make: (store, lease) => store.runs.closeStep(lease, OPENED.key, END), isIn: isClosed },
  "close, large": {
    make: (store, lease) => store.runs.closeStep(lease, OPENED.key, { ...END, result: LARGE }),
    isIn: isClosed,
  },
  finish: { make: (store, lease) => store.runs.finish(lease, { status: "succeeded", result: 1 }) },
  pause: { make: (store, lease) => store.runs.finish(lease, { status: "paused" }) },
  renew: { make: (store, lease) => store.runs.renew(lease, LEASE_MS) },
};

export async function takeovers(
  [owner, claimant]: readonly [Store, Store],
  { pairCount, seed }: { readonly pairCount: number; readonly seed: number },
): Promise<Outcome> {
  const random = createRandom(seed);
  const zombies: string[] = [];
  const counts = { written: 0, refused: 0, notTaken: 0 };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next++ < pairCount) {
      const made = await takeOver(owner, claimant, random);
      if (made.zombie !== undefined) zombies.push(made.zombie);
      counts[made.kind]++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { written, refused, notTaken } = counts;
  return {
    done: `${pairCount} random pairs of a claim and a write (seed ${seed})`,
    figures:
      `${zombies.length} zombie rows; ${written} writes came first, ${refused} were refused, ` +
      `${notTaken} runs had ended before the claim${firstOf(zombies)}`,
    // Where one of the two always comes first, nothing was tried.
    isMet: zombies.length === 0 && written > 0 && refused > 0,
  };
}

interface Made {
  readonly kind: "written" | "refused" | "notTaken";
  readonly zombie?: string;
}

async function takeOver(owner: Store, claimant: Store, random: () => number): Promise<Made> {
  const run = await owner.runs.start(newRunOf("pair"), "old", LEASE_MS);
  await owner.runs.openStep(leaseOf(run), OPENED);
  const names = Object.keys(WRITES);
  const name = names[Math.floor(random() * names.length)]!;
  const write = WRITES[name]!;
  const [ownerMs, claimantMs] = [random() * HEAD_START_MS_MAX, random() * HEAD_START_MS_MAX];
  const [isWritten, seen] = await Promise.all([
    later(ownerMs, () => write.make(owner, leaseOf(run))),
    later(claimantMs, () => claimAndRead(claimant, run)),
  ]);
  const kind = seen === undefined ? "notTaken" : isWritten ? "written" : "refused";
  const problem = seen === undefined ? (isWritten ? undefined : "no one has the run") : await compare(seen);
  return { kind, ...(problem !== undefined && { zombie: `${name} of ${run.id}: ${problem}` }) };

  async function compare(read: Seen): Promise<string | undefined> {
    if (JSON.stringify(read) !== JSON.stringify(await look(claimant, run.id)))
      return "changed after it was read";
    if (write.isIn === undefined || write.isIn(read.steps) === isWritten) return undefined;
    return isWritten ? "acknowledged and not there" : "refused and there";
  }
}

interface Seen {
  readonly run: Run | undefined;
  readonly steps: readonly Step[];
}

async function claimAndRead(store: Store, run: Run): Promise<Seen | undefined> {
  const claimed = await store.runs.claim(run.id, "new", LEASE_MS, { gone: "old" });
  return claimed === undefined ? undefined : look(store, run.id);
}

async function look(store: Store, runId: string): Promise<Seen> {
  return { run: await store.runs.find(runId), steps: await store.runs.steps(runId) };
}

async function later<T>(ms: number, work: () => Promise<T>): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return work();
}
