/**
 * A capability as one readable file, made for git: a block comment that holds everything but the source as JSON, then
 * the exact source.
 *
 * What `formatPortable` writes, `parsePortable` reads back byte for byte, whatever is in the source and in the fields:
 * inside the JSON `*` + `/` is written with an escape, so the first one in the file ends the header. Keys have one
 * order and empty fields are left out, so that a small change is a small difference. Characters that would not show are
 * escaped in the header. Names are checked by the rules of core/names.ts before anyone makes a path of them. Pure: it
 * touches no file.
 */
import { configure } from "safe-stable-stringify";
import type { JsonObject } from "../../core/json.ts";
import { displayNameOf, type CapabilityName } from "../../core/names.ts";
import { escapeUnprintable } from "../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CapabilityExample, CapabilityKind, ToolUse, Visibility } from "../../core/store.ts";
import { DRAFT_BYTES_MAX } from "../drafts.ts";
import { cut } from "../../text/cut.ts";
import { hasNul } from "../../text/nul.ts";
import { checkHeader, lineAt, PORTABLE_EXTENSIONS, type Problem } from "./header.ts";

/** All of a capability that is worth carrying to another store: no ids, no counts, no times. */
export interface PortableCapability extends CapabilityName {
  readonly kind: CapabilityKind;
  readonly description: string;
  readonly tags: readonly string[];
  readonly visibility: Visibility;
  readonly author: string;
  readonly source: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject | null;
  readonly toolsUsed: readonly ToolUse[];
  readonly aliases: readonly CapabilityName[];
  readonly example: CapabilityExample | null;
}

/** A file as it was understood, or everything that is wrong with it, a line for each. */
export type PortableChecked =
  | { readonly ok: true; readonly item: PortableCapability }
  | { readonly ok: false; readonly problems: readonly string[] };

const OPENING = "/* repertoire";
const CLOSING = "*/";
const SHAPE_RULE = `A file begins with the line "${OPENING}", then JSON, then the line "${CLOSING}", then the source.`;
/** More are not reported at once; the rest shows when these are fixed. */
const PROBLEM_COUNT_MAX = 100;
const PATH_SHOWN_LENGTH_MAX = 160;

// ── writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The file of a capability; it contains the source byte for byte. */
export function formatPortable(item: PortableCapability): { readonly path: string; readonly text: string } {
  const path = `${item.namespace}/${item.action}${PORTABLE_EXTENSIONS[item.kind]}`;
  return { path, text: `${OPENING}\n${headerOf(item)}\n${CLOSING}\n${item.source}` };
}

/** The order in which a person reads; below it, keys are in the order of the alphabet. */
function headerOf(item: PortableCapability): string {
  const fields: readonly (readonly [key: string, value: unknown])[] = [
    ["name", displayNameOf(item)],
    ["kind", item.kind],
    ["description", item.description],
    ["tags", item.tags],
    ["visibility", item.visibility],
    ["author", item.author],
    ["aliases", item.aliases.map(displayNameOf)],
    ["inputSchema", item.inputSchema],
    ["outputSchema", item.outputSchema],
    ["toolsUsed", item.toolsUsed],
    ["example", item.example],
  ];
  const lines = fields
    .filter(([, value]) => !isEmpty(value))
    .map(([key, value]) => `  "${key}": ${pretty(value)}`);
  return escapeHeader(`{\n${lines.join(",\n")}\n}`);
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

const stringify = configure({ deterministic: true, strict: true, bigint: false });

/** A line break in this text is never part of a string, so it can be indented as a whole. */
function pretty(value: unknown): string {
  return (stringify(value, null, 2) as string).replaceAll("\n", "\n  ");
}

/** What does not show would hide in a review; a `*` + `/` would end the comment. Both occur only inside strings. */
function escapeHeader(json: string): string {
  return json
    .replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, (char) =>
      Array.from({ length: char.length }, (_, i) => unicodeEscape(char.charCodeAt(i))).join(""),
    )
    .replaceAll(CLOSING, String.raw`*\/`);
}

