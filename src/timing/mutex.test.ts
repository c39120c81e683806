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

it("does one piece of work after the other, and gives each its own result", async () => {
  const mutex = new Mutex();
  const seen: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    seen.push(`${name} in`);
    await Promise.resolve();
    seen.push(`${name} out`);
    return name;
  };
  expect(await Promise.all([mutex.run(work("a")), mutex.run(work("b"))])).toEqual(["a", "b"]);
  expect(seen).toEqual(["a in", "a out", "b in", "b out"]);
});

it("goes on after work that failed, and tells the failure to its caller alone", async () => {
  const mutex = new Mutex();
  const failed = mutex.run(() => {
    throw new Error("broken");
  });
  const next = mutex.run(() => "next");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("next");
});

it("settles after everything that was asked for", async () => {
  const mutex = new Mutex();
  const seen: string[] = [];
  const failed = mutex.run(() => Promise.reject(new Error("broken"))).catch(() => seen.push("failed"));
  void mutex.run(() => seen.push("done"));
  await mutex.settle();
  expect(seen).toContain("done");
  await failed;
});
