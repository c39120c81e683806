/**
 * Whether a URI can come from a template, by the literal parts of the template in their order. Expressions may be
 * anything, so it says yes rather than no.
 */

/** As long as an admitted URI may be. A longer one counts as a match. */
const URI_LENGTH_MAX = 8 * 1024;
/** A longer part is compared by its beginning: looking for it costs at most this for each character of the URI. */
const PART_LENGTH_MAX = 64;

export function matchesTemplate(template: string, uri: string): boolean {
  if (uri.length > URI_LENGTH_MAX) return true;
  const parts = literalsOf(template);
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return uri === first;
  const last = rest.pop()!;
  if (!uri.startsWith(first) || uri.length < first.length + last.length || !uri.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const start = part.slice(0, PART_LENGTH_MAX);
    at = uri.indexOf(start, at);
    if (at === -1) return false;
    at += start.length;
  }
  return at <= uri.length - last.length;
}

/** The same without regard to case and encoding, which a server may undo before it compares. */
export function nearlyMatchesTemplate(template: string, uri: string): boolean {
  return matchesTemplate(template, uri) || matchesTemplate(fold(template), fold(uri));
}

function literalsOf(template: string): string[] {
  return template.split(/\{[^{}]*\}/);
}

function fold(text: string): string {
  try {
    return decodeURIComponent(text).toLowerCase();
  } catch {
    return text.toLowerCase();
  }
}
