/**
 * Takes the types off. Node's stripper is WebAssembly: text that nests deeply makes it trap, and from then on every call
 * fails. So whatever it throws that is not one of its two syntax errors means that this thread must not be used again.
 */
import { stripTypeScriptTypes } from "node:module";
import { createLinedText, type LinedText } from "./place.ts";

export type Stripped =
  | { readonly kind: "stripped"; readonly text: string; readonly sourceMap?: string }
  /** Line and column of the text that was given, from 1. */
  | { readonly kind: "invalid"; readonly message: string; readonly line: number; readonly column: number }
  | { readonly kind: "broken" };

/** Blanks the types out; code with an enum or the like, which is more than types, is rewritten and gets a source map. */
export function stripTypes(text: string): Stripped {
  try {
    return { kind: "stripped", text: stripTypeScriptTypes(text, { mode: "strip" }) };
  } catch (error) {
    return codeOf(error) === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" ? transform(text) : failed(error, text);
  }
}

const MAP_COMMENT = "//# sourceMappingURL=data:application/json;base64,";

function transform(text: string): Stripped {
  try {
    const output = stripTypeScriptTypes(text, { mode: "transform", sourceMap: true });
    const end = output.lastIndexOf(MAP_COMMENT);
    const sourceMap = Buffer.from(output.slice(end + MAP_COMMENT.length), "base64").toString();
    return { kind: "stripped", text: output.slice(0, end), sourceMap };
  } catch (error) {
    return failed(error, text);
  }
}

function failed(error: unknown, text: string): Stripped {
  const code = codeOf(error);
  if (code !== "ERR_INVALID_TYPESCRIPT_SYNTAX" && code !== "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX")
    return { kind: "broken" };
  const { message, stack } = error as Error;
  return { kind: "invalid", message, ...positionIn(stack ?? "", createLinedText(text)) };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** The error has no position, but its stack opens with `:line`, the lines around and carets under the place. */
function positionIn(stack: string, text: LinedText): { line: number; column: number } {
  const line = Number(/^[^\n]*:(\d+)\n/.exec(stack)?.[1] ?? 1);
  const source = text.line(line);
  const shown = stack.split("\n", 8);
  const at = shown.indexOf(showTabs(source));
  const carets = at === -1 ? null : /^ *(?=\^+$)/.exec(shown[at + 1] ?? "");
  return {
    line,
    column: carets === null ? source.search(/\S|$/) + 1 : columnUnder(source, carets[0].length),
  };
}

/** The stack shows tabs as spaces up to the next of these columns. */
const TAB_STOP = 4;

function showTabs(source: string): string {
  let width = 0;
  const parts = source.split("\t").map((part, index) => {
    const gap = index === 0 ? 0 : nextStop(width) - width;
    width += gap + part.length;
    return " ".repeat(gap) + part;
  });
  return parts.join("");
}

function columnUnder(source: string, caret: number): number {
  let shown = 0;
  let index = 0;
  while (shown < caret && index < source.length)
    shown = source[index++] === "\t" ? nextStop(shown) : shown + 1;
  return index + 1;
}

function nextStop(width: number): number {
  return (Math.floor(width / TAB_STOP) + 1) * TAB_STOP;
}
