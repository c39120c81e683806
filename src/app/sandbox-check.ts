import { findNetworkFence } from "../sandbox/runner/runner-process.ts";
import { createSandbox } from "../sandbox/sandbox.ts";
import { createTypeCheck } from "../sandbox/types/type-check.ts";
import { launch } from "../process/launch.ts";

/** Whether code can run on this machine, and what guards it. */
export interface SandboxCheck {
  readonly startMs: number;
  /** Why code cannot run. */
  readonly problem?: string;
  /** Why types are not checked. */
  readonly typesProblem?: string;
  readonly hasNetworkFence: boolean;
}

const MEMORY_MB = 64;
const TIMEOUT_MS = 10_000;

/** Runs a line of code in a sandbox of its own; nothing of it is kept. */
export async function checkSandbox(): Promise<SandboxCheck> {
  const sandbox = createSandbox({ launch, memoryMb: () => MEMORY_MB });
  const types = createTypeCheck();
  const startedAt = performance.now();
  try {
    const [outcome, verdict, fence] = await Promise.all([
      sandbox.run({
        script: "(async () => 1)",
        args: {},
        functions: [],
        call: () => Promise.reject(new Error("nothing is called")),
        seed: "",
        clockAt: 0,
        timeoutMs: TIMEOUT_MS,
        callsMax: 0,
        callsAtOnceMax: 0,
        signal: new AbortController().signal,
        level: 0,
        owner: "",
      }),
      types.check({ checked: "(async () => {\n})();", declarations: "", calls: [] }),
      findNetworkFence(),
    ]);
    return {
      startMs: performance.now() - startedAt,
      hasNetworkFence: fence.length > 0,
      ...(outcome.kind !== "returned" && { problem: "reason" in outcome ? outcome.reason : outcome.kind }),
      ...(verdict.kind === "unchecked" && { typesProblem: verdict.reason }),
    };
  } finally {
    await Promise.all([sandbox.close(), types.close()]);
  }
}
