/**
 * Joins a client: what its file would become, and the writing of exactly that. Planning changes nothing. Between the plan and
 * the writing a person is asked, so the file is looked at again: only the bytes that were planned on are replaced.
 */
import { parse } from "smol-toml";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { findBackup, forgetBackup, keepBackup, sha256Of } from "../../config/files/backup.ts";
import { parseDocument } from "../../config/files/document.ts";
import { CLIENT_FILE_BYTES_MAX, readWhole } from "../../config/files/read-whole.ts";
import { changeError } from "../../config/files/undo-backup.ts";
import {
  findMissingFolder,
  modeOf,
  PRIVATE_MODES,
  replaceFile,
  SHARED_MODES,
} from "../../process/replace-file.ts";
import { joinJson, leaveJson } from "./edit-json.ts";
import { JOINED_KEY, type JoinTarget } from "./client-target.ts";
import { editBehindMark, type TextEdit } from "./text-edit.ts";
import { joinToml, leaveToml } from "./edit-toml.ts";

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

function joinText(
  text: string,
  { format, path, section }: JoinTarget,
  entry: JsonObject,
  key = JOINED_KEY,
): TextEdit {
  return (format === "toml" ? joinToml : joinJson)(text, path, [section, key], entry);
}

function leaveText(text: string, { format, path, section }: JoinTarget, key: string): TextEdit {
  return (format === "toml" ? leaveToml : leaveJson)(text, path, [section, key]);
}

export type JoinWritten =
  | { readonly kind: "written"; readonly backup: string }
  | { readonly kind: "changed" };

/** Writes what was planned, with a backup kept first. Throws where the file or the home cannot be written. */
export function writeJoin(
  { target, before, after, gone }: JoinChange,
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
    ...(gone.length > 0 && { gone }),
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

/** `back`: the keys of the servers that are in the file again. */
export type JoinUndone =
  | { readonly kind: "undone"; readonly back: readonly string[] }
  | { readonly kind: "stuck" };

/**
 * Takes a join back where the file was changed since, as a client changes its own: our entry goes, the servers that went come back as
 * they were, and everything else stays as it is now. `stuck` where that cannot be done; then nothing has changed.
 */
export function undoJoin(target: JoinTarget, home: string): JoinUndone {
  const kept = findBackup(home, target, target.path);
  const now = readWhole(target.path, CLIENT_FILE_BYTES_MAX);
  if (kept === undefined || typeof now !== "string") return { kind: "stuck" };
  const { before, gone = [] } = kept.backup;
  const earlier = before === null ? {} : serversIn(Buffer.from(before, "base64").toString(), target);
  const back: string[] = [];
  const edited = editBehindMark(now, (body) => {
    const left = leaveText(body, target, JOINED_KEY);
    if (left.kind === "refused") return left;
    let text = left.kind === "changed" ? left.text : body;
    for (const key of [...gone, JOINED_KEY]) {
      const entry = earlier[key];
      if (!isJsonObject(entry) || Object.hasOwn(serversIn(text, target), key)) continue;
      const joined = joinText(text, target, entry, key);
      if (joined.kind !== "changed") return joined;
      text = joined.text;
      back.push(key);
    }
    return { kind: "changed", text };
  });
  if (edited.kind !== "changed") return { kind: "stuck" };
  try {
    replaceFile(target.path, Buffer.from(edited.text), PRIVATE_MODES);
  } catch (error) {
    throw changeError(target.path, error);
  }
  forgetBackup(kept.file);
  return { kind: "undone", back: back.filter((key) => key !== JOINED_KEY) };
}

/** Empty where the text cannot be read. */
function serversIn(text: string, { format, path, section }: JoinTarget): JsonObject {
  const body = text.replace(/^\uFEFF/, "");
  const servers = format === "toml" ? readToml(body)[section] : readJson(body, path)[section];
  return isJsonObject(servers) ? servers : {};
}

function readToml(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch {
    return {};
  }
}

function readJson(text: string, path: string): Readonly<Record<string, unknown>> {
  const parsed = parseDocument(text, path);
  return parsed.ok && isJsonObject(parsed.document.value) ? parsed.document.value : {};
}
