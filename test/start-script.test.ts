/** `npm start` in a project of a few lines: when it builds, what it says first, and how it ends. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { environmentOf } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const START = join(import.meta.dirname, "../scripts/start.ts");
/** Stands where the bundler is: it says when it works, and writes a program that ends as it is told. */
const BUNDLE = `import { mkdirSync, writeFileSync } from "node:fs";
export async function bundle() {
  console.log("bundling");
  const dist = import.meta.dirname + "/../dist/";
  mkdirSync(dist, { recursive: true });
  writeFileSync(dist + "main.js", "console.log(process.argv.slice(2).join(' ')); process.exit(130)");
  writeFileSync(dist + "THIRD_PARTY_LICENSES.txt", "");
}`;

it("C8: npm start says that it builds before it does, and builds only what is older than its sources", () => {
  const folder = temporaryFolder();
  for (const name of ["scripts", "src"]) mkdirSync(join(folder, name));
  copyFileSync(START, join(folder, "scripts/start.ts"));
  writeFileSync(join(folder, "scripts/bundle.ts"), BUNDLE);
  writeFileSync(join(folder, "package.json"), `{"type": "module"}`);
  const source = join(folder, "src/main.ts");
  writeFileSync(source, "");
  const start = (...args: string[]) => {
    const { stdout, status } = spawnSync(process.execPath, [join(folder, "scripts/start.ts"), ...args], {
      env: environmentOf(folder),
      encoding: "utf8",
      timeout: 60_000,
    });
    return { lines: stdout.trimEnd().split("\n"), status };
  };
  expect(start()).toEqual({
    lines: ["Building (the first time, about 15 s) …", "bundling", "demo"],
    status: 130,
  });
  expect(start("--no-serve")).toEqual({ lines: ["demo --no-serve"], status: 130 });
  const later = new Date(Date.now() + 60_000);
  utimesSync(source, later, later);
  expect(start().lines).toEqual(["Building what has changed …", "bundling", "demo"]);
});
