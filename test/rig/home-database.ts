/**
 * The database of a home whose gateways run on PostgreSQL: `TEST_STORE=postgresql` runs the tests of kills on it. Homes are
 * made and read in the middle of what a test does, so another process asks, and this one waits.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export const IS_ON_POSTGRES = process.env["TEST_STORE"] === "postgresql";

/** A copy of another home's database, or an empty one. All are gone with the server, at the end of the run. */
export function createHomeDatabase(from?: string): string {
  return ask(["create", ...(from === undefined ? [] : [from])]) as string;
}

/** The rows of a statement. */
export function readHomeDatabase(url: string, sql: string): unknown[] {
  return ask(["read", url, sql]) as unknown[];
}

function ask(args: readonly string[]): unknown {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "ask-database.ts"), ...args],
    { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
