/** `npm run soak`: the kill tests of `npm test`, many times over. */
import { spawnSync } from "node:child_process";

const ROUNDS = process.env["SOAK_ROUNDS"] ?? "100";
const SEED = process.env["STORE_KILL_SEED"] ?? String(Date.now() % 2 ** 31);

console.log(`STORE_KILL_SEED=${SEED}, ${ROUNDS} rounds`);

const tests = ["test/store-processes.test.ts", "test/process-orphans.test.ts", "test/faults.test.ts"];
const { status } = spawnSync("vitest", ["run", ...tests, "--testTimeout=3600000"], {
  stdio: "inherit",
  env: {
    ...process.env,
    STORE_KILL_ROUNDS: ROUNDS,
    STORE_KILL_SEED: SEED,
    PROCESS_KILL_ROUNDS: ROUNDS,
    GATEWAY_KILL_ROUNDS: ROUNDS,
  },
});
process.exitCode = status ?? 1;
