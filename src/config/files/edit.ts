/**
 * Changes a config file and leaves everything else of it alone, comments and layout included. The file is replaced as a
 * whole (a new file, then a rename), so a crash leaves the old text or the new one. A file that was trusted stays
 * trusted: a person who may change it through us may trust it.
 */
import { applyEdits, modify } from "jsonc-parser";
import { hashText } from "../../core/json.ts";
import { parseDocument } from "./document.ts";
import { setJson, lineBreakOf } from "./json-edit.ts";
import { formatPath } from "../problem.ts";
import { PRIVATE_MODES, replaceFile } from "../../process/replace-file.ts";
import { asObject } from "../entries/server-check.ts";
import { isTrusted, trust } from "../trust.ts";
import { readWhole } from "./read-file.ts";
import { changeError } from "./backup.ts";

/** A value at a path of keys, and at its end of a list where a number says so; `undefined` removes. */
export interface ConfigEdit {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The text of a file before and after; `before` is undefined where there is no file yet. */
export interface PlannedEdits {
  readonly before: string | undefined;
  readonly after: string;
}

/** All of the edits, or none. */
export function editConfig(path: string, home: string, edits: readonly ConfigEdit[]): void {
  const { before, after } = planEdits(path, edits);
  writeConfig(path, home, before, after);
}

/** What the edits would come to; writes nothing. */
export function planEdits(path: string, edits: readonly ConfigEdit[]): PlannedEdits {
  const before = readWhole(path);
  if (typeof before === "object") throw changeError(path, before.message);
  const problem = findEditProblem(before ?? "", edits);
  if (problem !== undefined) throw changeError(path, problem, "Correct the file first.");
  return { before, after: editText(before, edits) };
}

/** Why the text cannot be edited: it is not JSON, or something else is where an object has to be. */
function findEditProblem(text: string, edits: readonly ConfigEdit[]): string | undefined {
  if (text.trim() === "") return undefined;
  const parsed = parseDocument(text.replace(BYTE_ORDER_MARK, ""), "");
  if (!parsed.ok) {
    const { line, message } = parsed.problems[0]!;
    return line === undefined ? message : `line ${line}: ${message}`;
  }
  for (const { path } of edits) {
    let value: unknown = parsed.document.value;
    for (const [depth, key] of path.entries()) {
      if (value === undefined) break;
      const isFitting = typeof key === "number" ? Array.isArray(value) : asObject(value) !== undefined;
      if (!isFitting) return `${formatPath(path.slice(0, depth)) || "the file"} is not an object`;
      value = (value as Record<string | number, unknown>)[key];
    }
  }
  return undefined;
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
