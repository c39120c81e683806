import { expect, it, vi } from "vitest";
import type { FinishedStep } from "../../core/store.ts";
import { createReadRecords } from "./read-records.ts";

const LEASE = { runId: "r", fence: 1 };

function stepOf(n: number): FinishedStep {
  const at = { startedAt: 1, finishedAt: 2, endSeq: n * 2, clockAt: 2 };
  return { key: `k${n}`, seq: n, tool: "a__b", args: {}, status: "succeeded", result: n, ...at };
}

function createRecords(recordSteps: (steps: readonly FinishedStep[]) => Promise<boolean>) {
  const told: unknown[] = [];
  const ended: string[] = [];
  const records = createReadRecords({
    store: { recordSteps: (_lease, steps) => recordSteps(steps) },
    onLost: () => told.push("lost"),
    onBroken: (error) => told.push(error),
  });
  const add = (n: number): void => {
    const step = stepOf(n);
    records.add({ lease: LEASE, step, ended: () => ended.push(step.key) });
  };
  return { records, add, told, ended };
}

it("writes what waits together and in order, and the next ones behind it", async () => {
  const writes: string[][] = [];
  const gate = Promise.withResolvers<boolean>();
  const { records, add, ended } = createRecords((steps) => {
    writes.push(steps.map(({ key }) => key));
    return gate.promise;
  });
  for (const n of [1, 2]) add(n);
  const first = records.flush();
  add(3);
  const both = records.flush();
  await Promise.resolve();
  expect([writes, ended]).toEqual([[["k1", "k2"]], []]);
  gate.resolve(true);
  expect([await first, await both]).toEqual([true, true]);
  expect(writes).toEqual([["k1", "k2"], ["k3"]]);
  expect(ended).toEqual(["k1", "k2", "k3"]);
  expect(await records.flush()).toBe(true);
  expect(writes).toHaveLength(2);
});

it("writes by itself, and together what comes together", async () => {
  const counts: number[] = [];
  const { add } = createRecords(async (steps) => counts.push(steps.length) > 0);
  add(1);
  await vi.waitFor(() => expect(counts).toEqual([1]));
  for (const n of [2, 3, 4]) add(n);
  await vi.waitFor(() => expect(counts).toEqual([1, 3]));
});

it("tells once that the run is another's, and writes nothing more", async () => {
  let count = 0;
  const { records, add, told, ended } = createRecords(async () => count++ > 99);
  add(1);
  expect(await records.flush()).toBe(false);
  add(2);
  expect(await records.flush()).toBe(false);
  expect([count, told, ended]).toEqual([1, ["lost"], ["k1", "k2"]]);
});

it("tells of a store that fails, and writes nothing more", async () => {
  const error = new Error("The disk is gone.");
  const { records, add, told } = createRecords(() => Promise.reject(error));
  add(1);
  expect(await records.flush()).toBe(false);
  add(2);
  expect(await records.flush()).toBe(false);
  expect(told).toEqual([error]);
});
