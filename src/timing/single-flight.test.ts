import { expect, it } from "vitest";
import { SingleFlight } from "./single-flight.ts";

it("serves everyone who asks meanwhile with one attempt", async () => {
  const flight = new SingleFlight<number>();
  let attemptCount = 0;
  const attempt = async () => ++attemptCount;
  expect(await Promise.all([flight.run(attempt), flight.run(attempt)])).toEqual([1, 1]);
  expect(await flight.run(attempt)).toBe(2);
});

it("tells everyone of a failure, and makes another attempt after it", async () => {
  const flight = new SingleFlight<string>();
  const broken = () => Promise.reject(new Error("broken"));
  const both = await Promise.allSettled([flight.run(broken), flight.run(async () => "unused")]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await flight.run(async () => "well")).toBe("well");
});

it("shows what is under way until it has ended", async () => {
  const flight = new SingleFlight<string>();
  expect(flight.underWay).toBeUndefined();
  const run = flight.run(async () => "done");
  expect(flight.underWay).toBe(run);
  await run;
  expect(flight.underWay).toBeUndefined();
});
