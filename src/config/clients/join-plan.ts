/**
 * Joins a client: what its file would become, and the writing of exactly that. Planning changes nothing. Between the plan and
 * the writing a person is asked, so the file is looked at again: only the bytes that were planned on are replaced.
 */
import type { JsonObject } from "../../core/json.ts";
import { forgetBackup, keepBackup, sha256Of } from "../backup.ts";
import { CLIENT_FILE_BYTES_MAX, readWhole } from "../read-whole.ts";
import { changeError } from "../undo-backup.ts";
import { findMissingFolder, modeOf, PRIVATE_MODES, replaceFile, SHARED_MODES } from "../replace-file.ts";
import { joinJson, leaveJson } from "./join-json.ts";
import { JOINED_KEY, type JoinTarget } from "./join-place.ts";
import { editBehindMark, type TextEdit } from "./join-text.ts";
import { joinToml, leaveToml } from "./join-toml.ts";

export interface JoinChange {
  readonly kind: "change";
  readonly target: JoinTarget;
  /** `undefined` where there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** The keys of the servers that are taken out, and of those that could not be. */
  readonly gone: readonly string[];
  readonly stuck: readonly string[];
}

export type JoinPlan =
  | JoinChange
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly message: string };

/** What the client's file would become with this entry in it, and without the servers of these keys. */
export function planJoin(target: JoinTarget, entry: JsonObject, keys: readonly string[] = []): JoinPlan {
  const read = readWhole(target.path, CLIENT_FILE_BYTES_MAX);
  if (typeof read === "object") return { kind: "refused", message: `${target.path}  ${read.message}` };
  const gone: string[] = [];
  const stuck: string[] = [];
  const edited = editBehindMark(read ?? "", (text) => {
    const joined = joinText(text, target, entry);
    if (joined.kind === "refused") return joined;
    let rest = joined.kind === "changed" ? joined.text : text;
    for (const key of keys) {
      const left = leaveText(rest, target, key);
      if (left.kind === "changed") rest = left.text;
      if (left.kind !== "unchanged") (left.kind === "changed" ? gone : stuck).push(key);
    }
    return rest === text ? { kind: "unchanged" } : { kind: "changed", text: rest };
  });
  return edited.kind === "changed"
    ? { kind: "change", target, before: read, after: edited.text, gone, stuck }
    : edited;
}

function joinText(text: string, { format, path, section }: JoinTarget, entry: JsonObject): TextEdit {
  return (format === "toml" ? joinToml : joinJson)(text, path, [section, JOINED_KEY], entry);
}

function leaveText(text: string, { format, path, section }: JoinTarget, key: string): TextEdit {
  return (format === "toml" ? leaveToml : leaveJson)(text, path, [section, key]);
}

export type JoinWritten =
  | { readonly kind: "written"; readonly backup: string }
  | { readonly kind: "changed" };

/** Writes what was planned, with a backup kept first. Throws where the file or the home cannot be written. */
export function writeJoin(
  { target, before, after }: JoinChange,
  home: string,
  now: () => number = Date.now,
): JoinWritten {
  const { client, scope, path } = target;
  if (readWhole(path, CLIENT_FILE_BYTES_MAX) !== before) return { kind: "changed" };
  const bytes = Buffer.from(after);
  const madeFolder = findMissingFolder(path);
  const backup = {
    path,
    before: before === undefined ? null : Buffer.from(before).toString("base64"),
    afterSha256: sha256Of(bytes),
    mode: modeOf(path) ?? null,
    ...(madeFolder === undefined ? {} : { madeFolder }),
  };
  const file = keepBackup(home, { client, scope }, backup, now);
  try {
    replaceFile(path, bytes, scope === "user" ? PRIVATE_MODES : SHARED_MODES);
  } catch (error) {
    forgetBackup(file);
    throw changeError(path, error);
  }
  return { kind: "written", backup: file };
}
