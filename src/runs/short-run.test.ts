/**
 * When a run of code is put on record: before its first call, after a moment, or with its end; and what of it is on disk.
 */
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import type { RunStore } from "../core/store.ts";
import { createTestRuns, type TestDeps, type TestRuns } from "./runs.testkit.ts";

/** In capitals: on disk when it is acknowledged, with all that is before it. */
let writes: string[];
let kit: TestRuns;
/** What the record of reads waits for. */
let gate: (() => Promise<unknown>) | undefined;

const noting = (store: RunStore): RunStore => ({
  ...store,
  start: (...args) => noted(args[3] === "process" ? "start" : "START", store.start(...args)),
  record: (...args) => noted(args[2] === "process" ? "record" : "RECORD", store.record(...args)),
  finish: (...args) => noted(args[2] === "process" ? "finish" : "FINISH", store.finish(...args)),
  openStep: (...args) => noted("OPEN", store.openStep(...args)),
  closeStep: (...args) => noted("CLOSE", store.closeStep(...args)),
  recordStep: (...args) => noted("STEP", store.recordStep(...args)),
  recordSteps: async (...args) => {
    const name = `${args[1].length} ${args[2] === "process" ? "read" : "READ"}`;
    if (gate === undefined) return noted(name, store.recordSteps(...args));
    await gate();
    const isWritten = await store.recordSteps(...args);
    writes.push(name);
    return isWritten;
  },
  settle: () => noted("SETTLE", store.settle()),
});

function noted<T>(name: string, write: Promise<T>): Promise<T> {
  writes.push(name);
  return write;
}

beforeEach(() => open({ rowAfterMs: 60_000 }));
afterEach(() => kit.close());

async function open(deps: Pick<TestDeps, "rowAfterMs">): Promise<void> {
  writes = [];
  gate = undefined;
  const around = { around: noting, ...deps };
  kit = await createTestRuns(temporaryFolder(), undefined, undefined, undefined, around);
  kit.addSource(
    "notes",
    {
      read: async () => (await kit.store.runs.list(DEFAULT_SCOPE, { limit: 5 })).map(({ status }) => status),
      put: () => void writes.push("put"),
      send: () => void writes.push("send"),
    },
    { read: { annotations: { readOnlyHint: true } }, put: { annotations: { idempotentHint: true } } },
  );
}

it("writes a short run without calls once, as a whole, under the id and the time of its beginning", async () => {
  const first = await kit.execute("return 1", { intent: "one" });
  const failed = await kit.execute("throw new Error('no')");
  expect(writes).toEqual(["record", "record"]);
  const run = await kit.store.runs.find(first.runId!);
  expect(run).toMatchObject({
    status: "succeeded",
    result: 1,
    source: "return 1",
    intent: "one",
    leaseOwner: null,
    leaseUntil: null,
  });
  expect(run!.finishedAt!).toBeGreaterThanOrEqual(run!.startedAt);
  expect(await kit.store.runs.find(failed.runId!)).toMatchObject({ status: "failed" });
  expect(failed.runId! > first.runId!).toBe(true);
});

it("has a run on record before its first call", async () => {
  const { result } = await kit.execute("return await mcp.notes.read({})");
  expect(result).toEqual({ success: true, data: ["running"] });
  expect(writes).toEqual(["start", "1 read", "finish"]);
});

it("has a run on record that takes longer than a moment, and it can be cancelled", async () => {
  await kit.close();
  await open({});
  const running = kit.execute("for (;;) {}");
  await expect
    .poll(() => kit.store.runs.list(DEFAULT_SCOPE, { limit: 1 }), { timeout: 10_000 })
    .toMatchObject([{ status: "running" }]);
  const [run] = await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1 });
  await kit.runs.cancel(run!.id, "somebody");
  expect((await running).result).toMatchObject({ error: { code: "CANCELLED" } });
  expect(writes).toEqual(["start", "FINISH"]);
});

it("brings what was read to disk before anything that changes something is sent", async () => {
  const { result } = await kit.execute(
    "const { read, put, send } = mcp.notes; await read({}); await put({}); await put({ n: 2 }); await read({ n: 2 }); await send({})",
  );
  expect(result.success).toBe(true);
  const order = "start, 1 read, SETTLE, put, STEP, put, STEP, 1 read, OPEN, send, CLOSE, FINISH";
  expect(writes).toEqual(order.split(", "));
});

it("leaves no run where the code never began", async () => {
  const { runId } = await kit.execute("return 1", {}, { signal: AbortSignal.abort() });
  expect(runId).toBeNull();
  expect(writes).toEqual([]);
});

it("puts the row on disk before the first call that changes something, also where it could be made again", async () => {
  await kit.execute("await mcp.notes.put({})");
  await kit.execute("await mcp.notes.send({})");
  expect(writes.join(" ")).toBe("start SETTLE put STEP FINISH start OPEN send CLOSE FINISH");
});

it("has each read on record before the next call is sent", async () => {
  const seen: number[] = [];
  kit.addSource(
    "counting",
    {
      async count() {
        const [run] = await kit.store.runs.list(DEFAULT_SCOPE, { limit: 1 });
        return void seen.push((await kit.store.runs.steps(run!.id)).length);
      },
    },
    { count: { annotations: { readOnlyHint: true } } },
  );
  await kit.execute("for (let n = 0; n < 5; n++) await mcp.counting.count({ n })");
  expect(seen).toEqual([0, 1, 2, 3, 4]);
});

it.each([
  ["await mcp.notes.read({}); await mcp.notes.send({})", "start 1 read OPEN send CLOSE FINISH"],
  ["await mcp.notes.read({}); await mcp.notes.put({})", "start 1 read SETTLE put STEP FINISH"],
  ["await mcp.notes.read({})", "start 1 read finish"],
])("lets nothing overtake the record of a read: %s", async (code, order) => {
  // Long enough for the code to go on with the answer, which it has already.
  gate = () => new Promise((resolve) => setTimeout(resolve, 200));
  expect((await kit.execute(code)).result.success).toBe(true);
  expect(writes.join(" ")).toBe(order);
});

it("fails where the last read cannot be put on record", async () => {
  gate = () => Promise.reject(new Error("The disk is gone."));
  const { result } = await kit.execute("await mcp.notes.read({}); return 1");
  expect(result.success).toBe(false);
  expect(writes).not.toContain("finish");
});

it("keeps what was read when the code fails, for the run that goes on", async () => {
  const code = "await mcp.notes.read({}); throw new Error('no')";
  const { runId } = await kit.execute(code);
  expect(writes).toEqual(["start", "1 read", "FINISH"]);
  expect(await kit.store.runs.steps(runId!)).toHaveLength(1);
});
