/**
 * `npm run bench:search`: how well and how fast tools are found, beside MiniSearch and SQLite's FTS5 in the same run.
 * `-- --quick` asks few queries, `-- --json` prints the figures as JSON instead of tables, `-- --json FILE` writes them there as well. The labelled sets are no part
 * of this project: REPERTOIRE_BENCH_DATA names their folder.
 */
import { cpus, loadavg } from "node:os";
import { resultFileOf, writeResult } from "./result-file.ts";
import { dataFolder, loadBenchData } from "./search-data.ts";
import { printFootprint } from "./search-memory.ts";
import { systemNamed } from "./search-candidates.ts";
import { benchSearch } from "./search-run.ts";

const args = process.argv.slice(2);
const [first, system, size] = args;
const folder = dataFolder();
const data = loadBenchData(folder);
if (data === undefined) {
  console.log(
    `Skipped: the labelled queries are not in ${folder} (metatool.json, livemcp-step.json, seal-tools.json, distractors.json). REPERTOIRE_BENCH_DATA names another folder.`,
  );
} else if (first === "--footprint") {
  printFootprint(systemNamed(system!), Number(size));
} else {
  const isJson = args.includes("--json") && resultFileOf(args) === undefined;
  if (!isJson)
    console.log(
      `Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)} at the start`,
    );
  const figures = benchSearch(data, import.meta.filename, { isQuick: args.includes("--quick"), isJson });
  writeResult("search", figures);
  if (isJson)
    console.log(JSON.stringify({ node: process.version, cores: cpus().length, ...figures }, null, 2));
}
