/**
 * `<home>/tokens.json`: who may come in over HTTP. Only its owner may read it, and one that others can read is
 * refused.
 *
 * - A reader sees the old list or the new one, never half of one: it is replaced as a whole, by a new file and a
 *   rename.
 * - A change reads, changes and replaces under a lock between processes, so that no two changes undo each other: a
 *   token that was revoked does not come back because another was made at that moment, and of several first starts
 *   one makes the token that all have.
 * - A process that dies in between leaves the old list, and the system takes its lock away.
 */
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, RepertoireError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import { takeLock } from "../../process/file-lock.ts";
import { PRIVATE_MODES, replaceFile } from "../../process/replace-file.ts";
import { parseEntries, type TokenEntry } from "./token.ts";

const OTHERS = 0o077;
/** A change takes some ms; a longer wait is for something that is broken. */
const LOCK_WAIT_MS = 10_000;

export function tokenFileOf(home: string): string {
  return join(home, "tokens.json");
}

/**
 * The entries as they are on disk, or undefined where there is no file yet. Throws where it cannot or must not be
 * read.
 */
export function readTokens(home: string): readonly TokenEntry[] | undefined {
  const file = tokenFileOf(home);
  const text = readPrivately(file);
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  const entries = parsed.ok ? parseEntries(parsed.value) : undefined;
  if (entries !== undefined) return entries;
  throw new RepertoireError("HOME_UNSAFE", `${file} is damaged: it is not a list of tokens`, {
    hint: "Move it away and run `repertoire token`: that makes a new one. All clients need new tokens then.",
  });
}

/**
 * Replaces the entries by what `change` makes of them, while no other process can; undefined leaves them as they are.
 * `change` is handed undefined where there is no file yet.
 */
export function changeTokens<T>(
  home: string,
  change: (entries: readonly TokenEntry[] | undefined) => {
    readonly entries?: readonly TokenEntry[];
    readonly outcome: T;
  },
): T {
  return alone(home, () => {
    const { entries, outcome } = change(readTokens(home));
    if (entries !== undefined) replace(home, entries);
    return outcome;
  });
}

function readPrivately(file: string): string | undefined {
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unusable(file, error);
  }
  try {
    requirePrivate(file, fstatSync(handle).mode);
    return readFileSync(handle, "utf8");
  } catch (error) {
    throw error instanceof RepertoireError ? error : unusable(file, error);
  } finally {
    closeSync(handle);
  }
}

function requirePrivate(file: string, mode: number): void {
  // Windows has no such bits; a user's profile folder is private there.
  if (process.platform === "win32" || (mode & OTHERS) === 0) return;
  throw new RepertoireError("HOME_UNSAFE", `Other users can read ${file}, which holds tokens`, {
    hint: `Run \`chmod 600 "${file}"\`, then \`repertoire token rotate\`: somebody may have read the token already.`,
  });
}

function alone<T>(home: string, work: () => T): T {
  const release = lock(home);
  try {
    return work();
  } finally {
    release();
  }
}

function lock(home: string): () => void {
  const file = `${tokenFileOf(home)}.lock`;
  try {
    return takeLock(file, LOCK_WAIT_MS);
  } catch (error) {
    throw unusable(file, error);
  }
}

function replace(home: string, tokens: readonly TokenEntry[]): void {
  const file = tokenFileOf(home);
  try {
    const text = `${JSON.stringify({ tokens }, null, 2)}\n`;
    replaceFile(file, text, PRIVATE_MODES, {
      mode: PRIVATE_MODES.file,
      followsLink: false,
      // Without it a power cut could bring back a list that still has a revoked token.
      isRenameFlushed: true,
    });
  } catch (error) {
    throw unusable(file, error);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function unusable(file: string, error: unknown): RepertoireError {
  return new RepertoireError("HOME_UNSAFE", `${file} cannot be used: ${messageOf(error)}`, {
    hint: "Check that the home folder is one that this user may read and write, or choose another with --home.",
    cause: error,
  });
}
