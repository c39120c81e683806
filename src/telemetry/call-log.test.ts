import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { RepertoireError } from "../core/errors.ts";
import type { PassedCall } from "../core/guard.ts";
import { silentLog, type Log } from "../core/log.ts";
import { fail, succeed } from "../core/result.ts";
import type { CallStore } from "../core/trust-store.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { NO_SECRETS } from "../text/redactors.ts";
import { createCallLog, WRITE_AFTER_MS, type CallLogDeps } from "./call-log.ts";

const DAY_MS = 86_400_000;
const KEY = randomBytes(32);

function passedOf(tool: string, part: Partial<PassedCall> = {}): PassedCall {
  return {
    call: { kind: "tool", name: tool, args: {} },
    context: { traceId: "trace", signal: new AbortController().signal },
    decision: { do: "allow", effect: "read", rule: { id: "1", name: "default" } },
    result: succeed({ content: [] }),
    elapsedMs: 1,
    ...part,
  };
}

/** A log whose timers are run by hand. */
function openLog(store: CallStore, part: Partial<CallLogDeps> = {}) {
  const timers: { readonly delayMs: number; readonly run: () => void }[] = [];
  const logged: string[] = [];
  const note = (event: string, fields?: Record<string, unknown>): void =>
    void logged.push(`${event} ${String(fields?.["count"] ?? fields?.["waiting"])}`);
  const log: Log = { ...silentLog, error: note, warn: note };
  const calls = createCallLog({
    store,
    key: () => Promise.resolve(KEY),
    settings: () => ({ days: 30, arguments: false }),
    redactors: NO_SECRETS,
    log,
    after: (delayMs, run) => {
      const timer = { delayMs, run };
      timers.push(timer);
      return () => {
        const at = timers.indexOf(timer);
        if (at >= 0) timers.splice(at, 1);
      };
    },
    ...part,
  });
  /** Runs the timers that are due within so long. */
  const fire = (withinMs: number): void => {
    for (const timer of timers.filter(({ delayMs }) => delayMs <= withinMs)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.run();
    }
  };
  return { ...calls, timers, logged, fire };
}

async function openCalls(): Promise<CallStore> {
  const store = await openSqliteStore({ home: temporaryFolder() });
  onTestFinished(() => store.close());
  return store.calls;
}

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
};

it("has every call on disk a quarter of a second later, in their order", async () => {
  const store = await openCalls();
  const log = openLog(store);
  for (let i = 0; i < 450; i++) log.record(passedOf(`tool${i}`));
  const due = log.timers.map(({ delayMs }) => delayMs).filter((delayMs) => delayMs <= 250);
  expect(due).toEqual([WRITE_AFTER_MS]);
  log.fire(250);
  await until(async () => (await store.list({ limit: 1_000 })).length === 450);
  const tools = (await store.list({ limit: 1_000 })).map(({ tool }) => tool);
  expect(tools).toEqual(Array.from({ length: 450 }, (_, i) => `tool${449 - i}`));
});

