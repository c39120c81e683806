/**
 * Runs untrusted code against functions that it is handed, and nothing else.
 *
 * The code runs in a fresh VM in a process of its own (`runner.ts`); what it calls is called here, on its behalf, within the
 * run's limits. `run` never throws and always ends: the guest stops itself at its deadline, and if it cannot, its process is
 * killed a moment later.
 *
 * **How a run ends.** When the code's own promise settles, the run is over: its VM is gone, detached code does not go on, and
 * no call starts any more. Calls that are already under way are awaited, because their effects are real; calls that still
 * waited for their turn are not made. At the deadline and on cancellation, calls under way are cancelled.
 */
import type { GuestOutcome, GuestRun } from "./guest-contract.ts";
import { createRunnerPool, type RunnerPool } from "./runner/runner-pool.ts";
import type { LaunchChild } from "./runner/runner-process.ts";
import { runInRunner } from "./runner/session.ts";

export type { CallReply, GuestFunction, GuestOutcome, GuestRun, LogLine, Thrown } from "./guest-contract.ts";

export interface Sandbox {
  run(run: GuestRun): Promise<GuestOutcome>;
  /** Starts a spare process before it is needed. */
  warm(): void;
  /** The process ids of all runners. */
  pids(): number[];
  close(): Promise<void>;
}

export interface SandboxDeps {
  readonly launch: LaunchChild;
  /** What a guest may use. */
  readonly memoryMb: () => number;
}

export function createSandbox(deps: SandboxDeps): Sandbox {
  const pool: RunnerPool = createRunnerPool(deps);
  return {
    run: (run) => runInRunner(pool, run, deps.memoryMb()),
    warm: () => pool.warm(),
    pids: () => pool.pids(),
    close: () => pool.close(),
  };
}
