/**
 * Connects a client: what its file would become, and the writing of exactly that. Planning changes nothing. Between the
 * plan and the writing a person is asked, so the file is looked at again: only the bytes that were planned on are
 * replaced.
 */
import { parse } from "smol-toml";
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import { findBackup, forgetBackup, keepBackup, sha256Of, changeError } from "../../config/files/backup.ts";
import { parseDocument } from "../../config/files/document.ts";
import {
  findMissingFolder,
  modeOf,
  PRIVATE_MODES,
  replaceFile,
  SHARED_MODES,
} from "../../process/replace-file.ts";
import { setJsonEntry, removeJsonEntry, editBehindMark, type TextEdit } from "./edit-json.ts";
import { OWN_KEY, type ClientTarget } from "./client-target.ts";
import { setTomlEntry, removeTomlEntry } from "./edit-toml.ts";
import { CLIENT_FILE_BYTES_MAX, readWhole } from "../../config/files/read-file.ts";

export interface ClientEdit {
  readonly kind: "change";
  readonly target: ClientTarget;
  /** `undefined` where there is no file yet. */
  readonly before: string | undefined;
  readonly after: string;
  /** The keys of the servers that are taken out, and of those that could not be. */
  readonly gone: readonly string[];
  readonly stuck: readonly string[];
}

export type ClientEditPlan =
  | ClientEdit
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly message: string };

/** What the client's file would become with this entry in it, and without the servers of these keys. */
export function planClientEdit(
  target: ClientTarget,
  entry: JsonObject,
  keys: readonly string[] = [],
): ClientEditPlan {
  const read = readWhole(target.path, CLIENT_FILE_BYTES_MAX);
  if (typeof read === "object") return { kind: "refused", message: `${target.path}  ${read.message}` };
  const gone: string[] = [];
  const stuck: string[] = [];
  const edited = editBehindMark(read ?? "", (text) => {
    const added = setEntry(text, target, entry);
    if (added.kind === "refused") return added;
    let rest = added.kind === "changed" ? added.text : text;
    for (const key of keys) {
      const removed = removeEntry(rest, target, key);
      if (removed.kind === "changed") rest = removed.text;
      if (removed.kind !== "unchanged") (removed.kind === "changed" ? gone : stuck).push(key);
    }
    return rest === text ? { kind: "unchanged" } : { kind: "changed", text: rest };
  });
  return edited.kind === "changed"
    ? { kind: "change", target, before: read, after: edited.text, gone, stuck }
    : edited;
}

function setEntry(
  text: string,
  { format, path, section }: ClientTarget,
  entry: JsonObject,
  key = OWN_KEY,
): TextEdit {
  return (format === "toml" ? setTomlEntry : setJsonEntry)(text, path, [section, key], entry);
}

function removeEntry(text: string, { format, path, section }: ClientTarget, key: string): TextEdit {
  return (format === "toml" ? removeTomlEntry : removeJsonEntry)(text, path, [section, key]);
}

export type ClientEditWritten =
  | { readonly kind: "written"; readonly backup: string }
  | { readonly kind: "changed" };

/** Writes what was planned, with a backup kept first. Throws where the file or the home cannot be written. */
export function writeClientEdit(
  { target, before, after, gone }: ClientEdit,
  home: string,
  now: () => number = Date.now,
): ClientEditWritten {
  const { client, scope, path } = target;
  if (readWhole(path, CLIENT_FILE_BYTES_MAX) !== before) return { kind: "changed" };
  const bytes = Buffer.from(after);
  const madeFolder = findMissingFolder(path);
  const backup = {
    path,
    before: before === undefined ? null : Buffer.from(before).toString("base64"),
    afterSha256: sha256Of(bytes),
    mode: modeOf(path) ?? null,
    madeFolder,
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
export type ClientEditUndone =
  | { readonly kind: "undone"; readonly back: readonly string[] }
  | { readonly kind: "stuck" };

/**
 * Takes our edit back where the file was changed since, as a client changes its own: our entry goes, the servers that
 * went come back as they were, and everything else stays as it is now. `stuck` where that cannot be done; then nothing
 * has changed.
 */
export function undoClientEdit(target: ClientTarget, home: string): ClientEditUndone {
  const kept = findBackup(home, target, target.path);
  const now = readWhole(target.path, CLIENT_FILE_BYTES_MAX);
  if (kept === undefined || typeof now !== "string") return { kind: "stuck" };
  const { before, gone = [] } = kept.backup;
  const earlier = before === null ? {} : serversIn(Buffer.from(before, "base64").toString(), target);
  const back: string[] = [];
  const edited = editBehindMark(now, (body) => {
    const removed = removeEntry(body, target, OWN_KEY);
    if (removed.kind === "refused") return removed;
    let text = removed.kind === "changed" ? removed.text : body;
    for (const key of [...gone, OWN_KEY]) {
      const entry = earlier[key];
      if (!isJsonObject(entry) || Object.hasOwn(serversIn(text, target), key)) continue;
      const added = setEntry(text, target, entry, key);
      if (added.kind !== "changed") return added;
      text = added.text;
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
  return { kind: "undone", back: back.filter((key) => key !== OWN_KEY) };
}

/** Empty where the text cannot be read. */
function serversIn(text: string, { format, path, section }: ClientTarget): JsonObject {
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
