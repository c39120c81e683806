/**
 * Changes a config file and leaves everything else of it alone, comments and layout included. The file is replaced as a whole (a
 * new file, then a rename), so a crash leaves the old text or the new one. A file that was trusted stays trusted: whoever may
 * change it through us may trust it.
 */
import { applyEdits, modify } from "jsonc-parser";
import { hashText } from "../core/json.ts";
import { setJson } from "./json-edit.ts";
import { readWhole } from "./read-whole.ts";
import { PRIVATE_MODES, replaceFile } from "./replace-file.ts";
import { lineBreakOf } from "./text-layout.ts";
import { isTrusted, trust } from "./trust.ts";
import { changeError } from "./undo-backup.ts";

/** A value at a path of keys, and at its end of a list where a number says so; `undefined` removes. */
export interface ConfigEdit {
  readonly path: readonly (string | number)[];
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
  if (typeof before === "object") throw changeError(path, before.message);
  writeConfig(path, home, before, editText(before, edits));
}

/** What the text of a config becomes; `undefined` is a file that is not there yet. */
export function editText(before: string | undefined, edits: readonly ConfigEdit[]): string {
  const mark = before?.startsWith(BYTE_ORDER_MARK) === true ? BYTE_ORDER_MARK : "";
  const body = before?.slice(mark.length) ?? "";
  return mark + edits.reduce(applyEdit, body.trim() === "" ? `{}${lineBreakOf(body)}` : body);
}

export function writeConfig(path: string, home: string, before: string | undefined, after: string): void {
  const wasTrusted = before !== undefined && isTrusted(home, path, hashText(before));
  try {
    // A config may hold secrets, so a new one is its owner's alone.
    replaceFile(path, Buffer.from(after), PRIVATE_MODES);
  } catch (error) {
    throw changeError(path, error);
  }
  if (wasTrusted) trust(home, path, hashText(after));
}

function applyEdit(text: string, { path, value }: ConfigEdit): string {
  const isPlain = path.every((key) => typeof key === "string");
  if (value !== undefined && isPlain) return setJson(text, path, value);
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: lineBreakOf(text) };
  return applyEdits(text, modify(text, [...path], value, { formattingOptions, isArrayInsertion: true }));
}
