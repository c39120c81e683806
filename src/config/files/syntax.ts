import { createScanner, printParseErrorCode, type ParseError } from "jsonc-parser";

/** The schema needs six levels; the parser recurses, and would overflow the stack at some thousands. */
export const DEPTH_MAX = 64;

/** The scanner's own numbers: its `SyntaxKind` is a const enum, which has no value at run time. */
const OPENING: ReadonlySet<number> = new Set([1, 3]);
const CLOSING: ReadonlySet<number> = new Set([2, 4]);
const END_OF_FILE = 17;

/** Where a text first nests too deep, if it does. It reads tokens, so braces in strings and comments do not count. */
export function findDepthExcess(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token: number = scanner.scan(); token !== END_OF_FILE; token = scanner.scan()) {
    if (OPENING.has(token)) depth++;
    else if (CLOSING.has(token)) depth--;
    if (depth > DEPTH_MAX) return scanner.getTokenOffset();
  }
  return undefined;
}

/** A syntax error in plain words. */
export function describeSyntaxError(error: ParseError): string {
  switch (printParseErrorCode(error.error)) {
    case "InvalidSymbol":
      return "this is not JSON: put text in double quotes; only true, false and null go without";
    case "InvalidNumberFormat":
    case "UnexpectedEndOfNumber":
      return "this is not a JSON number";
    case "PropertyNameExpected":
      return 'a key in double quotes, or "}", is expected here';
    case "ValueExpected":
      return "a value is expected here";
    case "ColonExpected":
      return 'a ":" is expected here';
    case "CommaExpected":
      return 'a "," is expected here';
    case "CloseBraceExpected":
      return 'a "}" is missing';
    case "CloseBracketExpected":
      return 'a "]" is missing';
    case "EndOfFileExpected":
      return "the file should end here: there is text after the closing brace";
    case "InvalidCommentToken":
      return "comments are // or /* */";
    case "UnexpectedEndOfComment":
      return 'this comment has no "*/"';
    case "UnexpectedEndOfString":
      return "this text has no closing quote on its line";
    case "InvalidUnicode":
      return "\\u needs four hex digits";
    case "InvalidEscapeCharacter":
      return 'this escape is not known; a backslash is written "\\\\"';
    case "InvalidCharacter":
      return "a control character is not allowed here; write it as an escape such as \\n or \\t";
    default:
      return "this is not valid JSON";
  }
}
