/**
 * `npm start`: the demo, on a bundle that is up to date. It says what it does before it does it, and builds only where a source is newer
 * than the bundle.
 */
import { spawn } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** Written last: a build that was cut short has none. */
const LAST_WRITTEN = join(root, "dist/THIRD_PARTY_LICENSES.txt");
const SOURCES = [
  "src/**/*.ts",
  "console/**/*.{ts,tsx,css,html,svg}",
  "scripts/*.ts",
  "package.json",
  "package-lock.json",
];

function builtAt(): number {
  return statSync(LAST_WRITTEN, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function newestSourceAt(): number {
  return Math.max(...globSync(SOURCES, { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs));
}

if (builtAt() <= newestSourceAt()) {
  console.log(builtAt() === 0 ? "Building (the first time, about 15 s) …" : "Building what has changed …");
  // Loading the bundler takes a second by itself.
  const { bundle } = await import("./bundle.ts");
  await bundle();
}

// A signal of the terminal reaches the demo too, and how the demo ends is how this ends.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
const demo = spawn(process.execPath, [join(root, "dist/main.js"), "demo", ...process.argv.slice(2)], {
  stdio: "inherit",
});
demo.on("close", (code, signal) => {
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
});
