/** Limits and the call log under several real processes on one home, as when every client starts its own gateway. */
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import type { Order, Report } from "./fixtures/guarded-caller.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const PROGRAM = join(import.meta.dirname, "fixtures/guarded-caller.ts");
const PROCESS_COUNT = 4;
const CALLERS_EACH = 8;
/** A soak raises it. */
const ROUNDS = Number(process.env["LIMIT_ROUNDS"] ?? 2);
const HOUR_MS = 3_600_000;

interface Caller {
  readonly reports: Report[];
  readonly ended: Promise<void>;
  send(order: Order | ""): void;
  kill(signal: "SIGTERM" | "SIGKILL"): void;
  /** Resolves with the next report. */
  heard(): Promise<void>;
  /** Resolves when so many reports of this kind have come. */
  until(kind: Report["kind"], count: number): Promise<void>;
}

function startCaller(home: string, trace: string): Caller {
  const child = spawn(process.execPath, [PROGRAM, home, trace], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {});
  const reports: Report[] = [];
  let hear = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    reports.push(JSON.parse(line) as Report);
    hear.resolve();
    hear = Promise.withResolvers();
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  return {
    reports,
    ended,
    send: (order) => void child.stdin.write(`${order === "" ? "" : JSON.stringify(order)}\n`),
    kill: (signal) => void child.kill(signal),
    heard: () => hear.promise,
    async until(kind, count) {
      while (reports.filter((report) => report.kind === kind).length < count) await hear.promise;
    },
  };
}

async function startCallers(count: number) {
  const folder = temporaryFolder();
  const [home, trace] = [join(folder, "home"), join(folder, "trace")];
  writeFileSync(trace, "");
  const store = await openSqliteStore({ home, busyLimitMs: 120_000 });
  onTestFinished(() => store.close());
  const callers = Array.from({ length: count }, () => startCaller(home, trace));
  await Promise.all(callers.map((caller) => caller.until("ready", 1)));
  return { callers, store, trace };
}

const outcomesOf = (callers: readonly Caller[]): string[] =>
  callers.flatMap(({ reports }) =>
    reports.flatMap((report) => (report.kind === "ended" ? report.outcome : [])),
  );
const countOf = (outcomes: readonly string[], wanted: string): number =>
  outcomes.filter((outcome) => outcome === wanted).length;

/** The most calls that were under way at once, by the order in which all processes wrote. */
function mostAtOnce(trace: string): number {
  let underWay = 0;
  let most = 0;
  for (const mark of readFileSync(trace, "utf8")) {
    underWay += mark === "s" ? 1 : -1;
    most = Math.max(most, underWay);
  }
  return most;
}

describe("exact limits under 4 processes and 32 clients", () => {
  const order = (id: string, part: Partial<Order>): Order => ({
    id,
    limits: { rates: [] },
    callers: CALLERS_EACH,
    calls: 1,
    lasts: "no time",
    ...part,
  });
  const rate = (countMax: number) => ({ countMax, windowMs: HOUR_MS, text: `${countMax}/h` });

  it.each<[string, Partial<Order>, readonly string[], number]>([
    ["a rate", { limits: { rates: [rate(37)] }, calls: 3 }, ["rate_limit"], 37],
    [
      "the least of two rates",
      { limits: { rates: [rate(37), { ...rate(11), text: "11/h" }] }, calls: 3 },
      ["rate_limit"],
      11,
    ],
    ["a rule in all", { limits: { rates: [], totalMax: 29 }, calls: 3 }, ["refused", "rate_limit"], 29],
    ["equal calls", { limits: { rates: [], same: rate(5) }, calls: 3, isSame: true }, ["same_call"], 5],
  ])("%s lets exactly as many pass as it says", async (_name, part, reasons, limit) => {
    const { callers, trace } = await startCallers(PROCESS_COUNT);
    const all = PROCESS_COUNT * CALLERS_EACH * 3;
    for (let round = 1; round <= ROUNDS; round++) {
      for (const caller of callers) caller.send(order(`round ${round}`, part));
      await Promise.all(callers.map((caller) => caller.until("done", round)));
      const outcomes = outcomesOf(callers);
      expect(outcomes).toHaveLength(round * all);
      expect(countOf(outcomes, "ok")).toBe(round * limit);
      const refused = outcomes.filter((outcome) => reasons.includes(outcome));
      expect(refused).toHaveLength(round * (all - limit));
      expect(readFileSync(trace, "utf8")).toHaveLength(2 * round * limit);
    }
  });

  it("exactly as many calls are under way at once as the limit says", async () => {
    const { callers, trace } = await startCallers(PROCESS_COUNT);
    const limits = { rates: [], atOnceMax: 4 };
    for (let round = 1; round <= ROUNDS; round++) {
      // All at once, and none ends before all have asked. What the round before gives back may still be on its way.
      for (const caller of callers) caller.send(order(`hold ${round}`, { limits, lasts: "hold" }));
      const counts = () => [
        callers.flatMap(({ reports }) => reports).filter(({ kind }) => kind === "began").length,
        countOf(outcomesOf(callers), "at_once_limit"),
      ];
      const all = PROCESS_COUNT * CALLERS_EACH * round;
      while (counts()[0]! + counts()[1]! < all) await Promise.race(callers.map((caller) => caller.heard()));
      expect(counts()).toEqual([4 * round, all - 4 * round]);
      expect(mostAtOnce(trace)).toBe(4);
      for (const caller of callers) caller.send("");
      await Promise.all(callers.map((caller) => caller.until("done", round)));
    }
  });

  it("never are more under way than the limit says while calls come and go", async () => {
    const { callers, trace } = await startCallers(PROCESS_COUNT);
    const limits = { rates: [], atOnceMax: 3 };
    for (const caller of callers) caller.send(order("churn", { limits, calls: 5 * ROUNDS, lasts: "brief" }));
    await Promise.all(callers.map((caller) => caller.until("done", 1)));
    const outcomes = outcomesOf(callers);
    expect(countOf(outcomes, "ok") + countOf(outcomes, "at_once_limit")).toBe(outcomes.length);
    expect(countOf(outcomes, "ok")).toBeGreaterThan(0);
    expect(mostAtOnce(trace)).toBeLessThanOrEqual(3);
  });
});

describe("the call log of a process", () => {
  const order: Order = { id: "log", limits: { rates: [] }, callers: 10, calls: 100, lasts: "no time" };

  it("that is told to end has every call", async () => {
    const { callers, store } = await startCallers(1);
    const [caller] = callers as [Caller];
    caller.send(order);
    await caller.until("done", 1);
    caller.kill("SIGTERM");
    await caller.ended;
    expect(await store.calls.list({ limit: 2_000 })).toHaveLength(1_000);
  });

  it("that is killed has what was written before, and the database is whole", async () => {
    const { callers, store } = await startCallers(1);
    const [caller] = callers as [Caller];
    caller.send(order);
    await caller.until("done", 1);
    const count = async () => (await store.calls.list({ limit: 3_000 })).length;
    while ((await count()) < 1_000) await new Promise((resolve) => setImmediate(resolve));
    caller.send(order);
    await caller.until("done", 2);
    caller.kill("SIGKILL");
    await caller.ended;
    expect(await count()).toBeGreaterThanOrEqual(1_000);
    expect(await store.findDamage()).toEqual([]);
  });
});
