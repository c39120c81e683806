/** What a server may ask for at most: more is a mistake, or malice. */
const WAIT_MAX_MS = 60_000;

/** Seconds or a date, capped; undefined for what is neither, or is in the past. */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const isSeconds = /^\s*\d{1,15}\s*$/.test(text);
  const waitMs = isSeconds ? Number(text) * 1000 : Date.parse(text) - now;
  // `Date.parse` reads much that is no date of HTTP, such as -1.
  if (!isSeconds && !/^[A-Za-z]{3}/.test(text.trim())) return undefined;
  return Number.isFinite(waitMs) && waitMs >= 0 ? Math.min(waitMs, WAIT_MAX_MS) : undefined;
}
