/**
 * `npm run bench:retail`: the 114 tasks of τ²-bench's retail domain (or those of another shop in the same form, in the folder that
 * REPERTOIRE_BENCH_RETAIL names): whether call by call, as one script and as a kept tool they come to the same database, what each
 * way costs, and whether `kill -9` before and after each action changes anything.
 *
 *     node bench/retail.ts [--gateway PATH/dist/main.js] [--sample N | --no-kills] [--json FILE]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeResult } from "./result-file.ts";
import { reportOf } from "./retail/report.ts";
import { isWhole } from "./retail/kills.ts";
import { benchRetail, isProven } from "./retail/run.ts";
import { dataFolder } from "./retail/task.ts";

/** Between two lines that say how far the kills are. */
const KILLS_A_LINE = 50;

const { values } = parseArgs({
  options: {
    gateway: { type: "string", default: join(import.meta.dirname, "../dist/main.js") },
    sample: { type: "string", default: "1" },
    "no-kills": { type: "boolean", default: false },
    json: { type: "string" },
  },
});
const sample = Number(values.sample);
if (!Number.isInteger(sample) || sample < 1) throw new Error("--sample takes a whole number from 1 on.");
const folder = mkdtempSync(join(tmpdir(), "repertoire-bench-"));
try {
  const figures = await benchRetail({
    folder,
    data: dataFolder(),
    bin: values.gateway,
    ...(!values["no-kills"] && { sample }),
    onKill: ({ ends, failed }, all) => {
      const done = ends.length + failed.length;
      if (done % KILLS_A_LINE === 0)
        console.error(`${done} of ${all} kills, ${ends.filter(isWhole).length} whole`);
    },
  });
  if (figures === undefined)
    console.log(`bench:retail: skipped, there is no db.json and tasks.json in ${dataFolder()}`);
  else {
    console.log(reportOf(figures));
    writeResult("retail", figures);
  }
  if (figures !== undefined && !isProven(figures)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
