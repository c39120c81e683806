/**
 * Module syntax that changes nothing about what code does: `export` before a declaration, `export default`, `import type`. It is
 * blanked out, so that every other character keeps its place. What really needs a module stays, and is refused.
 */

/** What a default export that has no name of its own is called. As long as `export default` or shorter. */
export const DEFAULT_NAME = "$main";

export interface WithoutModuleWord {
  readonly text: string;
  /** The name of what was exported by default. */
  readonly entry?: string;
}

const DECLARATION =
  /^export(?=\s+(?:declare\s+|abstract\s+|async\s+)*(?:(?:const|let|var|function|class|enum|interface|namespace)\b|type\s+[\w$]+\s*[=<]))/;
const NAMED_DEFAULT =
  /^export[ \t]+default(?=\s+(?:async\s+)?(?:function\s*\*?|abstract\s+class|class)\s+(?!extends\b)([\w$]+))/;
const DEFAULT_VALUE = /^export[ \t]+default\b(?!\s*(?:interface|abstract)\b)/;
const LIST = /^export\s+(?:type\s*)?\{[^}]*\}(?!\s*from\b)|^export\s*\{[^}]*\}(?!\s*from\b)/;
const TYPE_IMPORT = /^import\s+type\s+[^;'"]*?\bfrom\s*(?:'[^'\n]*'|"[^"\n]*")/;

/** The text without the module syntax that starts at `offset`; undefined where it cannot simply be left out. */
export function blankModuleSyntax(text: string, offset: number): WithoutModuleWord | undefined {
  const rest = text.slice(offset);
  const put = (length: number, start = ""): string =>
    text.slice(0, offset) + start + blank(rest.slice(start.length, length)) + rest.slice(length);
  const named = NAMED_DEFAULT.exec(rest);
  if (named !== null) return { text: put(named[0].length), entry: named[1]! };
  const plain = DECLARATION.exec(rest) ?? LIST.exec(rest) ?? TYPE_IMPORT.exec(rest);
  if (plain !== null) return { text: put(plain[0].length) };
  const value = DEFAULT_VALUE.exec(rest);
  return value === null
    ? undefined
    : { text: put(value[0].length, `const ${DEFAULT_NAME} =`), entry: DEFAULT_NAME };
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, " ");
}
