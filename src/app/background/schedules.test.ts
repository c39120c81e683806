/** Schedules of two gateways on one store, on a clock that the test moves. */
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import type { Config, ScheduleConfig } from "../../config/config.ts";
import { silentLog } from "../../core/log.ts";
import { DEFAULT_SCOPE } from "../../core/names.ts";
import { fail, succeed } from "../../core/result.ts";
import type { Store } from "../../core/store.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { newRunOf } from "../../store/testsuite/fixture.ts";
import { nextOf, openSchedules, readCron, type Schedules } from "./schedules.ts";

const scheduleOf = (part: Partial<ScheduleConfig> = {}): ScheduleConfig => ({
  cron: "*/5 * * * *",
  timezone: "UTC",
  tool: "ops:report",
  inputs: {},
  enabled: true,
  ...part,
});

const MINUTE_MS = 60_000;

async function open(schedules: Record<string, ScheduleConfig>, gatewayCount = 2) {
  let now = Date.parse("2026-03-01T10:02:00Z");
  const home = temporaryFolder();
  const started: string[] = [];
  const gateways: Schedules[] = [];
  const stores: Store[] = [];
  for (let i = 0; i < gatewayCount; i++) {
    const store = await openSqliteStore({ home });
    stores.push(store);
    const gateway = openSchedules({
      config: { current: () => ({ schedules, scope: DEFAULT_SCOPE }) as Config, subscribe: () => () => {} },
      clock: { now: () => now, elapsed: () => now },
      log: silentLog,
      async start({ name, startKey, tool }) {
        if (tool === "ops:broken") return fail("TOOL_NOT_FOUND", "There is none.");
        const queued = await store.runs.enqueue(newRunOf({ principal: `schedule:${name}` }), { startKey });
        if (queued.isNew) started.push(startKey);
        return succeed(queued);
      },
    });
    gateways.push(gateway);
    await gateway.tick();
    onTestFinished(async () => {
      gateway.close();
      await store.close();
    });
  }
  const advance = async (ms: number): Promise<void> => {
    now += ms;
    await Promise.all(gateways.map((gateway) => gateway.tick()));
  };
  return { started, advance, store: stores[0]! };
}

it("starts once at each time, however many gateways there are", async () => {
  const { started, advance, store } = await open({ report: scheduleOf() }, 3);
  for (let minute = 3; minute <= 15; minute++) await advance(MINUTE_MS);
  const key = (minute: string) => `schedule:local/default/report:2026-03-01T10:${minute}`;
  expect(started).toEqual([key("05"), key("10"), key("15")]);
  expect(await store.runs.list(DEFAULT_SCOPE, { limit: 9, mode: "background" })).toHaveLength(3);
});

it("does not make up for times at which nothing ran", async () => {
  const { started, advance } = await open({ report: scheduleOf() });
  await advance(24 * 60 * MINUTE_MS);
  expect(started).toEqual([]);
  await advance(3 * MINUTE_MS);
  expect(started).toEqual(["schedule:local/default/report:2026-03-02T10:05"]);
});

it("leaves out what is off or wrong, and runs the others", async () => {
  const { started, advance } = await open({
    off: scheduleOf({ enabled: false }),
    seconds: scheduleOf({ cron: "* * * * * *" }),
    nowhere: scheduleOf({ timezone: "Mars/Olympus" }),
    broken: scheduleOf({ tool: "ops:broken" }),
    good: scheduleOf(),
  });
  await advance(3 * MINUTE_MS);
  expect(started).toEqual(["schedule:local/default/good:2026-03-01T10:05"]);
});

it.each([
  ["every minute", "* * * * *", undefined],
  ["six fields", "0 * * * * *", /five fields/],
  ["words", "every day", /five fields/],
  ["a minute that does not exist", "61 * * * *", /is no time/],
  ["an unknown timezone", "* * * * *", /is no time/, "Mars/Olympus"],
])("reads %s", async (_name, cron, problem, timezone?: string) => {
  const read = await readCron(scheduleOf({ cron, timezone }));
  if (problem === undefined) expect(typeof read).toBe("object");
  else expect(read).toMatch(problem);
});

it("goes by the timezone, also when the clocks change", async () => {
  const cron = await readCron(scheduleOf({ cron: "30 9 * * *", timezone: "Europe/Berlin" }));
  if (typeof cron === "string") throw new Error(cron);
  const after = (iso: string) => new Date(nextOf(cron, Date.parse(iso))!).toISOString();
  expect(after("2026-03-28T00:00:00Z")).toBe("2026-03-28T08:30:00.000Z");
  expect(after("2026-03-29T00:00:00Z")).toBe("2026-03-29T07:30:00.000Z");
});
