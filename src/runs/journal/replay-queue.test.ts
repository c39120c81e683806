import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonicalJson } from "../../core/json.ts";
import { createReplayQueue } from "./replay-queue.ts";
import { createTestRuns, cutShort, type TestRuns } from "../runs.testkit.ts";

/** Lets everything that is settled be heard of. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function watch(endSeqs: readonly number[]) {
  const queue = createReplayQueue(endSeqs);
  const gone: number[] = [];
  return {
    queue,
    gone,
    ask: (endSeq: number) => void queue.turn(endSeq, async () => endSeq).then(() => gone.push(endSeq)),
  };
}

describe("recorded answers", () => {
  it("go in the order in which they came, in whatever order they are asked for", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .uniqueArray(fc.nat(1000), { maxLength: 30 })
          .chain((seqs) => fc.tuple(fc.constant(seqs), shuffled(seqs))),
        async ([seqs, asked]) => {
          const { queue, gone, ask } = watch(seqs);
          asked.forEach(ask);
          await settled();
          expect(gone).toEqual(seqs.toSorted((a, b) => a - b));
          expect(queue.isEmpty).toBe(true);
        },
      ),
    );
  });

  it("wait for an earlier one that is still to be asked for", async () => {
    const { queue, gone, ask } = watch([1, 2, 3]);
    ask(3);
    ask(2);
    await settled();
    expect(gone).toEqual([]);
    ask(1);
    await settled();
    expect(gone).toEqual([1, 2, 3]);
    expect(queue.isEmpty).toBe(true);
  });

  it("do not wait for ever for one that corrected code does not ask for: the earliest goes when the guest waits", async () => {
    const { queue, gone, ask } = watch([1, 2, 3, 4]);
    ask(4);
    ask(2);
    queue.idle();
    await settled();
    expect(gone).toEqual([2]);
    queue.idle();
    await settled();
    expect(gone).toEqual([2, 4]);
    expect(queue.isEmpty).toBe(false);
  });

  it("still go to a caller that asks late", async () => {
    const { queue, gone, ask } = watch([1, 2]);
    ask(2);
    queue.idle();
    ask(1);
    await settled();
    expect(gone).toEqual([2, 1]);
    expect(queue.isEmpty).toBe(true);
  });

  it("go before new ones, whose numbers come after all that is on record", async () => {
    const { gone, ask } = watch([1, 2]);
    ask(3);
    ask(1);
    await settled();
    expect(gone).toEqual([1]);
    ask(2);
    await settled();
    expect(gone).toEqual([1, 2, 3]);
  });

  it("that nobody asks for hold no new one up: it goes when the guest waits, or waited before it came", async () => {
    const { queue, gone, ask } = watch([1]);
    ask(2);
    queue.idle();
    await settled();
    expect(gone).toEqual([2]);
    queue.idle();
    ask(3);
    ask(4);
    await settled();
    expect(gone).toEqual([2, 3]);
  });

  it("are delivered one after the other: one that takes long to read is not overtaken", async () => {
    const queue = createReplayQueue([1, 2]);
    const gone: number[] = [];
    const slow = Promise.withResolvers<number>();
    void queue.turn(1, () => slow.promise).then((endSeq) => gone.push(endSeq));
    void queue.turn(2, async () => 2).then((endSeq) => gone.push(endSeq));
    await settled();
    expect(gone).toEqual([]);
    slow.resolve(1);
    await settled();
    expect(gone).toEqual([1, 2]);
  });

  it("that are on their way when the guest says that it waits let no later one go before its turn", async () => {
    const { queue, gone, ask } = watch([1, 2, 3]);
    ask(3);
    ask(1);
    queue.idle();
    await settled();
    expect(gone).toEqual([1]);
  });

  it("that cannot be read fail their caller, and hold up none after them", async () => {
    const queue = createReplayQueue([1, 2]);
    const failing = queue.turn(1, () => Promise.reject(new Error("gone")));
    const next = queue.turn(2, async () => "next");
    await expect(failing).rejects.toThrow("gone");
    expect(await next).toBe("next");
  });

  it("are none at first in a run that goes on from nothing", () => {
    const { queue } = watch([]);
    queue.idle();
    expect(queue.isEmpty).toBe(true);
  });
});

function shuffled(seqs: readonly number[]): fc.Arbitrary<number[]> {
  return fc.shuffledSubarray([...seqs], { minLength: seqs.length, maxLength: seqs.length });
}

const folder = mkdtempSync(join(tmpdir(), "repertoire-test-"));
let first: TestRuns;
let second: TestRuns;
let world = createWorld([], Infinity);

beforeAll(async () => {
  [first, second] = await Promise.all([createTestRuns(folder), createTestRuns(folder)]);
  for (const kit of [first, second]) kit.addSource("shop", { buy: (args) => world.buy(args) });
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  rmSync(folder, { recursive: true, force: true });
});

/** A tool that takes its time, and from some call on never answers. */
function createWorld(delays: readonly number[], hangsAfter: number) {
  const hangs = Promise.withResolvers<void>();
  const answered: string[] = [];
  let count = 0;
  return {
    answered,
    hangs: hangs.promise,
    async buy(args: Record<string, unknown>): Promise<unknown> {
      const at = ++count;
      if (at > hangsAfter) {
        hangs.resolve();
        return new Promise(() => {});
      }
      for (let turns = delays[at % delays.length] ?? 0; turns > 0; turns--) await settled();
      answered.push(canonicalJson(args));
      return { at, ...(args["large"] === true && { text: "x".repeat(70_000) }) };
    },
  };
}

