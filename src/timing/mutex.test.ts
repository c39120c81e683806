import { expect, it } from "vitest";
import { Mutex } from "./mutex.ts";

it("lets one through at a time, in the order of asking", async () => {
  const mutex = new Mutex();
  const seen: string[] = [];
  const pass = async (name: string): Promise<void> => {
    const release = await mutex.acquire();
    seen.push(`${name} in`);
    await Promise.resolve();
    seen.push(`${name} out`);
    release();
  };
  await Promise.all(["a", "b", "c"].map(pass));
  expect(seen).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
});

it("does not let a newcomer pass those who wait", async () => {
  const mutex = new Mutex();
  const seen: string[] = [];
  const pass = async (name: string): Promise<void> => {
    const release = await mutex.acquire();
    seen.push(name);
    release();
  };
  const releaseFirst = await mutex.acquire();
  const second = pass("second");
  releaseFirst();
  await Promise.all([second, pass("third")]);
  expect(seen).toEqual(["second", "third"]);
});
