/** Every test of the store's contract, behind PgBouncer in transaction mode. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPgBouncer } from "../rig/pgbouncer.ts";
import type { Case } from "./case.ts";

const SUITE = "src/store/postgres/postgres-store.test.ts";
const ARGUMENTS = ["run", "--project", "unit", SUITE, "--reporter=json"];

interface Report {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
  readonly numPendingTests: number;
}

export const suiteBehindPooler: Case = {
  name: "store: whole contract suite behind PgBouncer",
  bar: "every test passes",
  async run() {
    if (!hasPgBouncer()) return { skipped: "PgBouncer is not installed here" };
    const folder = mkdtempSync(join(tmpdir(), "repertoire-report-"));
    const file = join(folder, "report.json");
    const { stderr } = spawnSync("vitest", [...ARGUMENTS, `--outputFile=${file}`], {
      encoding: "utf8",
      env: { ...process.env, TEST_POOLER: "1" },
    });
    const text = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    rmSync(folder, { recursive: true });
    if (text === undefined) throw new Error(stderr);
    const { numPassedTests: passed, numTotalTests, numPendingTests } = JSON.parse(text) as Report;
    const total = numTotalTests - numPendingTests;
    return {
      done: "the contract suite with pooler: true through PgBouncer in transaction mode",
      figures: `${passed} of ${total} tests`,
      isMet: passed === total && total > 100,
    };
  },
};
