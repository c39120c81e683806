import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those that take longest on two cores. */
const LONG = [
  "crash",
  "replicas-store",
  "asked-calls",
  "console-large",
  "console-screens",
  "console-hostile",
  "console-twins",
  "decisions",
  "slow-start",
  "approval-storms",
  "faults",
  "real-servers",
  "workflow-execution",
  "library",
  "meta-tools",
  "code",
  "cli-runs",
  "cli-library",
  "cli",
  "four-cells",
  "retail",
  "pinned-packages",
  "call-recording",
  "token-profile",
  "read-only-token",
  "real-clients",
  "server-answers",
  "fitting-errors",
  "last-run",
  "forwarding",
].map((name) => `/test/${name}.test.ts`);

/** The long ones first: otherwise one worker waits for the other at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(name));
      return at === -1 ? LONG.length + (moduleId.includes("/test/") ? 0 : 1) : at;
    };
    return files.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

/** Their kit has hooks of its own, which count only where it is loaded anew. */
const ISOLATED = ["src/gateway/**/*.test.ts"];

const UNIT = ["src/**/*.test.ts", "console/**/*.test.{ts,tsx}"];

export default defineConfig({
  test: {
    globalSetup: ["test/build-once.ts", "test/postgres-once.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    sequence: { sequencer: LongestFirst },
    // Generous, for a machine that others use: what decides is a state or a counter, not the clock.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    retry: 0,
    pool: "forks",
    // Two cores: a third works while the other two wait for processes.
    maxWorkers: 3,
    projects: [
      // Most of the time of a small test is loading what it tests: files that leave nothing behind share a process.
      { extends: true, test: { name: "unit", include: UNIT, exclude: ISOLATED, isolate: false } },
      { extends: true, test: { name: "whole", include: ["test/**/*.test.ts", ...ISOLATED] } },
    ],
  },
});
