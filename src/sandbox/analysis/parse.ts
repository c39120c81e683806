import { Parser, tokTypes, type Program as Tree, type Token } from "acorn";

/** A stack overflow in the parser passes through as what it is; the parser would make it a syntax error like any other. */
class OpenParser extends Parser {
  catchStackOverflow<Result>(read: () => Result): Result {
    return read();
  }
}

export interface Parsed {
  readonly tree: Tree;
  /** Offsets of every `(` that is not in a string, comment or the like, in order. */
  readonly parentheses: readonly number[];
  /** Where the first brace of the text is closed. */
  readonly firstBraceClosedAt: number;
}

export type ParseOutcome =
  | ({ readonly kind: "parsed" } & Parsed)
  | { readonly kind: "invalid"; readonly message: string; readonly offset: number };

/** Parses JavaScript; in a script, import and export are let through everywhere, to be refused with a better hint. */
export function parseScript(text: string, sourceType: "script" | "module"): ParseOutcome {
  const parentheses: number[] = [];
  let braceDepth = 0;
  let firstBraceClosedAt = text.length;
  const onToken = ({ type, start }: Token): void => {
    if (type === tokTypes.parenL) parentheses.push(start);
    else if (type === tokTypes.braceL || type === tokTypes.dollarBraceL) braceDepth++;
    else if (type === tokTypes.braceR && --braceDepth === 0)
      firstBraceClosedAt = Math.min(firstBraceClosedAt, start);
  };
  try {
    const tree = OpenParser.parse(text, {
      ecmaVersion: "latest",
      sourceType,
      allowImportExportEverywhere: sourceType === "script",
      ranges: true,
      onToken,
    });
    return { kind: "parsed", tree, parentheses, firstBraceClosedAt };
  } catch (error) {
    if (!isParseError(error)) throw error;
    return { kind: "invalid", message: error.message.replace(/ \(\d+:\d+\)$/, ""), offset: error.pos };
  }
}

function isParseError(error: unknown): error is SyntaxError & { readonly pos: number } {
  return error instanceof SyntaxError && "pos" in error && typeof error.pos === "number";
}
