/** The model of large installations: its queues behave as theory says, and measured numbers can be put in. */
import { expect, it } from "vitest";
import { quantile } from "../bench/figures.ts";
import { PARAMETERS, withMeasured } from "../bench/scale-costs.ts";
import { Events, Resource, type Process } from "../bench/scale-events.ts";
import { limitsOf } from "../bench/scale-limits.ts";
import { simulate } from "../bench/scale-simulation.ts";
import { createRandom } from "../bench/search-random.ts";

it("one row that is held for a fixed time is waited for as long as M/D/1 says", () => {
  const [serviceMs, share] = [2, 0.7];
  const random = createRandom("queue");
  const events = new Events();
  const row = new Resource("row", 1);
  function* hold(): Process {
    yield { take: row };
    yield { waitMs: serviceMs };
    yield { give: row };
  }
  function* arrive(): Process {
    for (let count = 0; count < 200_000; count++) {
      yield { waitMs: (-Math.log(1 - random()) * serviceMs) / share };
      events.start(hold());
    }
  }
  events.start(arrive());
  events.runUntil(Infinity);
  const waits = row.waitsOf(events.now);
  const mean = waits.reduce((sum, ms) => sum + ms, 0) / waits.length;
  expect(waits).toHaveLength(200_000);
  expect(mean / ((share * serviceMs) / (2 * (1 - share)))).toBeCloseTo(1, 1);
});

it("a limit that all replicas share ends runs late, and by token it does not", () => {
  const given = { ...PARAMETERS, load: { ...PARAMETERS.load, replicas: 20, limitedShare: 0.1 } };
  const shared = simulate(given, {}, 1);
  const split = simulate(given, { splitsLimits: true }, 1);
  expect(quantile(shared.overheadMs, 0.99)).toBeGreaterThan(10 * quantile(split.overheadMs, 0.99));
  expect(split.overheadMs).toHaveLength(split.arrivedCount);
  expect(simulate(given, {}, 1)).toEqual(shared);
});

it("half the load uses half of what runs use, and the first to give is named", () => {
  const half = { ...PARAMETERS, load: { ...PARAMETERS.load, runsPerSecond: 500 } };
  const diskOf = (given: typeof PARAMETERS) =>
    limitsOf(given).find(({ name }) => name.startsWith("disk"))!.used;
  expect(diskOf(half) / diskOf(PARAMETERS)).toBeCloseTo(0.5);
  expect(limitsOf(PARAMETERS)[0]!.name).toBe("connections: replicas × poolSize");
});

it("measured numbers take the place of the constants, and an unknown name is refused", () => {
  const { costs, server } = withMeasured('{"costs": {"cpuMs": {"runStart": 9}}, "server": {"cores": 4}}');
  expect([costs.cpuMs.runStart, costs.cpuMs.beat, server.cores]).toEqual([9, PARAMETERS.costs.cpuMs.beat, 4]);
  expect(() => withMeasured('{"costs": {"cpuMs": {"runBegin": 9}}}')).toThrow(
    "costs.cpuMs.runBegin is no parameter",
  );
  expect(() => withMeasured('{"load": {"replicas": {}}}')).toThrow("load.replicas is no parameter");
});