it("asks for a key that cannot be had when it is time to try again, and not with every call", async () => {
  let askCount = 0;
  const store = await openCalls();
  const key = (): Promise<Buffer> => {
    askCount++;
    return Promise.reject(new Error("the store is away"));
  };
  const log = openLog(store, { key });
  for (let i = 0; i < 20; i++) {
    log.record(passedOf(`tool${i}`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(askCount).toBe(1);
  expect(log.logged).toHaveLength(1);
});

it("keeps no answers while the database fails", async () => {
  const held: WeakRef<object>[] = [];
  const store = await openCalls();
  const failing: CallStore = {
    ...store,
    append: () => Promise.reject(new RepertoireError("STORE_BUSY", "away")),
  };
  const log = openLog(failing);
  log.record(passedOf("first"));
  log.fire(250);
  await until(async () => log.logged.length === 1);
  for (let i = 0; i < 500; i++) {
    const answer = { content: [], structuredContent: { i } };
    held.push(new WeakRef(answer));
    log.record(passedOf(`tool${i}`, { result: succeed(answer) }));
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  expect(held.slice(0, -1).filter((ref) => ref.deref() !== undefined)).toEqual([]);
});

it("writes at most some hundred in one transaction", async () => {
  const sizes: number[] = [];
  const log = openLog({
    append: async (calls) => void sizes.push(calls.length),
    list: async () => [],
    summary: () => Promise.reject(new Error("nobody sums up")),
    clients: async () => [],
    removeBefore: async () => 0,
  });
  for (let i = 0; i < 450; i++) log.record(passedOf("t"));
  await log.settle();
  expect(sizes).toEqual([200, 200, 50]);
});

it("has everything on disk when it is settled, also what comes meanwhile", async () => {
  const store = await openCalls();
  const log = openLog(store);
  log.record(passedOf("first"));
  log.fire(250);
  log.record(passedOf("second"));
  const settled = log.settle();
  log.record(passedOf("third"));
  await settled;
  expect((await store.list({ limit: 9 })).map(({ tool }) => tool)).toEqual(["third", "second", "first"]);
  expect(log.timers).toEqual([]);
  expect(log.logged).toEqual([]);
});

it("T160: keeps what cannot be written and tries again, and logs the failure once", async () => {
  const store = await openCalls();
  let isFull = true;
  const full: CallStore = {
    ...store,
    append: (calls) =>
      isFull ? Promise.reject(new RepertoireError("STORE_FULL", "no room")) : store.append(calls),
  };
  const log = openLog(full);
  log.record(passedOf("t"));
  log.fire(250);
  await until(async () => log.logged.length > 0);
  log.fire(10_000);
  isFull = false;
  await log.settle();
  expect(await store.list({ limit: 9 })).toHaveLength(1);
  expect(log.logged).toEqual(["calls.failed 1"]);
});

it("T160: drops what finds no place, counts it, and says so", async () => {
  const store = await openCalls();
  const log = openLog(store);
  for (let i = 0; i < 5_100; i++) log.record(passedOf("t"));
  await log.settle();
  expect(await store.list({ limit: 10_000 })).toHaveLength(5_000);
  expect(log.logged).toEqual(["calls.dropped 100"]);
});

it("says how many are lost with the store", async () => {
  const gone = new RepertoireError("STORE_GONE", "gone");
  const log = openLog({
    append: () => Promise.reject(gone),
    list: async () => [],
    summary: () => Promise.reject(gone),
    clients: () => Promise.reject(gone),
    removeBefore: () => Promise.reject(gone),
  });
  for (let i = 0; i < 3; i++) log.record(passedOf("t"));
  await log.settle();
  expect(log.logged).toEqual(["calls.failed 3", "calls.lost 3"]);
});

it("gives up entries that no store takes, and goes on with the others", async () => {
  const store = await openCalls();
  let isFirst = true;
  const log = openLog({
    ...store,
    append: (calls) => {
      if (!isFirst) return store.append(calls);
      isFirst = false;
      return Promise.reject(new TypeError("cannot bind"));
    },
  });
  for (let i = 0; i < 201; i++) log.record(passedOf("t"));
  await log.settle();
  expect(await store.list({ limit: 500 })).toHaveLength(1);
  expect(log.logged).toEqual(["calls.failed 201", "calls.dropped 200"]);
});

it("lets other work have its turn while it reads large arguments", async () => {
  const store = await openCalls();
  const log = openLog(store);
  const args = { text: "x".repeat(1024 * 1024) };
  const call = { kind: "tool", name: "t", args } as const;
  for (let i = 0; i < 5; i++) log.record(passedOf("t", { call }));
  let turns = 0;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await log.settle();
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(5);
});

it("removes what is older than the days of the config: soon after the start, and once a day", async () => {
  const store = await openCalls();
  let now = 100 * DAY_MS;
  const clock = { now: () => now, elapsed: () => now };
  const log = openLog(store, { clock });
  log.record(passedOf("old"));
  log.fire(250);
  await until(async () => (await store.list({ limit: 9 })).length === 1);
  now += 29 * DAY_MS;
  log.fire(10_000);
  log.record(passedOf("new"));
  log.fire(250);
  await until(async () => (await store.list({ limit: 9 })).length === 2);
  now += 2 * DAY_MS;
  log.fire(DAY_MS);
  await until(async () => (await store.list({ limit: 9 })).length === 1);
  expect(await store.list({ limit: 9 })).toMatchObject([{ tool: "new" }]);
  await log.settle();
});

it("tells of calls that the rules refused, and of no others", async () => {
  const refused: string[] = [];
  const log = openLog(await openCalls(), { refused: (_passed, { tool }) => void refused.push(tool) });
  const failed = (reason: string) => ({ result: fail("SECURITY_ERROR", "no", { reason }) });
  log.record(passedOf("refused", failed("refused")));
  log.record(passedOf("unasked", failed("not_approved")));
  log.record(passedOf("other", failed("proto_key")));
  log.record(passedOf("limited", { result: fail("RATE_LIMITED", "later", { reason: "rate_limit" }) }));
  await log.settle();
  expect(refused).toEqual(["refused", "unasked"]);
});
