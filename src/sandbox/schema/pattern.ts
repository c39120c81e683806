/**
 * `pattern` in linear time.
 *
 * A schema's pattern is ECMAScript, which can take hours on a short text; RE2 cannot. The two agree on most patterns.
 * Where they do not, the pattern is translated if that is exact, and otherwise it is not used at all: a text that
 * the server accepts must never be called wrong here.
 */
import { RE2JS } from "re2js";

/** What ECMAScript takes for white space; RE2's `\s` knows ASCII only. */
const WHITE_SPACE =
  "\\t\\n\\v\\f\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
/** Escapes of a letter that mean something in ECMAScript; `\A`, `\Z` and the like come from other languages. */
const FOREIGN_ESCAPE = /\\(?![bBcdDfknpPrsStuvwWx])[A-Za-z]/;
/** `[:alpha:]` is a name in RE2 and seven characters in ECMAScript. */
const POSIX_CLASS = /\[:\^?\w+:\]/;
/** Two of these make one character in ECMAScript and stay two in RE2. */
const SURROGATE_ESCAPE = /\\u\{?[dD][89a-fA-F]/;

interface Pattern {
  test(text: string): boolean;
}

/** A matcher for a pattern of a schema; `undefined` when RE2 cannot say the same (look-around, back references …). */
export function compilePattern(source: string): Pattern | undefined {
  if (!isPlain(source)) return undefined;
  try {
    const spaced = spellWhiteSpace(source);
    if (spaced === undefined) return undefined;
    const matcher = RE2JS.compile(RE2JS.translateRegExp(spaced));
    return { test: (text) => matcher.test(text) };
  } catch {
    return undefined;
  }
}

function isPlain(source: string): boolean {
  if (POSIX_CLASS.test(source) || SURROGATE_ESCAPE.test(source)) return false;
  if (isExpression(source, "u")) return true;
  // Many patterns in the wild escape more than `u` allows, such as `\_`: they are read the old way.
  return isExpression(source, "") && !FOREIGN_ESCAPE.test(source);
}

/** Only parsed, never run. */
function isExpression(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Writes `\s` and `\S` out as ECMAScript means them; `undefined` where a class cannot hold the latter. */
function spellWhiteSpace(source: string): string | undefined {
  let spelled = "";
  let classStart: string | undefined;
  for (let i = 0; i < source.length; i++) {
    const two = source.slice(i, i + 2);
    if (two.startsWith("\\")) {
      if (two === "\\S" && classStart === "[^") return undefined;
      spelled += spellEscape(two, classStart !== undefined);
      i++;
      continue;
    }
    if (classStart === undefined && two.startsWith("[")) classStart = two;
    else if (two.startsWith("]")) classStart = undefined;
    spelled += source[i];
  }
  return spelled;
}

function spellEscape(escape: string, isInClass: boolean): string {
  if (escape === "\\s") return isInClass ? WHITE_SPACE : `[${WHITE_SPACE}]`;
  // In a class RE2's wider `\S` stays: it takes more texts, never fewer.
  if (escape === "\\S" && !isInClass) return `[^${WHITE_SPACE}]`;
  return escape;
}
