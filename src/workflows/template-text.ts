import { cut } from "../text/cut.ts";
/**
 * One text with templates, read from left to right in one pass: nothing is looked at twice, so the cost is linear in
 * the text, whatever it holds.
 *
 * `${root.name[0]["any text"]}` is a template, `$${` means the characters `${`, and any other `${` is malformed.
 */

export type TemplatePiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "use"; readonly reference: TemplateReference; readonly text: string }
  | { readonly kind: "malformed"; readonly text: string };

export interface TemplateReference {
  readonly root: string;
  readonly path: readonly (string | number)[];
}

const OPENING = "${";
/** What a malformed template is shown as ends here at the latest. */
const MALFORMED_LENGTH_MAX = 60;

const ROOT = /[A-Za-z_][A-Za-z0-9_-]*/y;
const NAME = /\.([\p{L}\p{M}\p{N}_-]+)/uy;
/** Lists end long before fifteen digits, and so do whole numbers. */
const INDEX = /\[(0|[1-9][0-9]{0,14})\]/y;
const QUOTED_START = /\["/y;

/** The pieces of a text in their order; joined, their texts are the text again but for `$${`. */
export function parseTemplateText(text: string): TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let literal = "";
  let at = 0;
  for (let opening = text.indexOf(OPENING); opening !== -1; opening = text.indexOf(OPENING, at)) {
    const isEscaped = opening > at && text[opening - 1] === "$";
    literal += isEscaped ? text.slice(at, opening - 1) + OPENING : text.slice(at, opening);
    at = opening + OPENING.length;
    if (isEscaped) continue;
    if (literal !== "") pieces.push({ kind: "text", text: literal });
    literal = "";
    const { piece, end } = readTemplate(text, opening);
    pieces.push(piece);
    at = end;
  }
  literal += text.slice(at);
  if (literal !== "") pieces.push({ kind: "text", text: literal });
  return pieces;
}

/** The one template that the text is; undefined where it is something else, or more. */
export function wholeTemplate(text: string): TemplateReference | undefined {
  const [first, second] = parseTemplateText(text);
  return first?.kind === "use" && second === undefined ? first.reference : undefined;
}

/** A reference as a template writes it, without the braces. */
export function formatReference({ root, path }: TemplateReference): string {
  return root + path.map(formatPathPart).join("");
}

function formatPathPart(part: string | number): string {
  if (typeof part === "number") return `[${part}]`;
  return matchAt(NAME, `.${part}`, 0)?.[1] === part ? `.${part}` : `[${JSON.stringify(part)}]`;
}

interface ReadPiece {
  readonly piece: TemplatePiece;
  readonly end: number;
}

function readTemplate(text: string, opening: number): ReadPiece {
  const root = matchAt(ROOT, text, opening + OPENING.length)?.[0];
  if (root === undefined) return malformed(text, opening, opening + OPENING.length);
  const path: (string | number)[] = [];
  let at = opening + OPENING.length + root.length;
  while (text[at] !== "}") {
    const part = readPart(text, at);
    if (part.value === undefined) return malformed(text, opening, part.end);
    path.push(part.value);
    at = part.end;
  }
  const whole = text.slice(opening, at + 1);
  return { piece: { kind: "use", reference: { root, path }, text: whole }, end: at + 1 };
}

/** A part of the path, or undefined and how far the text was read in vain. */
interface ReadPart {
  readonly value: string | number | undefined;
  readonly end: number;
}

function readPart(text: string, at: number): ReadPart {
  const name = matchAt(NAME, text, at);
  if (name !== undefined) return { value: name[1], end: at + name[0].length };
  const index = matchAt(INDEX, text, at);
  if (index !== undefined) return { value: Number(index[1]), end: at + index[0].length };
  if (matchAt(QUOTED_START, text, at) === undefined) return { value: undefined, end: at };
  return readQuoted(text, at + 1);
}

function readQuoted(text: string, quote: number): ReadPart {
  let end = quote + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  if (text[end] !== '"' || text[end + 1] !== "]")
    return { value: undefined, end: Math.min(end, text.length) };
  return { value: parseQuoted(text.slice(quote, end + 1)), end: end + 2 };
}

function parseQuoted(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

/** Reading goes on where it failed: going back would cost the square of the text. */
function malformed(text: string, opening: number, end: number): ReadPiece {
  const shown = text.slice(opening, opening + MALFORMED_LENGTH_MAX + 1);
  const close = shown.indexOf("}");
  const piece = close === -1 ? cut(shown, MALFORMED_LENGTH_MAX) : shown.slice(0, close + 1);
  return { piece: { kind: "malformed", text: piece }, end };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
