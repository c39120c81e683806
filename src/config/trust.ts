/**
 * Which project files may start their servers. `<home>/trusted.json` holds, for each trusted file, its real path and
 * the SHA-256 of its exact bytes: a changed file, or the same bytes elsewhere, is not trusted.
 *
 * The list is replaced as a whole (a new file, then a rename), so a crash leaves the old list or the new one. Two
 * processes that trust at the same moment may lose one of the two entries, which only means asking again. A list that
 * cannot be read counts as empty: nothing is started that was not trusted for certain.
 */
import { mkdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf, RepertoireError } from "../core/errors.ts";
import { parseJson } from "../core/json.ts";
import type { ConfigProblem } from "./problem.ts";
import { readTextFile } from "./files/read-file.ts";
import { PRIVATE_MODES, replaceFile } from "../process/replace-file.ts";

const TRUST_FILE_NAME = "trusted.json";

interface TrustEntry {
  readonly path: string;
  readonly sha256: string;
  /** ISO 8601, for people. */
  readonly trustedAt: string;
}

/** Whether this file, with these bytes, was trusted. `warn` is called for a list that cannot be read. */
export function isTrusted(
  home: string,
  path: string,
  sha256: string,
  warn: (problem: ConfigProblem) => void = () => {},
): boolean {
  const realPath = realPathOf(path);
  return readEntries(home, warn).some((entry) => entry.path === realPath && entry.sha256 === sha256);
}

/**
 * Trusts a file with exactly these bytes, in place of any earlier trust for the same path. Throws when home cannot be
 * written.
 */
export function trust(home: string, path: string, sha256: string, now: () => number = Date.now): void {
  const entry = { path: realPathOf(path), sha256, trustedAt: new Date(now()).toISOString() };
  writeEntries(home, [...otherEntries(home, entry.path), entry]);
}

/** Withdraws the trust of a file, also of one that is gone; says whether there was any. */
export function revoke(home: string, path: string): boolean {
  const realPath = realPathOf(path);
  if (!readEntries(home).some((entry) => entry.path === realPath)) return false;
  writeEntries(home, otherEntries(home, realPath));
  return true;
}

export function trustFileOf(home: string): string {
  return join(home, TRUST_FILE_NAME);
}

function otherEntries(home: string, realPath: string): TrustEntry[] {
  return readEntries(home).filter((entry) => entry.path !== realPath);
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function readEntries(home: string, warn: (problem: ConfigProblem) => void = () => {}): TrustEntry[] {
  const file = trustFileOf(home);
  const read = readTextFile(file);
  if (!read.ok && read.missing) return [];
  const entries = read.ok ? parseEntries(read.text) : undefined;
  if (entries !== undefined) return entries;
  const message = read.ok ? "the list of trusted files is damaged" : read.message;
  warn({ file, path: "", message: `${message}; it counts as empty`, hint: "run `repertoire trust` again" });
  return [];
}

function parseEntries(text: string): TrustEntry[] | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || typeof parsed.value !== "object" || parsed.value === null) return undefined;
  const { trusted } = parsed.value as { trusted?: unknown };
  return Array.isArray(trusted) && trusted.every(isEntry) ? trusted : undefined;
}

function isEntry(value: unknown): value is TrustEntry {
  if (typeof value !== "object" || value === null) return false;
  const { path, sha256, trustedAt } = value as Record<string, unknown>;
  return typeof path === "string" && typeof sha256 === "string" && typeof trustedAt === "string";
}

function writeEntries(home: string, trusted: readonly TrustEntry[]): void {
  const file = trustFileOf(home);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    replaceFile(file, Buffer.from(`${JSON.stringify({ trusted }, null, 2)}\n`), PRIVATE_MODES);
  } catch (error) {
    throw new RepertoireError("HOME_UNSAFE", `Cannot write ${file}: ${messageOf(error)}`, {
      hint: "Check that the home folder is a folder that you may write to, or choose another with --home.",
      cause: error,
    });
  }
}