/** Programs whose every argument depends on all that they have heard so far, on the clock and on chance. */
const PRELUDE = `
let heard = 0, order = "";
const buy = async (name, large = false) => {
  const { at } = await mcp.shop.buy({ name, heard, order, at: Date.now(), id: Math.random(), large });
  heard++;
  order += name;
  return at;
};
`;

type Stage = readonly [kind: "all" | "race" | "chains", width: number, large: boolean];

function stageText([kind, width, large]: Stage, at: number): string {
  const names = Array.from({ length: width }, (_, i) => `s${at}n${i} `);
  if (kind === "chains") {
    const chains = names.map(
      (name) => `(async () => { for (const n of [1, 2, 3]) await buy("${name}" + n, ${large}) })()`,
    );
    return `await Promise.all([${chains.join(", ")}]);`;
  }
  const calls = names.map((name, i) => `buy("${name}", ${large && i % 2 === 0})`);
  return `await Promise.${kind}([${calls.join(", ")}]);`;
}

const stages = fc.array(
  fc.tuple(fc.constantFrom("all", "race", "chains"), fc.integer({ min: 1, max: 5 }), fc.boolean()),
  {
    minLength: 1,
    maxLength: 4,
  },
) as fc.Arbitrary<Stage[]>;

describe("a run that was cut short anywhere", () => {
  it("asks for every answer that is on record again, and makes none of those calls twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        stages,
        fc.array(fc.nat(6), { minLength: 1 }),
        fc.nat(99),
        async (plan, delays, cut) => {
          const code = `${PRELUDE}${plan.map(stageText).join("\n")}\nawait buy("end");\nreturn order;`;
          const callCount = plan.reduce((sum, [kind, width]) => sum + width * (kind === "chains" ? 3 : 1), 1);
          world = createWorld(delays, cut % callCount);
          const before = world;
          const id = await cutShort(first, folder, before.hangs, code);
          world = createWorld(delays.toReversed(), Infinity);
          const report = await second.resume(id, { uncertain: "retry" });
          const steps = await second.store.runs.steps(report.runId!);
          const taken = steps
            .filter(({ fromRunId }) => fromRunId !== null)
            .map(({ args }) => canonicalJson(args));
          expect(report.result.success).toBe(true);
          expect(world.answered.filter((args) => taken.includes(args))).toEqual([]);
          expect(report.calls.filter(({ isReplayed }) => isReplayed === true)).toHaveLength(taken.length);
        },
      ),
      { numRuns: 12, examples: [[[["all", 20, true]], [3, 0, 5], 17]] },
    );
  }, 60_000);
});
