import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "../scripts/bundle.ts";
import { findBrowser } from "./rig/chromium.ts";

/**
 * Tests that start the gateway as a process start the bundle that users get, so it is built once before all tests. Each has a home
 * of its own; what was compiled of the bundle they share, or every one of hundreds of starts would compile it anew.
 */
export async function setup(): Promise<() => void> {
  await bundle();
  await findBrowser();
  const folder = mkdtempSync(join(tmpdir(), "repertoire-compiled-"));
  process.env["TEST_CACHE_HOME"] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
