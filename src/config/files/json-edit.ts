/**
 * Puts a value into a JSON text with comments, or takes one out, by touching exactly its own text. Everything else
 * keeps every byte: a formatter, as the parser's own `modify` uses it, would lay out the neighbouring lines again and
 * give their comments to the new entry.
 */
import { createScanner, findNodeAtLocation, parseTree, type Node } from "jsonc-parser";

/** The text, which is an object, with a value at a path of keys. Objects on the way that are missing are made. */
export function setJson(text: string, path: readonly string[], value: unknown): string {
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const layout = layoutOf(text, root);
  const existing = findNodeAtLocation(root, [...path]);
  if (existing !== undefined) {
    const isShort = isOneLine(text, existing.parent?.parent ?? existing);
    const rendered = render(value, isShort ? undefined : indentAt(text, existing.offset), layout);
    return text.slice(0, existing.offset) + rendered + text.slice(existing.offset + existing.length);
  }
  const depth = depthOf(root, path);
  const object = findNodeAtLocation(root, path.slice(0, depth))!;
  const missing = path.slice(depth + 1);
  const whole = missing.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return insertMember(text, object, { key: path[depth]!, value: whole }, layout);
}

/**
 * The text without the member at a path of keys; the same text where there is none. A member that has its lines to
 * itself goes with them and with a comment behind it; comments above it stay.
 */
export function removeJson(text: string, path: readonly string[]): string {
  const root = parseTree(text, [], { allowTrailingComma: true })!;
  const member = findNodeAtLocation(root, [...path])?.parent;
  if (member?.parent === undefined) return text;
  const siblings = member.parent.children!;
  const before = siblings[siblings.indexOf(member) - 1];
  const end = member.offset + member.length;
  const commaAt = findCommaEnd(text, end);
  const rest = cutMember(text, member.offset, commaAt ?? end);
  if (commaAt !== undefined || before === undefined) return rest;
  // It was the last one, so the comma of the one before it separates nothing any more.
  const comma = findCommaEnd(text, before.offset + before.length)!;
  return rest.slice(0, comma - 1) + rest.slice(comma);
}

function cutMember(text: string, from: number, to: number): string {
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  const behind = findLineRest(text, to);
  const [lineEnd] = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(behind)) ?? [];
  const hasItsLines = text.slice(lineStart, from).trim() === "" && lineEnd !== undefined;
  if (hasItsLines) return text.slice(0, lineStart) + text.slice(behind + lineEnd.length);
  return text.slice(0, from) + text.slice(to).replace(/^[ \t]+/, "");
}

/** How many keys of the path are there already. */
function depthOf(root: Node, path: readonly string[]): number {
  let depth = path.length - 1;
  while (depth > 0 && findNodeAtLocation(root, path.slice(0, depth)) === undefined) depth--;
  return depth;
}

interface Layout {
  /** One step of indentation. */
  readonly unit: string;
  readonly lineBreak: string;
  /** The whole file is on one line, as programs write it. */
  readonly isMinified: boolean;
}

const UNIT = "  ";

function layoutOf(text: string, root: Node): Layout {
  const lineBreak = lineBreakOf(text);
  const first = root.children?.[0];
  const isMinified = first !== undefined && isOneLine(text, root);
  const unit = first === undefined || isMinified ? "" : indentAt(text, first.offset);
  return { unit: unit === "" ? UNIT : unit, lineBreak, isMinified };
}

interface Member {
  readonly key: string;
  readonly value: unknown;
}

/** Adds a member at the end of an object. A comment behind the last member stays with that one. */
function insertMember(text: string, object: Node, { key, value }: Member, layout: Layout): string {
  const last = object.children?.at(-1);
  const start = last === undefined ? object.offset + 1 : last.offset + last.length;
  const commaAt = last === undefined ? undefined : findCommaEnd(text, start);
  const insertAt = findLineRest(text, commaAt ?? start);
  const isOnOneLine = last === undefined ? layout.isMinified : isOneLine(text, object);
  const outer = indentAt(text, object.offset);
  const inner = last === undefined ? outer + layout.unit : indentAt(text, last.offset);
  const gap = isOnOneLine ? oneLineGap(text, object) : layout.lineBreak + inner;
  const colon = isOnOneLine && gap === "" ? ":" : ": ";
  const member = JSON.stringify(key) + colon + render(value, isOnOneLine ? undefined : inner, layout);
  const rest = text.slice(insertAt);
  const isClosedOnItsLine = last === undefined && !isOnOneLine && !/^\s*\n/.test(rest);
  return [
    text.slice(0, start),
    last !== undefined && commaAt === undefined ? "," : "",
    text.slice(start, insertAt),
    last === undefined && isOnOneLine ? "" : gap,
    member,
    commaAt === undefined ? "" : ",",
    isClosedOnItsLine ? layout.lineBreak + outer : "",
    isClosedOnItsLine ? rest.replace(/^[ \t]+/, "") : rest,
  ].join("");
}

function render(value: unknown, indent: string | undefined, { unit, lineBreak }: Layout): string {
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll("\n", lineBreak + indent);
}

function isOneLine(text: string, node: Node): boolean {
  return !text.slice(node.offset, node.offset + node.length).includes("\n");
}

function oneLineGap(text: string, object: Node): string {
  return /[:,] /.test(text.slice(object.offset, object.offset + object.length)) ? " " : "";
}

/** The white space that the line of a place begins with. */
function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))![0];
}

/** The scanner's own numbers: its `SyntaxKind` is a const enum, which has no value at run time. */
const COMMA = 5;
const COMMENTS: ReadonlySet<number> = new Set([12, 13]);
const SPACES = 15;

/** Where a comma behind the last member ends, if there is one. */
function findCommaEnd(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return (scanner.scan() as number) === COMMA ? scanner.getPosition() : undefined;
}

/** Where the comments on the same line end. */
function findLineRest(text: string, offset: number): number {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let end = offset;
  for (let token: number = scanner.scan(); COMMENTS.has(token) || token === SPACES; token = scanner.scan()) {
    if (COMMENTS.has(token)) end = scanner.getPosition();
  }
  return end;
}

/** The line break of a text: that of its first line. */
export function lineBreakOf(text: string): "\r\n" | "\n" {
  const at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}
