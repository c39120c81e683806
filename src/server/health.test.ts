import { expect, it } from "vitest";
import { createHealth, type HealthDeps } from "./health.ts";

const good: HealthDeps = {
  askStore: async () => 1,
  isConfigGood: () => true,
  isDraining: () => false,
};

it("is live, and ready when the store answers", async () => {
  const health = createHealth(good);
  expect(await health.check("live")).toEqual({ isGood: true, status: "ok" });
  const whole = { isGood: true, status: "ok", parts: { store: "ok", config: "ok", gateway: "ok" } };
  expect(await health.check("ready")).toEqual(whole);
  expect(await health.check("all")).toEqual(whole);
});

it("is not ready while it drains, and lives on", async () => {
  const health = createHealth({ ...good, isDraining: () => true });
  expect(await health.check("ready")).toMatchObject({
    isGood: false,
    status: "unavailable",
    parts: { gateway: "draining" },
  });
  expect((await health.check("live")).isGood).toBe(true);
});

it("stays ready with the last good config, and says that it is stale", async () => {
  const health = createHealth({ ...good, isConfigGood: () => false });
  expect(await health.check("ready")).toMatchObject({ isGood: true, parts: { config: "stale" } });
});

it("T161: a store that fails is named by a word, without path, message or stack", async () => {
  const broken = () => Promise.reject(new Error("SQLITE_CANTOPEN: /home/user/repertoire.db"));
  const answer = await createHealth({ ...good, askStore: broken }).check("ready");
  expect(answer).toEqual({
    isGood: false,
    status: "unavailable",
    parts: { store: "failed", config: "ok", gateway: "ok" },
  });
  const throwing = createHealth({
    ...good,
    askStore: () => {
      throw new Error("closed");
    },
  });
  expect((await throwing.check("ready")).isGood).toBe(false);
});

it("a store that does not answer in time is slow, and is asked once however many ask", async () => {
  let askedCount = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const askStore = () => {
    askedCount++;
    return promise;
  };
  const health = createHealth({ ...good, askStore, storeWaitMs: 1 });
  const answers = await Promise.all([health.check("ready"), health.check("ready"), health.check("ready")]);
  for (const answer of answers) expect(answer).toMatchObject({ isGood: false, parts: { store: "slow" } });
  await health.check("ready");
  expect(askedCount).toBe(1);
  resolve();
  await promise;
  expect((await createHealth({ ...good, askStore }).check("ready")).isGood).toBe(true);
});

it("is ready again as soon as the store answers again", async () => {
  let isBroken = true;
  const askStore = async () => {
    if (isBroken) throw new Error("busy");
  };
  const health = createHealth({ ...good, askStore });
  expect((await health.check("ready")).isGood).toBe(false);
  isBroken = false;
  expect((await health.check("ready")).isGood).toBe(true);
});

it("C10: however often probes ask, the store is asked once a second", async () => {
  let count = 0;
  let nowMs = 0;
  let isDraining = false;
  const askStore = async () => void count++;
  const health = createHealth({ ...good, askStore, isDraining: () => isDraining, now: () => nowMs });
  for (let i = 0; i < 50; i++) expect(await health.probe("ready")).toBe(true);
  expect(await health.probe("live")).toBe(true);
  expect(count).toBe(1);
  nowMs = 1000;
  await Promise.all([health.probe("ready"), health.probe("ready")]);
  expect(count).toBe(2);
  isDraining = true;
  expect(await health.probe("ready")).toBe(false);
});

it("C10: a store that fails is not ready for a probe, and says so again when it has recovered", async () => {
  let nowMs = 0;
  let isBroken = true;
  const askStore = async () => {
    if (isBroken) throw new Error("gone");
  };
  const health = createHealth({ ...good, askStore, now: () => nowMs });
  expect(await health.probe("ready")).toBe(false);
  isBroken = false;
  nowMs = 1000;
  expect(await health.probe("ready")).toBe(true);
});

it("stays ready without a database for as long as operations wait for it, and says that it is away", async () => {
  let nowMs = 0;
  let failure: Error | undefined = new Error("away");
  const askStore = async () => {
    if (failure !== undefined) throw failure;
  };
  const isAway = (error: unknown) => (error as Error).message === "away";
  const health = createHealth({ ...good, askStore, isAway, awayMs: 30_000, now: () => nowMs });
  expect(await health.check("ready")).toMatchObject({ isGood: true, parts: { store: "away" } });
  nowMs = 29_999;
  expect(await health.probe("ready")).toBe(true);
  nowMs = 31_000;
  expect(await health.probe("ready")).toBe(false);
  expect(await health.check("ready")).toMatchObject({ isGood: false, parts: { store: "away" } });
  expect(await health.probe("live")).toBe(true);
  failure = undefined;
  nowMs = 32_000;
  expect(await health.probe("ready")).toBe(true);
  failure = new Error("away");
  nowMs = 61_000;
  expect(await health.probe("ready")).toBe(true);
  failure = new Error("newer");
  nowMs = 62_000;
  expect(await health.check("ready")).toMatchObject({ isGood: false, parts: { store: "failed" } });
});

it("a database that does not answer counts as away", async () => {
  const silent = () => new Promise<never>(() => {});
  const health = createHealth({ ...good, askStore: silent, storeWaitMs: 1, awayMs: 30_000, now: () => 0 });
  expect(await health.check("ready")).toMatchObject({ isGood: true, parts: { store: "away" } });
});

it("is not ready at once where it drains, also without its database", async () => {
  const away = () => Promise.reject(new Error("away"));
  const deps = { ...good, askStore: away, isAway: () => true, awayMs: 30_000, isDraining: () => true };
  expect(await createHealth(deps).probe("ready")).toBe(false);
  expect((await createHealth(deps).check("ready")).isGood).toBe(false);
});

it("the whole report has what is known of a shared store", async () => {
  const store = { kind: "postgresql", place: "db/x", replicas: 3 };
  const health = createHealth({ ...good, describeStore: async () => store });
  expect(await health.check("all")).toMatchObject({ status: "ok", store });
  expect(await health.check("ready")).not.toHaveProperty("store");
});
