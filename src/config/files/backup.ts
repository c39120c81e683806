/**
 * What a file of another program was before it was changed, to the byte. `<home>/backups/<client>-<scope>-<time>.json`,
 * its owner's alone, for a client's file may hold secrets. A backup is on disk before the file is changed: a crash in
 * between leaves a backup of what is still there, which undoing finds and forgets.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, dirname } from "node:path";
import { messageOf, RepertoireError } from "../../core/errors.ts";
import { PRIVATE_MODES, removeFolders, replaceFile, resolveLink } from "../../process/replace-file.ts";
import { compareText } from "../../text/compare-text.ts";
import { CLIENT_FILE_BYTES_MAX, readWhole } from "./read-file.ts";

const FOLDER_NAME = "backups";
/** For each client. A backup is undone soon or never. */
export const BACKUP_COUNT_MAX = 20;

export interface Backup {
  /** The file, by the name under which it was asked for. */
  readonly path: string;
  /** Base64; null where there was no file. */
  readonly before: string | null;
  /** Of the bytes that were written: what undoing expects to find. */
  readonly afterSha256: string;
  /** Null where there was no file. */
  readonly mode: number | null;
  /** The topmost folder that is made for the file. */
  readonly madeFolder?: string;
  /** Inputs that got their values with the change. */
  readonly inputs?: readonly string[];
  /** The keys of the servers that the change took out. */
  readonly gone?: readonly string[];
}

/** Whose file it is. */
export interface BackupOwner {
  readonly client: string;
  readonly scope: string;
}

export interface KeptBackup {
  readonly file: string;
  readonly backup: Backup;
}

/** Keeps a backup and drops the oldest beyond the limit; returns its file. Throws when home cannot be written. */
export function keepBackup(
  home: string,
  owner: BackupOwner,
  backup: Backup,
  now: () => number = Date.now,
): string {
  const folder = join(home, FOLDER_NAME);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = writeNew(folder, owner, `${JSON.stringify(backup)}\n`, now());
    const old = listNames(folder, owner.client).slice(0, -BACKUP_COUNT_MAX);
    for (const name of old) rmSync(join(folder, name), { force: true });
    return file;
  } catch (error) {
    throw new RepertoireError("HOME_UNSAFE", `Cannot keep a backup in ${folder}: ${messageOf(error)}`, {
      hint: "Nothing was changed. Check that the home folder can be written, or choose another with --home.",
      cause: error,
    });
  }
}

/** The newest backup of this file, by its owner; a damaged one is passed over. */
export function findBackup(
  home: string,
  { client, scope }: BackupOwner,
  path: string,
): KeptBackup | undefined {
  const folder = join(home, FOLDER_NAME);
  for (const name of listNames(folder, client, scope).toReversed()) {
    const file = join(folder, name);
    const backup = readBackup(file);
    if (backup?.path === path) return { file, backup };
  }
  return undefined;
}

export function forgetBackup(file: string): void {
  rmSync(file, { force: true });
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Two in the same millisecond get neighbouring names; the order of names is the order of time. */
function writeNew(folder: string, { client, scope }: BackupOwner, text: string, at: number): string {
  for (let time = at; ; time++) {
    // No colons: Windows has none in names.
    const stamp = new Date(time).toISOString().replaceAll(":", "-");
    const file = join(folder, `${client}-${scope}-${stamp}.json`);
    try {
      writeFileSync(file, text, { mode: 0o600, flag: "wx", flush: true });
      return file;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** The names of a client's backups, oldest first; `claude` has none of those of `claude-desktop`. */
function listNames(folder: string, client: string, scope = "(?:user|project)"): string[] {
  const pattern = new RegExp(String.raw`^${RegExp.escape(client)}-${scope}-(\d{4}-.*)\.json$`);
  const found = namesIn(folder).flatMap((name) => {
    const time = pattern.exec(name)?.[1];
    return time === undefined ? [] : [{ name, time }];
  });
  return found.sort((a, b) => compareText(a.time, b.time)).map(({ name }) => name);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readBackup(file: string): Backup | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isBackup(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isBackup(value: unknown): value is Backup {
  if (typeof value !== "object" || value === null) return false;
  const { path, before, afterSha256, mode, madeFolder } = value as Record<string, unknown>;
  const { inputs = [], gone = [] } = value as Record<string, unknown>;
  return (
    typeof path === "string" &&
    (before === null || typeof before === "string") &&
    typeof afterSha256 === "string" &&
    (mode === null || typeof mode === "number") &&
    (madeFolder === undefined || typeof madeFolder === "string") &&
    isTextList(inputs) &&
    isTextList(gone)
  );
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

// ── undoing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Undone =
  | { readonly kind: "restored" | "removed"; readonly backup: Backup }
  /** The file is already what it was before. */
  | { readonly kind: "already"; readonly backup: Backup }
  /** The file was changed since, and undoing would lose that change. */
  | { readonly kind: "changed"; readonly backup: Backup }
  | { readonly kind: "none" };

/**
 * Undoes the newest change of this file: it is again what it was before, to the byte, or is gone where there was none.
 * `isForced` also where the file was changed since.
 */
export function undoChange(owner: BackupOwner, path: string, home: string, isForced = false): Undone {
  const kept = findBackup(home, owner, path);
  if (kept === undefined) return { kind: "none" };
  const { file, backup } = kept;
  const state = compare(path, backup);
  if (state === "changed" && !isForced) return { kind: "changed", backup };
  if (state !== "before") restore(path, backup);
  forgetBackup(file);
  if (state === "before") return { kind: "already", backup };
  return { kind: backup.before === null ? "removed" : "restored", backup };
}

/** Nothing was changed where this is thrown. */
export function changeError(
  path: string,
  cause: unknown,
  cure = "Check that the file and its folder can be written.",
): RepertoireError {
  return new RepertoireError("CONFIG_INVALID", `Cannot change ${path}: ${messageOf(cause)}`, {
    hint: `Nothing was changed. ${cure}`,
    cause,
  });
}

function compare(path: string, { before, afterSha256 }: Backup): "before" | "after" | "changed" {
  const now = readWhole(path, CLIENT_FILE_BYTES_MAX);
  if (typeof now === "object") return "changed";
  if (now === undefined) return before === null ? "before" : "changed";
  const bytes = Buffer.from(now);
  if (sha256Of(bytes) === afterSha256) return "after";
  return bytes.toString("base64") === before ? "before" : "changed";
}

function restore(path: string, { before, mode, madeFolder }: Backup): void {
  try {
    if (before !== null) {
      replaceFile(path, Buffer.from(before, "base64"), PRIVATE_MODES, { mode: mode ?? undefined });
      return;
    }
    const file = resolveLink(path);
    rmSync(file, { force: true });
    if (madeFolder !== undefined) removeFolders(dirname(file), madeFolder);
  } catch (error) {
    throw changeError(path, error);
  }
}
