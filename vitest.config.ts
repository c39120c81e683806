import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/build-once.ts"],
    setupFiles: ["test/fixed-seed.ts"],
    testTimeout: 30_000,
    retry: 0,
    pool: "forks",
    maxWorkers: 2,
  },
});
