/** Patterns in which `*` matches any characters, and everything else itself. */

export type Matcher = (text: string) => boolean;

/** Reads a pattern once. Each part is looked for once, from left to right, so that no pattern takes long. */
export function compilePattern(pattern: string): Matcher {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  const between = rest.filter((part) => part !== "");
  if (between.length === 0) {
    if (last === "") return (text) => text.startsWith(first);
    const lengthMin = first.length + last.length;
    return (text) => text.length >= lengthMin && text.startsWith(first) && text.endsWith(last);
  }
  return (text) => text.startsWith(first) && text.endsWith(last) && holds(text, first, between, last);
}

/** Whether any of the patterns matches. */
export function compilePatterns(patterns: readonly string[]): Matcher {
  const matchers = patterns.map(compilePattern);
  if (matchers.length === 1) return matchers[0]!;
  return (text) => matchers.some((matches) => matches(text));
}

/** Whether the parts are there in their order, none of them in what the first and the last part take. */
function holds(text: string, first: string, between: readonly string[], last: string): boolean {
  let at = first.length;
  for (const part of between) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
