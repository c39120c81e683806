import { expect, it } from "vitest";
import { Turnstile } from "./turnstile.ts";

it("lets one through at a time, in the order of asking", async () => {
  const turnstile = new Turnstile();
  const seen: string[] = [];
  const pass = async (name: string): Promise<void> => {
    const leave = await turnstile.enter();
    seen.push(`${name} in`);
    await Promise.resolve();
    seen.push(`${name} out`);
    leave();
  };
  await Promise.all(["a", "b", "c"].map(pass));
  expect(seen).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
});

it("does not let a newcomer pass those who wait", async () => {
  const turnstile = new Turnstile();
  const seen: string[] = [];
  const pass = async (name: string): Promise<void> => {
    const leave = await turnstile.enter();
    seen.push(name);
    leave();
  };
  const leaveFirst = await turnstile.enter();
  const second = pass("second");
  leaveFirst();
  await Promise.all([second, pass("third")]);
  expect(seen).toEqual(["second", "third"]);
});
