/** `npm run soak`: the kill tests of `npm test`, many times over. */
import { spawnSync } from "node:child_process";

const ROUNDS = process.env["SOAK_ROUNDS"] ?? "100";

const { status } = spawnSync("vitest", ["run", "test/store-processes.test.ts", "--testTimeout=3600000"], {
  stdio: "inherit",
  env: { ...process.env, STORE_KILL_ROUNDS: ROUNDS },
});
process.exitCode = status ?? 1;
