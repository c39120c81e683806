import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { expect, it } from "vitest";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const FULL = "/dev/full";

it.skipIf(!existsSync(FULL))("N1: an answer that could not be written is a failure", () => {
  const folder = temporaryFolder();
  const stdout = openSync(FULL, "w");
  try {
    const { status, stderr } = spawnSync(process.execPath, [BIN, "config", "schema"], {
      cwd: folder,
      env: environmentOf(folder),
      encoding: "utf8",
      stdio: ["ignore", stdout, "pipe"],
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error the answer could not be written to stdout: ENOSPC/);
  } finally {
    closeSync(stdout);
  }
});