function unicodeEscape(unit: number): string {
  return String.raw`\u` + unit.toString(16).padStart(4, "0");
}

// ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reads one file; `path` is relative to the folder of all of them, as `math/sum.ts`. */
export function parsePortable(path: string, text: string): ToolResult<PortableCapability> {
  const checked = checkPortable(path, text);
  return checked.ok ? succeed(checked.item) : failWith(checked.problems, SHAPE_RULE);
}

/** Everything that is wrong, as one failure that stays readable. */
export function failWith(problems: readonly string[], hint: string): ToolResult<never> {
  const rest = problems.length - PROBLEM_COUNT_MAX;
  const shown = problems.slice(0, PROBLEM_COUNT_MAX);
  if (rest > 0) shown.push(`… and ${rest} more problems`);
  return fail("TOOL_INVALID_INPUT", shown.join("\n"), { reason: "validation_error", hint });
}

/** As `parsePortable`, with the problems apart, for who reads many files. */
export function checkPortable(path: string, text: string): PortableChecked {
  const split = splitText(text);
  if ("problem" in split) return refuse(path, [split.problem]);
  const header = checkHeader(path, split.json);
  const problems = [...findSizeProblems(split.source), ...findNul(text), ...header.problems];
  if (header.fields === undefined || problems.length > 0) return refuse(path, problems);
  const { name, ...fields } = header.fields;
  return { ok: true, item: { ...name, ...fields, source: split.source } };
}

function refuse(path: string, problems: readonly Problem[]): PortableChecked {
  const sorted = [...problems].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const file = cut(path, PATH_SHOWN_LENGTH_MAX);
  const lines = sorted.map(
    ({ line, message }) => `${file}${Number.isFinite(line) ? `:${line}` : ""}: ${message}`,
  );
  return { ok: false, problems: lines.map(escapeUnprintable) };
}

/** An editor may have put a byte order mark or CRLF into the header; the source is taken as it is. */
function splitText(
  text: string,
): { readonly json: string; readonly source: string } | { readonly problem: Problem } {
  if (!text.isWellFormed()) {
    const line = lineAt(text, text.search(/\p{Cs}/u));
    return {
      problem: {
        line,
        message: "half of a character is here (a lone surrogate); save the file as UTF-8",
      },
    };
  }
  const opening = /^\uFEFF?\/\* repertoire[ \t]*\r?\n/.exec(text)?.[0];
  if (opening === undefined) return { problem: { line: 1, message: `the header is missing. ${SHAPE_RULE}` } };
  const end = text.indexOf(CLOSING, opening.length);
  if (end === -1) return { problem: { line: 1, message: `the header has no end. ${SHAPE_RULE}` } };
  const after = text.slice(end + CLOSING.length);
  const lineBreak = after === "" ? "" : /^\r?\n/.exec(after)?.[0];
  if (lineBreak !== undefined)
    return { json: text.slice(opening.length, end), source: after.slice(lineBreak.length) };
  const message = String.raw`the header ends in the middle of this line. Inside text, write */ as *\/; the source begins on a new line`;
  return { problem: { line: lineAt(text, end), message } };
}

function findNul(text: string): Problem[] {
  if (!hasNul(text)) return [];
  const line = lineAt(text, text.indexOf("\0"));
  return [
    {
      line,
      message: String.raw`a NUL character is here, which cannot be stored; write it as "\u0000" in a string`,
    },
  ];
}

function findSizeProblems(source: string): Problem[] {
  const bytes = Buffer.byteLength(source);
  if (bytes <= DRAFT_BYTES_MAX) return [];
  return [
    {
      message: `the source has ${bytes} bytes; the limit is ${DRAFT_BYTES_MAX}. Split it into several capabilities`,
    },
  ];
}
