import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { memoryOfTree } from "./process-memory.ts";

const MIB = 1024 * 1024;

it.runIf(process.platform === "linux")("is that of a process and of those that it started", async () => {
  const inner = `const held = Buffer.alloc(64 * 1024 * 1024, 1); console.log("ready"); setInterval(() => held, 1000);`;
  const outer = `require("node:child_process").spawn(process.execPath, ["-e", process.argv[1]], { stdio: "inherit" });`;
  const child = spawn(process.execPath, ["-e", outer, inner], {
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  onTestFinished(() => void process.kill(-child.pid!, "SIGKILL"));
  await once(child.stdout, "data");
  const bytes = (await memoryOfTree(child.pid!))!;
  expect(bytes).toBeGreaterThan(64 * MIB + 20 * MIB);
  expect(bytes).toBeLessThan(1024 * MIB);
});

it("is not known of a process that is gone, or where the system does not say", async () => {
  expect(await memoryOfTree(2 ** 30)).toBeUndefined();
  expect(await memoryOfTree(1, join(temporaryFolder(), "none"))).toBeUndefined();
});

it("ends also where processes name each other", async () => {
  const proc = temporaryFolder();
  for (const [pid, children] of [
    [1, "2 "],
    [2, "1 2 "],
  ] as const) {
    mkdirSync(join(proc, `${pid}/task/${pid}`), { recursive: true });
    writeFileSync(join(proc, `${pid}/status`), "Name:\tx\nVmRSS:\t    1024 kB\n");
    writeFileSync(join(proc, `${pid}/task/${pid}/children`), children);
  }
  expect(await memoryOfTree(1, proc)).toBe(2 * MIB);
});
