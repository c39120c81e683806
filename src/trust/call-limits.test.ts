import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Clock } from "../core/clock.ts";
import type { ToolResult } from "../core/result.ts";
import type { LimitStore } from "../core/trust-store.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { createCallLimits } from "./call-limits.ts";
import type { Rule } from "./rule-set.ts";

const MINUTE_MS = 60_000;
const CALL = { who: "token:ci", tool: "github__create_issue", argsDigest: () => "args" };

function ruleOf(limits: Partial<Rule["limits"]>, id = "rule"): Rule {
  return { id, name: "rules[3]", do: "allow", namesTools: false, limits: { rates: [], ...limits } };
}

const PER_MINUTE = { countMax: 2, windowMs: MINUTE_MS, text: "2/min" };

/** Time of the database, of the process and of its timers, all by hand. */
async function openLimits() {
  const home = mkdtempSync(join(tmpdir(), "repertoire-limits-"));
  let now = 1_000_000_000;
  const clock: Clock = { now: () => now, elapsed: () => now };
  const store = await openSqliteStore({ home, clock, databaseNow: () => now });
  onTestFinished(async () => {
    await store.close();
    rmSync(home, { recursive: true });
  });
  const open = (limitStore: LimitStore = store.limits) => {
    const timers: { readonly at: number; readonly run: () => void }[] = [];
    const after = (delayMs: number, run: () => void) => {
      const timer = { at: now + delayMs, run };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    };
    return { ...createCallLimits({ store: limitStore, clock, after }), timers };
  };
  return { store, open, advance: (ms: number) => (now += ms) };
}

function errorOf(result: ToolResult<unknown>) {
  if (result.success) throw new Error("expected a refusal");
  return result.error;
}

it("refuses what is over a rate, and says the limit, for whom and when to try again", async () => {
  const { open, advance } = await openLimits();
  const limits = open();
  const rule = ruleOf({ rates: [PER_MINUTE] });
  for (let i = 0; i < 2; i++) expect((await limits.enter(rule, CALL)).success).toBe(true);
  const error = errorOf(await limits.enter(rule, CALL));
  expect(error).toMatchObject({
    code: "RATE_LIMITED",
    reason: "rate_limit",
    retryable: true,
    tool: "github__create_issue",
    message:
      '"github__create_issue": it was called 2 times within 1 min, and no more is allowed (limit 2/min of rules[3], for token:ci).',
    hint: "Try again in 61 s. Until then do something else, or ask for more with one call.",
  });
  expect((await limits.enter(rule, { ...CALL, who: "token:other" })).success).toBe(true);
  expect((await limits.enter(rule, { ...CALL, tool: "other" })).success).toBe(true);
  expect((await limits.enter(ruleOf({ rates: [PER_MINUTE] }, "other"), CALL)).success).toBe(true);
  advance(error.retryAfterMs!);
  expect((await limits.enter(rule, CALL)).success).toBe(true);
});

it("tells the longest of several rates that are reached", async () => {
  const { open } = await openLimits();
  const limits = open();
  const perDay = { countMax: 2, windowMs: 1_440 * MINUTE_MS, text: "2/day" };
  const rule = ruleOf({ rates: [PER_MINUTE, perDay] });
  for (let i = 0; i < 2; i++) await limits.enter(rule, CALL);
  expect(errorOf(await limits.enter(rule, CALL)).message).toContain("2/day of rules[3]");
});

it("trips on a loop of equal calls, and on no other call", async () => {
  const { open } = await openLimits();
  const limits = open();
  const same = { countMax: 5, windowMs: MINUTE_MS, text: "5 in 1 min" };
  const rule = ruleOf({ same });
  for (let i = 0; i < 5; i++) expect((await limits.enter(rule, CALL)).success).toBe(true);
  expect(errorOf(await limits.enter(rule, CALL))).toMatchObject({
    code: "RATE_LIMITED",
    reason: "same_call",
    message:
      '"github__create_issue": the same call was made 5 times within 1 min: its answer will not change (limit 5 in 1 min of rules[3], for token:ci).',
    hint: "Do something else, use the earlier answer, or ask the user.",
  });
  expect((await limits.enter(rule, { ...CALL, argsDigest: () => "other" })).success).toBe(true);
});

