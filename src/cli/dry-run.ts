/**
 * `--dry-run`: the command itself, with all its checks, on a copy of the home that is removed afterwards. So what it
 * says is what it would do, and no command has a second way of saying it. What is not in the home (files of others, the
 * keyring, a server) is not covered: commands that write there stop before they do.
 */
import { chmodSync, cpSync, existsSync, linkSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyDatabase } from "../app/app.ts";
import type { ToolError } from "../core/errors.ts";
import { fail } from "../core/result.ts";
import { refuse } from "./app-call.ts";
import { storePlaceOf } from "./store-call.ts";
import { EXIT } from "./terminal/exit-code.ts";
import type { GlobalOptions } from "./global-options.ts";
import { dim, note, markDryRun } from "./terminal/terminal.ts";

export interface DryRunOptions extends GlobalOptions {
  readonly dryRun?: boolean;
}

/** Does the work, or with `--dry-run` the same on a copy of the home. */
export async function runOnCopy<O extends DryRunOptions>(
  options: O,
  work: (options: O) => Promise<number> | number,
): Promise<number> {
  if (options.dryRun !== true) return work(options);
  const { home, store } = await storePlaceOf(options);
  if (store.place !== undefined) return refuse(cannotCopy(store.place), options);
  const copy = copyHome(home);
  beginDryRun();
  try {
    return endDryRun(await work({ ...options, home: copy }));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** A dry run of the command itself would be none: others see each step of it, and it cannot be taken back. */
function cannotCopy(place: string): ToolError {
  return fail("TOOL_INVALID_INPUT", `--dry-run works on a copy of the store, and ${place} is not copied.`, {
    field: "dry-run",
    hint: "Nothing was done. Run the command without --dry-run, or try it on a home of its own with --home and without REPERTOIRE_DATABASE_URL.",
  }).error;
}

/** From here on the answer is about what would be done. */
export function beginDryRun(): void {
  markDryRun();
  note(dim("Dry run: this would be done."));
}

export function endDryRun(exitCode: number): number {
  if (exitCode === EXIT.ok) note(dim("Nothing was written (--dry-run)."));
  return exitCode;
}

/** Inside the home, so that other users cannot read it; an empty temporary folder if there is no home yet. */
function copyHome(home: string): string {
  const copy = mkdtempSync(join(existsSync(home) ? home : tmpdir(), ".dry-run-"));
  chmodSync(copy, 0o700);
  for (const name of ["drafts", "tokens.json", "trusted.json"]) {
    if (existsSync(join(home, name))) cpSync(join(home, name), join(copy, name), { recursive: true });
  }
  // Never written in place, so the same file will do, and secrets are not on the disk twice.
  if (existsSync(join(home, SECRETS))) linkSync(join(home, SECRETS), join(copy, SECRETS));
  copyDatabase(home, copy);
  return copy;
}

const SECRETS = "secrets.json";
