import { describe, expect, it } from "vitest";
import { createOnceById } from "./once-by-id.ts";

describe("work that its caller names", () => {
  it("T151: is begun once, while it is under way and after it", async () => {
    const once = createOnceById();
    let count = 0;
    const work = async () => ++count;
    const both = await Promise.all([
      once.run("local", "request-1", work),
      once.run("local", "request-1", work),
    ]);
    expect([...both, await once.run("local", "request-1", work)]).toEqual([1, 1, 1]);
  });

  it("is another one for another caller, another id, and without an id", async () => {
    const once = createOnceById();
    let count = 0;
    const work = async () => ++count;
    await once.run("local", "request-1", work);
    await once.run("token:ci", "request-1", work);
    await once.run("local", "request-2", work);
    await once.run("local", undefined, work);
    await once.run("local", undefined, work);
    expect(count).toBe(5);
  });

  it("is begun again after ten minutes", async () => {
    let now = 0;
    const once = createOnceById(() => now);
    let count = 0;
    const work = async () => ++count;
    await once.run("local", "request-1", work);
    now = 10 * 60_000;
    expect(await once.run("local", "request-1", work)).toBe(1);
    now += 1;
    expect(await once.run("local", "request-1", work)).toBe(2);
  });

  it("a failure is the answer of every one who asked", async () => {
    const once = createOnceById();
    let count = 0;
    const work = async () => {
      count += 1;
      throw new Error("broken");
    };
    await expect(once.run("local", "request-1", work)).rejects.toThrow("broken");
    await expect(once.run("local", "request-1", work)).rejects.toThrow("broken");
    expect(count).toBe(1);
  });

  it("forgets the oldest answers beyond 200, and none that is under way", async () => {
    const once = createOnceById();
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = once.run("local", "under-way", () => promise);
    for (let at = 0; at < 300; at++) await once.run("local", `request-${at}`, async () => "then");
    expect(await once.run("local", "request-0", async () => "again")).toBe("again");
    expect(await once.run("local", "request-299", async () => "again")).toBe("then");
    const again = once.run("local", "under-way", async () => "again");
    resolve("whole");
    expect(await Promise.all([first, again])).toEqual(["whole", "whole"]);
  });
});
