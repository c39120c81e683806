import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { finishedOf, leaseOf, newRunOf } from "../testsuite/fixture.ts";
import { openHandle, type SqliteHandle } from "./sqlite-handle.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** What the file was told about its commits, from the first light one on. */
async function openNoted() {
  const told: string[] = [];
  const noting = (path: string): SqliteHandle => {
    const handle = openHandle(path);
    return new Proxy(handle, {
      get(target, name) {
        if (name !== "exec") return bound(target, name);
        return (text: string) => {
          if (text.includes("synchronous")) told.push(text);
          target.exec(text);
        };
      },
    });
  };
  const store = await openSqliteStore({ home: temporaryFolder(), openHandle: noting });
  onTestFinished(() => store.close());
  return { store, told };
}

function bound(target: SqliteHandle, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === "function" ? (value.bind(target) as unknown) : value;
}

const NORMAL = "pragma synchronous = normal";
const FULL = "pragma synchronous = full";

it("leaves light writes to the system, and brings every other write to disk", async () => {
  const { store, told } = await openNoted();
  const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 60_000));
  await store.runs.recordStep(lease, finishedOf(1), "process");
  await store.runs.recordStep(lease, finishedOf(2), "process");
  expect(told).toEqual([NORMAL]);
  await store.runs.recordStep(lease, finishedOf(3));
  await store.runs.record(newRunOf(), { status: "succeeded" }, "process");
  await store.runs.settle();
  expect(told).toEqual([NORMAL, FULL, NORMAL, FULL]);
  await store.runs.finish(lease, { status: "succeeded" });
  expect(told).toHaveLength(4);
  expect(await store.runs.steps(lease.runId)).toHaveLength(3);
});

it("keeps a large result of a light write in one transaction", async () => {
  const { store, told } = await openNoted();
  const lease = leaseOf(await store.runs.start(newRunOf(), "owner", 60_000));
  const result = "x".repeat(1024 * 1024);
  const step = { ...finishedOf(1), result };
  await store.runs.recordStep(lease, step, "process");
  expect(told).toEqual([NORMAL]);
  expect(await store.runs.stepResult(lease.runId, step.key)).toBe(result);
});
