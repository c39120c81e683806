/**
 * JavaScript and TypeScript as a list of tokens: enough to know what is a string, a comment or code, and where brackets open
 * and close. It reads code that is being typed, so nothing is an error: what has no end goes on to the end of the text.
 */
type CodeTokenKind = "word" | "number" | "string" | "template" | "comment" | "regex" | "mark";

export interface CodeToken {
  readonly kind: CodeTokenKind;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** A string, template, comment or expression that the text ends inside of. */
  readonly isOpen: boolean;
}

const SPACE = /\s+/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const STRING = /"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/y;
const WORD = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)n?/y;
const REGEX = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y;
const MARK = /=>|\?\.(?!\d)|\.\.\.|[\s\S]/uy;
/** To the next expression, or to the end. */
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)?/y;
/** After these words an expression begins, so a slash is no division. */
const BEFORE_EXPRESSION = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "await",
  "delete",
  "void",
  "throw",
  "else",
]);

export function tokensOf(text: string): CodeToken[] {
  const tokens: CodeToken[] = [];
  /** For each template that is open: how many braces are open in its expression. */
  const templates: number[] = [];
  let at = 0;

  function take(pattern: RegExp, kind: CodeTokenKind | undefined): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found === undefined || found === "") return undefined;
    if (kind !== undefined) tokens.push(tokenOf(kind, found, at, text.length));
    at += found.length;
    return found;
  }

  /** From a backtick or the brace that ends an expression. */
  function takeTemplate(): void {
    const from = at;
    at += 1;
    TEMPLATE.lastIndex = at;
    at += TEMPLATE.exec(text)?.[0].length ?? 0;
    const token = tokenOf("template", text.slice(from, at), from, text.length);
    if (token.text.endsWith("${")) templates.push(0);
    tokens.push(token);
  }

  while (at < text.length) {
    if (take(SPACE, undefined) !== undefined || take(COMMENT, "comment") !== undefined) continue;
    if (take(STRING, "string") !== undefined || take(WORD, "word") !== undefined) continue;
    if (take(NUMBER, "number") !== undefined) continue;
    if (text[at] === "/" && beginsExpression(tokens) && take(REGEX, "regex") !== undefined) continue;
    if (text[at] === "`") takeTemplate();
    else if (text[at] === "}" && templates.at(-1) === 0) {
      templates.pop();
      takeTemplate();
    } else {
      const mark = take(MARK, "mark");
      if (mark === "{" && templates.length > 0) templates[templates.length - 1]! += 1;
      if (mark === "}" && templates.length > 0) templates[templates.length - 1]! -= 1;
    }
  }
  return tokens;
}

function tokenOf(kind: CodeTokenKind, text: string, from: number, end: number): CodeToken {
  const to = from + text.length;
  const isLine = text.startsWith("//") && kind === "comment";
  return { kind, text, from, to, isOpen: isLine ? to === end : isOpen(kind, text) };
}

function isOpen(kind: CodeTokenKind, text: string): boolean {
  if (kind === "comment") return !(text.length >= 4 && text.endsWith("*/"));
  if (kind === "template")
    return !(text.length > 1 && text.endsWith("`")) || /(?:^|[^\\])(?:\\\\)*\\`$/.test(text);
  return kind === "string" && !/^(["'])(?:\\[\s\S]|[^\\])*\1$/.test(text);
}

function beginsExpression(tokens: readonly CodeToken[]): boolean {
  const before = tokens.findLast(({ kind }) => kind !== "comment");
  if (before === undefined) return true;
  if (before.kind === "word") return BEFORE_EXPRESSION.has(before.text);
  return before.kind === "mark" ? ![")", "]", "}"].includes(before.text) : before.text.endsWith("${");
}
