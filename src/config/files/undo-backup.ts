/** Takes a change back: the file is again what it was before, to the byte, or is gone where there was none. */
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, RepertoireError } from "../../core/errors.ts";
import { findBackup, forgetBackup, sha256Of, type Backup, type BackupOwner } from "./backup.ts";
import { CLIENT_FILE_BYTES_MAX, readWhole } from "./read-whole.ts";
import { PRIVATE_MODES, removeFolders, replaceFile, resolveLink } from "../../process/replace-file.ts";

export type Undone =
  | { readonly kind: "restored" | "removed"; readonly backup: Backup }
  /** The file is what it was before, whoever made it so. */
  | { readonly kind: "already"; readonly backup: Backup }
  /** Somebody changed the file since: what they did would be lost. */
  | { readonly kind: "changed"; readonly backup: Backup }
  | { readonly kind: "none" };

/** Undoes the newest change of this file; `isForced` also where the file was changed since. */
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
      replaceFile(path, Buffer.from(before, "base64"), PRIVATE_MODES, mode ?? undefined);
      return;
    }
    const file = resolveLink(path);
    rmSync(file, { force: true });
    if (madeFolder !== undefined) removeFolders(dirname(file), madeFolder);
  } catch (error) {
    throw changeError(path, error);
  }
}
