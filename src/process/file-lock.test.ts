import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { holdLock, takeLock } from "./file-lock.ts";

function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), "repertoire-lock-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

it("lets one after the other work under one name, and others at once under another", async () => {
  const home = createHome();
  const order: string[] = [];
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
  const first = holdLock(home, "a", async () => {
    await isFree;
    order.push("first");
  });
  const second = holdLock(home, "a", async () => void order.push("second"));
  await holdLock(home, "b", async () => void order.push("other"));
  free();
  await Promise.all([first, second]);
  expect(order).toEqual(["other", "first", "second"]);
});

it("is given back when the work fails", async () => {
  const home = createHome();
  await expect(holdLock(home, "a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await holdLock(home, "a", async () => 1)).toBe(1);
});

it("is taken in one turn, and refused after the wait where another has it", () => {
  const file = join(createHome(), "deep", "x.lock");
  const release = takeLock(file, 0);
  expect(() => takeLock(file, 10)).toThrow("locked");
  release();
  takeLock(file, 0)();
});
