/**
 * `npm run soak`: the kill tests of `npm test`, many times over; `npm run soak kills` is the one part of it about runs, `npm run soak
 * approvals` the one about decisions of people, `npm run soak pins` the one about held tools, `npm run soak limits` the
 * one about limits of calls, `npm run soak retail` the one that kills around each of τ²-bench's 550 actions.
 */
import { spawnSync } from "node:child_process";

const ROUNDS = process.env["SOAK_ROUNDS"] ?? "100";
/** Moments at which a run dies, for code and for a workflow each. */
const MOMENTS = process.env["RUN_KILL_ROUNDS"] ?? "200";
/** Storms of kills with approvals in the run. */
const STORMS = process.env["APPROVAL_STORMS"] ?? "500";
const SEED = process.env["STORE_KILL_SEED"] ?? String(Date.now() % 2 ** 31);
const RUN_SEED = process.env["RUN_KILL_SEED"] ?? SEED;

/** Interleavings of lists, changes, decisions and calls, with pins. */
const INTERLEAVINGS = process.env["PIN_INTERLEAVINGS"] ?? "10000";
const STORM_SEED = process.env["APPROVAL_STORM_SEED"] ?? SEED;

/** Every so-many-th action of τ²-bench's retail domain. */
const RETAIL_SAMPLE = process.env["RETAIL_SAMPLE"] ?? "1";

const PARTS: Readonly<Record<string, readonly string[]>> = {
  store: ["test/store-processes.test.ts"],
  processes: ["test/process-orphans.test.ts", "test/faults.test.ts"],
  kills: ["test/crash.test.ts"],
  approvals: [
    "test/approval-storms.test.ts",
    "src/runs/approval-interleavings.test.ts",
    "test/asked-calls.test.ts",
  ],
  pins: ["test/pin-interleavings.test.ts"],
  limits: ["test/call-recording.test.ts"],
  retail: ["test/retail.test.ts"],
};

function testsOf(wanted: readonly string[]): string[] {
  const unknown = wanted.filter((part) => !Object.hasOwn(PARTS, part));
  if (unknown.length > 0) {
    throw new Error(`There is no part ${unknown.join(", ")}; there are ${Object.keys(PARTS).join(", ")}.`);
  }
  return (wanted.length === 0 ? Object.keys(PARTS) : wanted).flatMap((part) => PARTS[part]!);
}

const tests = testsOf(process.argv.slice(2));
console.log(
  `STORE_KILL_SEED=${SEED}, ${ROUNDS} rounds; RUN_KILL_SEED=${RUN_SEED}, ${MOMENTS} moments; ` +
    `APPROVAL_STORM_SEED=${STORM_SEED}, ${STORMS} storms`,
);
const { status } = spawnSync("vitest", ["run", ...tests, "--testTimeout=3600000"], {
  stdio: "inherit",
  env: {
    ...process.env,
    STORE_KILL_ROUNDS: ROUNDS,
    STORE_KILL_SEED: SEED,
    PROCESS_KILL_ROUNDS: ROUNDS,
    GATEWAY_KILL_ROUNDS: ROUNDS,
    RUN_KILL_ROUNDS: MOMENTS,
    RUN_KILL_SEED: RUN_SEED,
    LIMIT_ROUNDS: ROUNDS,
    RETAIL_SAMPLE,
    APPROVAL_STORMS: STORMS,
    APPROVAL_STORM_SEED: STORM_SEED,
    APPROVAL_INTERLEAVINGS: INTERLEAVINGS,
    PIN_INTERLEAVINGS: INTERLEAVINGS,
    PIN_INTERLEAVING_SEED: SEED,
  },
});
process.exitCode = status ?? 1;
