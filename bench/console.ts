/**
 * `npm run bench:console`: what the console costs the gateway while nobody looks, and how fast its page is.
 * `npm run bench:console -- ../before/dist/main.js` compares the gateway with another build.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { benchConsoleMemory } from "./console-memory.ts";
import { benchConsolePage } from "./console-page.ts";
import { copyBuild } from "./sandbox-build.ts";

console.log(`Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)} at the start`);
const [other] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
try {
  const { bin } = copyBuild(join(folder, "build"));
  await benchConsoleMemory(bin, other === undefined ? undefined : resolve(other), join(folder, "memory"));
  await benchConsolePage(bin, join(folder, "page"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
