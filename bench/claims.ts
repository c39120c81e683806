/**
 * `npm run claims`: writes the table of the README and docs/numbers.md from the results in bench/results. `-- --run bench,search`
 * measures these benches first; `-- --run all` measures all.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { SCRIPTS, type BenchName } from "./claims/figures.ts";
import { numbersPage, readmeTable, rowsOf, withTable } from "./claims/render.ts";
import { BENCHES, readResults, resultFile } from "./claims/results.ts";

const ROOT = join(import.meta.dirname, "..");
const README = join(ROOT, "README.md");

const { values } = parseArgs({ options: { run: { type: "string" } } });
for (const name of asked(values.run)) measure(name);
const results = readResults();
writeFileSync(README, withTable(readFileSync(README, "utf8"), readmeTable(results)));
writeFileSync(join(ROOT, "docs/numbers.md"), numbersPage(results));
const rows = rowsOf(results);
console.log(
  `${rows.filter(({ cells }) => cells !== undefined).length} of ${rows.length} claims are measured.`,
);

function asked(names: string | undefined): readonly BenchName[] {
  if (names === undefined) return [];
  if (names === "all") return BENCHES;
  return names.split(",").map((written) => {
    const name = BENCHES.find((one) => one === written.trim());
    if (name === undefined) throw new Error(`There is no bench ${written}; there are ${BENCHES.join(", ")}.`);
    return name;
  });
}

/** A bench that fails leaves the result that there was. */
function measure(name: BenchName): void {
  const file = resultFile(name);
  mkdirSync(dirname(file), { recursive: true });
  const { status } = spawnSync("npm", ["run", "--silent", SCRIPTS[name], "--", "--json", file], {
    cwd: ROOT,
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`npm run ${SCRIPTS[name]} failed; nothing was written.`);
}
