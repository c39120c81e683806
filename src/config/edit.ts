/**
 * Changes a server in a config file and leaves everything else of it alone, comments and layout included. The file is replaced as a
 * whole (a new file, then a rename), so a crash leaves the old text or the new one. A file that was trusted stays trusted:
 * whoever may change it through us may trust it.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { RepertoireError, messageOf } from "../core/errors.ts";
import { hashText } from "../core/json.ts";
import { readTextFile } from "./read-file.ts";
import { isTrusted, trust } from "./trust.ts";

/** What may be changed: a whole entry, or one key of it; `undefined` removes. */
export interface ServerEdit {
  /** The key in `mcpServers`. */
  readonly key: string;
  readonly field?: string;
  readonly value: unknown;
}

export function editServer(path: string, home: string, edit: ServerEdit): void {
  const file = resolveLink(path);
  const read = readTextFile(file);
  if (!read.ok && !read.missing) throw editError(path, read.message);
  const before = read.ok ? read.text : "{}\n";
  const place = ["mcpServers", edit.key, ...(edit.field === undefined ? [] : [edit.field])];
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  const after = applyEdits(before, modify(before, place, edit.value, { formattingOptions }));
  const wasTrusted = read.ok && isTrusted(home, path, read.sha256);
  replaceFile(file, after);
  if (wasTrusted) trust(home, path, hashText(after));
}

/** A link stays a link: what it points to is replaced. */
function resolveLink(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A config may hold secrets, so a new one is its owner's alone; one that exists keeps its mode.
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777;
    writeFileSync(temporary, text, { mode, flag: "wx", flush: true });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw editError(file, messageOf(error), error);
  }
}

function editError(path: string, reason: string, cause?: unknown): RepertoireError {
  return new RepertoireError("CONFIG_INVALID", `Cannot change ${path}: ${reason}`, {
    hint: "Nothing was changed. Check that the file and its folder can be written.",
    cause,
  });
}