it("asks for the digest of the arguments only where equal calls are counted", async () => {
  const { open } = await openLimits();
  const argsDigest = () => {
    throw new Error("not asked for");
  };
  const entered = await open().enter(ruleOf({ rates: [PER_MINUTE], atOnceMax: 1 }), { ...CALL, argsDigest });
  expect(entered.success).toBe(true);
});

it("lets so many be under way at once, and the next when one has ended", async () => {
  const { open } = await openLimits();
  const limits = open();
  const rule = ruleOf({ atOnceMax: 1 });
  const first = await limits.enter(rule, CALL);
  expect(errorOf(await limits.enter(rule, CALL))).toMatchObject({
    reason: "at_once_limit",
    retryAfterMs: 1_000,
    message:
      '"github__create_issue": one call is under way, and no more are allowed at once (limit 1 at once of rules[3], for token:ci).',
  });
  for (let entered = first, i = 0; i < 5; i++) {
    if (!entered.success) throw new Error(entered.error.message);
    entered.data();
    entered = await limits.enter(rule, CALL);
  }
});

it("keeps the slot of a long call, and frees those of a killed process after a minute", async () => {
  const { store, open, advance } = await openLimits();
  const rule = ruleOf({ atOnceMax: 2 });
  const living = open();
  const killed = open();
  const long = await living.enter(rule, CALL);
  await killed.enter(rule, CALL);
  for (let i = 0; i < 2; i++) {
    advance(20_000);
    for (const { run } of living.timers.splice(0)) run();
    // The next write comes behind the renewal.
    await store.limits.renew([]);
    expect(errorOf(await living.enter(rule, CALL)).reason).toBe("at_once_limit");
  }
  advance(20_000);
  expect((await living.enter(rule, CALL)).success).toBe(true);
  expect(errorOf(await living.enter(rule, CALL)).reason).toBe("at_once_limit");
  if (long.success) long.data();
  await living.settle();
  expect((await living.enter(rule, CALL)).success).toBe(true);
});

it("has no timer while nothing is under way", async () => {
  const { open } = await openLimits();
  const limits = open();
  const entered = await limits.enter(ruleOf({ atOnceMax: 2 }), CALL);
  expect(limits.timers).toHaveLength(1);
  if (entered.success) entered.data();
  expect(limits.timers).toHaveLength(0);
  await limits.enter(ruleOf({ rates: [PER_MINUTE] }), CALL);
  expect(limits.timers).toHaveLength(0);
});

it("counts a rule in all for everybody together, and knows for ever that it is used up", async () => {
  const { store, open } = await openLimits();
  let reads = 0;
  const counting: LimitStore = { ...store.limits, used: (key) => (reads++, store.limits.used(key)) };
  const limits = open(counting);
  const rule = ruleOf({ totalMax: 2 });
  expect(await limits.isUsedUp(rule)).toBe(false);
  await limits.enter(rule, CALL);
  await limits.enter(rule, { ...CALL, who: "local", tool: "other" });
  expect(await limits.isUsedUp(rule)).toBe(true);
  reads = 0;
  expect(await limits.isUsedUp(rule)).toBe(true);
  expect(reads).toBe(0);
  expect(await limits.isUsedUp(ruleOf({ totalMax: 2 }, "other"))).toBe(false);
  expect(await limits.isUsedUp(ruleOf({}))).toBe(false);
  // Another process that asked just before the last one was taken.
  const late = errorOf(await open().enter(rule, CALL));
  expect(late).toMatchObject({ code: "RATE_LIMITED", reason: "rate_limit", retryable: true });
});

it("makes no call that it cannot count", async () => {
  const { store, open } = await openLimits();
  const limits = open();
  await store.close();
  const rule = ruleOf({ rates: [PER_MINUTE], totalMax: 1 });
  expect(await limits.isUsedUp(rule)).toBe(false);
  expect(errorOf(await limits.enter(rule, CALL))).toMatchObject({
    code: "TOOL_UNAVAILABLE",
    reason: "limit_not_counted",
    message:
      '"github__create_issue" was not called: its limit (rules[3]) cannot be counted. The gateway is stopping.',
  });
});
