/**
 * Puts one server into a TOML file, or takes one out, by touching exactly the lines of its tables. There is no parser
 * that keeps comments, so the text is cut by its lines and the result is believed only if it reads as the same file
 * with the same other values; else nothing is changed. Lines inside a multi-line string that look like a table end
 * there as well.
 */
import { isDeepStrictEqual } from "node:util";
import { parse, stringify, TomlError, type TomlTable } from "smol-toml";
import type { JsonObject } from "../../core/json.ts";
import { messageOf } from "../../core/errors.ts";
import { mergeEntry } from "./client-entry.ts";
import type { EntryPath, TextEdit } from "./edit-json.ts";
import { lineBreakOf } from "../../config/files/json-edit.ts";

export function setTomlEntry(text: string, file: string, path: EntryPath, entry: JsonObject): TextEdit {
  const parsed = readToml(text, file);
  if (typeof parsed === "string") return { kind: "refused", message: parsed };
  const [section, key] = path;
  const servers: unknown = parsed[section] ?? {};
  if (!isTable(servers)) {
    return { kind: "refused", message: `${file}  ${section}: this should be a table with servers` };
  }
  const existing = servers[key];
  const wanted = mergeEntry(existing, entry);
  if (isSame(existing, wanted)) return { kind: "unchanged" };
  const written = stringify({ [section]: { [key]: wanted } });
  const edited = existing === undefined ? append(text, written) : replaceTables(text, path, written);
  const expected = { ...parsed, [section]: { ...servers, [key]: wanted } };
  const check = edited === undefined ? "" : readToml(edited, file);
  if (edited === undefined || typeof check === "string" || !isSame(check, expected)) {
    const message = `${file}  ${section}.${key}: this entry cannot be changed without changing the rest of the file`;
    return { kind: "refused", message };
  }
  return { kind: "changed", text: edited };
}

/** The text without a server; `unchanged` where it has none, `refused` where it has no lines of its own. */
export function removeTomlEntry(text: string, file: string, path: EntryPath): TextEdit {
  const [section, key] = path;
  const parsed = readToml(text, file);
  if (typeof parsed === "string") return { kind: "refused", message: parsed };
  const servers: unknown = parsed[section];
  if (!isTable(servers) || !Object.hasOwn(servers, key)) return { kind: "unchanged" };
  const edited = removeTables(text, path);
  const { [key]: _, ...others } = servers;
  const { [section]: __, ...rest } = parsed;
  const check = readToml(edited, file);
  // The last server takes the table that held it along, unless that has a line of its own.
  const isExpected =
    typeof check !== "string" &&
    isSame({ ...check, [section]: check[section] ?? {} }, { ...rest, [section]: others });
  return isExpected
    ? { kind: "changed", text: edited }
    : {
        kind: "refused",
        message: `${file}  ${section}.${key}: this entry cannot be removed without changing the rest of the file`,
      };
}

/** Without the lines of the tables, and without the empty line above each where one is left below it. */
function removeTables(text: string, path: EntryPath): string {
  const lines = text.split(/(?<=\n)/);
  const gone = new Set<number>();
  for (const { from, to } of findTables(lines, path)) {
    for (let index = from; index < to; index++) gone.add(index);
    const isEmpty = (index: number): boolean => (lines[index] ?? "").trim() === "";
    if (from > 0 && isEmpty(from - 1) && isEmpty(to)) gone.add(from - 1);
  }
  return lines.filter((_, index) => !gone.has(index)).join("");
}

/** The values, or what is wrong and where. The parser's own message quotes the file, which may hold a secret. */
function readToml(text: string, file: string): TomlTable | string {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    const place = error instanceof TomlError ? `${file}:${error.line}:${error.column}` : file;
    const [reason] = messageOf(error).split("\n");
    return `${place}  ${(reason ?? "").replace(/^Invalid TOML document: /, "")}`;
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(structuredClone(one), structuredClone(other));
}

function append(text: string, written: string): string {
  const lineBreak = lineBreakOf(text);
  const body = text === "" || text.endsWith("\n") ? text : text + lineBreak;
  const gap = body.trim() === "" ? "" : lineBreak;
  return body + gap + withLineBreak(written, lineBreak);
}

function withLineBreak(written: string, lineBreak: string): string {
  return written.replaceAll("\n", lineBreak);
}

interface LineRange {
  readonly from: number;
  readonly to: number;
}

/** The new tables where the first of the old ones stood; `undefined` where the entry has no table of its own. */
function replaceTables(text: string, path: EntryPath, written: string): string | undefined {
  const lines = text.split(/(?<=\n)/);
  const ranges = findTables(lines, path);
  if (ranges.length === 0) return undefined;
  const lineBreak = lineBreakOf(text);
  const kept = lines.map((line, index) =>
    ranges.some(({ from, to }) => index >= from && index < to) ? "" : line,
  );
  kept[ranges[0]!.from] = withLineBreak(written, lineBreak);
  return kept.join("");
}

/** The lines of our table and those below it, each without the comments that belong to what comes after. */
function findTables(lines: readonly string[], path: EntryPath): LineRange[] {
  const isOurs = headerPattern(path);
  const headers = lines.flatMap((line, index) => (/^\s*\[/.test(line) ? [index] : []));
  return headers
    .filter((index) => isOurs.test(lines[index]!))
    .map((from) => {
      let to = headers.find((index) => index > from) ?? lines.length;
      while (to > from + 1 && /^\s*(?:#.*)?$/.test(lines[to - 1]!.trimEnd())) to--;
      return { from, to };
    });
}

/** `[section.key]`, `[section.key.below]` and lists of tables, with the quotes and spaces that TOML allows. */
function headerPattern(path: EntryPath): RegExp {
  const names = path
    .map((name) => RegExp.escape(name))
    .map((name) => `(?:${name}|"${name}"|'${name}')`)
    .join(String.raw`\s*\.\s*`);
  return new RegExp(String.raw`^\s*\[{1,2}\s*${names}\s*(?:\.[^\]]*)?\]`);
}
