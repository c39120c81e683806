/** The results in bench/results: one file for each bench that was measured. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readResult } from "../result-file.ts";
import { SCRIPTS, type BenchName, type Results } from "./figures.ts";

const FOLDER = join(import.meta.dirname, "../results");

export const BENCHES = Object.keys(SCRIPTS) as readonly BenchName[];

export function resultFile(name: BenchName): string {
  return join(FOLDER, `${name}.json`);
}

export function readResults(): Results {
  const found = BENCHES.filter((name) => existsSync(resultFile(name)));
  return new Map(
    found.map((name) => {
      const result = readResult(resultFile(name));
      // A file that a bench did not write itself, or wrote for another name, claims nothing.
      if (result.name !== name || typeof result.date !== "string")
        throw new Error(
          `${resultFile(name)} is no result of ${SCRIPTS[name]}. Measure again: npm run claims -- --run ${name}`,
        );
      return [name, result];
    }),
  );
}
