/**
 * Pieces of TypeScript as text: names, literals, comments and the joints between types. What they are made of comes from
 * strangers; it appears only inside string literals and comments, and cannot end them.
 */
import { escapeUnprintable } from "./printable.ts";
import { cut } from "./cut.ts";

const DOC_LENGTH_MAX = 1_000;

/**
 * Brackets name a tool exactly. The member form, with `_` for what an identifier cannot have, could be another tool's
 * own name.
 */
export function accessTo(name: string): string {
  return isIdentifier(name) ? `.${name}` : `[${stringLiteral(name)}]`;
}

/** A name as a type or an object has it: bare if it is an identifier. */
export function propertyName(name: string): string {
  return isIdentifier(name) ? name : stringLiteral(name);
}

/** A string literal on one line that holds the text and nothing but printable characters. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu, (char) =>
    Array.from({ length: char.length }, (_, i) => unicodeEscape(char.charCodeAt(i))).join(""),
  );
}

/** A description as a comment that the text cannot end, with its line break; empty when there is nothing to say. */
export function docComment(description: unknown): string {
  if (typeof description !== "string" || description.trim() === "") return "";
  const lines = cut(description, DOC_LENGTH_MAX)
    .trim()
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => escapeUnprintable(line.replaceAll("\t", " ")).replaceAll("*/", "*\\/").trimEnd());
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

/** Moves every line but the first; a string literal has no line breaks, so none is changed. */
export function indent(text: string): string {
  return text.replaceAll("\n", "\n  ");
}

/** `never` adds nothing, and `anything` leaves nothing to add. */
export function joinUnion(types: readonly string[], anything: string): string {
  if (types.includes(anything)) return anything;
  const possible = types.filter((type) => type !== "never");
  return possible.join(" | ") || (types.length > 0 ? "never" : anything);
}

export function intersectionOf(types: readonly string[], anything: string): string {
  const distinct = [...new Set(types)];
  if (distinct.length < 2) return distinct[0] ?? anything;
  return distinct.map((type) => (type.includes(" | ") ? `(${type})` : type)).join(" & ");
}

/** The type of a list of these. */
export function listOf(item: string): string {
  return `${wrap(item)}[]`;
}

/** A union, an object of one line or a signature with spaces needs its parentheses. */
export function wrap(type: string): string {
  return /\s/.test(type) ? `(${type})` : type;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
