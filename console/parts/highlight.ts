import { tokensOf, type CodeToken } from "./code-tokens.ts";

export type CodeLanguage = "typescript" | "json" | "text";

export interface CodeSpan {
  readonly kind: "plain" | "keyword" | "string" | "number" | "comment" | "name";
  readonly text: string;
}

const KEYWORDS = new Set(
  "as async await break case catch class const continue declare default delete do else enum export extends false finally for from function if import in infer instanceof interface keyof let namespace new null of readonly return satisfies static super switch this throw true try type typeof undefined var void while yield".split(
    " ",
  ),
);

/** The lines of a text, each as its coloured parts. It colours what helps reading, and is no parser. */
export function highlight(text: string, language: CodeLanguage): readonly (readonly CodeSpan[])[] {
  const lines: CodeSpan[][] = [[]];
  const add = (kind: CodeSpan["kind"], part: string) => {
    for (const [at, piece] of part.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (piece !== "") lines.at(-1)!.push({ kind, text: piece });
    }
  };
  if (language === "text") add("plain", text);
  else addTokens(text, add);
  return lines;
}

function addTokens(text: string, add: (kind: CodeSpan["kind"], part: string) => void): void {
  let at = 0;
  const tokens = tokensOf(text);
  for (const [index, token] of tokens.entries()) {
    if (token.from > at) add("plain", text.slice(at, token.from));
    add(kindOf(token, tokens[index + 1]), token.text);
    at = token.to;
  }
  add("plain", text.slice(at));
}

function kindOf({ kind, text }: CodeToken, next: CodeToken | undefined): CodeSpan["kind"] {
  switch (kind) {
    case "comment":
    case "number":
      return kind;
    case "string":
      return next?.text === ":" ? "name" : "string";
    case "template":
    case "regex":
      return "string";
    case "word":
      if (KEYWORDS.has(text)) return "keyword";
      return next?.text === "(" ? "name" : "plain";
    case "mark":
      return "plain";
  }
}
