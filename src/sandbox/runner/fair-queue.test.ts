import { describe, expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

function drain<T>(queue: { take(): T | undefined }): T[] {
  const taken: T[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  return taken;
}

describe("createFairQueue", () => {
  test("gives nothing when nobody waits", () => {
    const queue = createFairQueue<string>();
    expect(queue.take()).toBeUndefined();
    expect(queue.size).toBe(0);
  });

  test("keeps the order of one owner", () => {
    const queue = createFairQueue<number>();
    for (const item of [1, 2, 3]) queue.push("a", item);
    expect(drain(queue)).toEqual([1, 2, 3]);
  });

  test("takes owners by turns: one that asks a lot waits behind one that asks a little", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3", "a4"]) queue.push("a", item);
    for (const item of ["b1", "b2"]) queue.push("b", item);
    queue.push("c", "c1");
    expect(drain(queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  test("gives an owner who comes late a turn in the next round", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3"]) queue.push("a", item);
    expect(queue.take()).toBe("a1");
    queue.push("b", "b1");
    expect(drain(queue)).toEqual(["a2", "b1", "a3"]);
  });

  test("S15: passes over an owner that may have no turn now, and keeps its place", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2"]) queue.push("a", item);
    queue.push("b", "b1");
    expect(queue.take((owner) => owner !== "a")).toBe("b1");
    expect(queue.take((owner) => owner !== "a")).toBeUndefined();
    expect(drain(queue)).toEqual(["a1", "a2"]);
  });

  test("forgets what was removed, wherever it stands, and what it never had", () => {
    const queue = createFairQueue<string>();
    for (const item of ["a1", "a2", "a3"]) queue.push("a", item);
    queue.push("b", "b1");
    for (const item of ["a2", "b1", "never"]) queue.remove(item);
    expect(queue.size).toBe(2);
    expect(drain(queue)).toEqual(["a1", "a3"]);
    expect(queue.size).toBe(0);
  });

  test("takes owners named like members of an object for what they are", () => {
    const queue = createFairQueue<string>();
    for (const owner of ["__proto__", "constructor", ""]) queue.push(owner, `of ${owner}`);
    expect(drain(queue)).toEqual(["of __proto__", "of constructor", "of "]);
  });
});
