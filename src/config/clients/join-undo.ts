/** Takes a join back: the client's file is again what it was before, to the byte, or is gone where there was none. */
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { findBackup, forgetBackup, sha256Of, type Backup } from "../backup.ts";
import { removeFolders, replaceFile, resolveLink, PRIVATE_MODES } from "../replace-file.ts";
import { CLIENT_FILE_BYTES_MAX, readWhole } from "../read-whole.ts";
import { joinError } from "./join-plan.ts";
import type { JoinTarget } from "./join-place.ts";

export type JoinUndone =
  | { readonly kind: "restored" | "removed"; readonly backup: string }
  /** The file is what it was before, whoever made it so. */
  | { readonly kind: "already"; readonly backup: string }
  /** Somebody changed the file since: what they did would be lost. */
  | { readonly kind: "changed"; readonly backup: string }
  | { readonly kind: "none" };

/** Undoes the newest join of this file; `isForced` also where the file was changed since. */
export function undoJoin(target: JoinTarget, home: string, isForced = false): JoinUndone {
  const { client, scope, path } = target;
  const kept = findBackup(home, { client, scope }, path);
  if (kept === undefined) return { kind: "none" };
  const { file, backup } = kept;
  const state = compare(path, backup);
  if (state === "changed" && !isForced) return { kind: "changed", backup: file };
  if (state !== "before") restore(path, backup);
  forgetBackup(file);
  if (state === "before") return { kind: "already", backup: file };
  return { kind: backup.before === null ? "removed" : "restored", backup: file };
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
    throw joinError(path, error);
  }
}
