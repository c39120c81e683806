/** Text beyond this is not compared: a pattern is a name or a word of a description. */
const PATTERN_LENGTH_MAX = 200;

/**
 * Tells whether one of the texts matches: a glob (`math:*`, `*sum?`) must match whole, anything else is a substring.
 */
export function createMatcher(pattern: string | null): (texts: readonly string[]) => boolean {
  if (pattern === null || pattern === "") return () => true;
  const wanted = pattern.slice(0, PATTERN_LENGTH_MAX).toLowerCase();
  const matches = /[*?]/.test(wanted)
    ? (text: string) => matchesGlob(text, wanted)
    : (text: string) => text.includes(wanted);
  return (texts) => texts.some((text) => matches(text.toLowerCase()));
}

/** Linear in the text for each star, never exponential: it goes back only to the last star. */
function matchesGlob(text: string, glob: string): boolean {
  let textAt = 0;
  let globAt = 0;
  let starAt = -1;
  let starTextAt = 0;
  while (textAt < text.length) {
    if (globAt < glob.length && glob[globAt] === "*") {
      starAt = globAt++;
      starTextAt = textAt;
    } else if (globAt < glob.length && (glob[globAt] === "?" || glob[globAt] === text[textAt])) {
      globAt++;
      textAt++;
    } else if (starAt >= 0) {
      globAt = starAt + 1;
      textAt = ++starTextAt;
    } else return false;
  }
  while (glob[globAt] === "*") globAt++;
  return globAt === glob.length;
}
