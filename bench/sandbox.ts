/**
 * `npm run bench:sandbox`: what hostile code can do to the built gateway, and what running code costs beside other ways.
 * `-- --json FILE` writes the figures there.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { writeResult } from "./result-file.ts";
import { copyBuild, type BuiltCopy, type Parts } from "./sandbox-build.ts";
import { ROWS } from "./sandbox-cases.ts";
import { benchCrowd } from "./sandbox-crowd.ts";
import {
  openControl,
  openGateway,
  prepareHome,
  type BenchHome,
  type GatewayLines,
} from "./sandbox-gateway.ts";
import { benchHostile } from "./sandbox-hostile.ts";
import { CAN_LOOK, watchTree, type TreeWatch } from "./sandbox-processes.ts";
import { benchSpeed } from "./sandbox-speed.ts";
import { benchShares, benchWarmth } from "./sandbox-warmth.ts";

const GONE_WITHIN_MS = 2000;

console.log(`Node ${process.version}, ${cpus().length} cores`);
const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
try {
  const build = copyBuild(join(folder, "build"));
  const containment = await benchContainment(build.bin, join(folder, "hostile"));
  const cost = await benchCost(build, join(folder, "speed"));
  writeResult("sandbox", { ...containment, ...cost });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function benchContainment(bin: string, home: string) {
  const prepared = prepareHome(bin, home, [{ amount: 1 }]);
  const gateway = await openGateway(prepared);
  const control = await openControl(prepared);
  const tree = watchTree(gateway.pid);
  try {
    const hostile = await benchHostile({ gateway, control, tree });
    return { hostile, crowd: await benchCrowd(gateway, control) };
  } finally {
    await control.close();
    await gateway.close();
    tree.stop();
    await lookForOrphans(tree);
  }
}

async function lookForOrphans(tree: TreeWatch): Promise<void> {
  if (!CAN_LOOK) return;
  const endedAt = performance.now();
  while (tree.left().length > 0 && performance.now() - endedAt < GONE_WITHIN_MS) await pause(10);
  const left = tree.left();
  const verdict = left.length === 0 ? "none, met" : `${left.join(", ")}, MISSED`;
  console.log(`  goal: no process is left after the gateway has ended: ${verdict}`);
}

async function benchCost(build: BuiltCopy, folderOfHome: string) {
  const home = prepareHome(build.bin, folderOfHome, ROWS);
  const parts = await build.loadParts();
  const gateway = await openGateway(home);
  const speed = await benchWarm(parts, gateway, home, folderOfHome);
  return { speed, warmth: await benchWarmth(home) };
}

async function benchWarm(parts: Parts, gateway: GatewayLines, home: BenchHome, folderOfHome: string) {
  try {
    const speed = await benchSpeed(parts, gateway, home);
    await benchShares(parts, gateway, folderOfHome);
    return speed;
  } finally {
    await gateway.close();
  }
}
