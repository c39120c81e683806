/**
 * Changes a config file and leaves everything else of it alone, comments and layout included. The file is replaced as a whole (a
 * new file, then a rename), so a crash leaves the old text or the new one. A file that was trusted stays trusted: whoever may
 * change it through us may trust it.
 */
import { applyEdits, modify } from "jsonc-parser";
import { RepertoireError, messageOf } from "../core/errors.ts";
import { hashText } from "../core/json.ts";
import { setJson } from "./json-edit.ts";
import { readWhole } from "./read-whole.ts";
import { PRIVATE_MODES, replaceFile } from "./replace-file.ts";
import { lineBreakOf } from "./text-layout.ts";
import { isTrusted, trust } from "./trust.ts";

/** A value at a path of keys; `undefined` removes. */
export interface ConfigEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What may be changed of a server: a whole entry, or one key of it; `undefined` removes. */
export interface ServerEdit {
  /** The key in `mcpServers`. */
  readonly key: string;
  readonly field?: string;
  readonly value: unknown;
}

const BYTE_ORDER_MARK = "\uFEFF";

export function editServer(path: string, home: string, { key, field, value }: ServerEdit): void {
  editConfig(path, home, [{ path: ["mcpServers", key, ...(field === undefined ? [] : [field])], value }]);
}

/** All of the edits, or none. */
export function editConfig(path: string, home: string, edits: readonly ConfigEdit[]): void {
  const before = readWhole(path);
  if (typeof before === "object") throw editError(path, before.message);
  const mark = before?.startsWith(BYTE_ORDER_MARK) === true ? BYTE_ORDER_MARK : "";
  const body = before?.slice(mark.length) ?? "";
  const after = mark + edits.reduce(applyEdit, body.trim() === "" ? `{}${lineBreakOf(body)}` : body);
  const wasTrusted = before !== undefined && isTrusted(home, path, hashText(before));
  try {
    // A config may hold secrets, so a new one is its owner's alone.
    replaceFile(path, Buffer.from(after), PRIVATE_MODES);
  } catch (error) {
    throw editError(path, messageOf(error), error);
  }
  if (wasTrusted) trust(home, path, hashText(after));
}

function applyEdit(text: string, { path, value }: ConfigEdit): string {
  if (value !== undefined) return setJson(text, path, value);
  return applyEdits(text, modify(text, [...path], undefined, {}));
}

function editError(path: string, reason: string, cause?: unknown): RepertoireError {
  return new RepertoireError("CONFIG_INVALID", `Cannot change ${path}: ${reason}`, {
    hint: "Nothing was changed. Check that the file and its folder can be written.",
    cause,
  });
}
