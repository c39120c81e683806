/** Counts, lists and times as people write them. Data (`--json`) has the exact time. */

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;
/** What is older is found by its date. */
const DAYS_MAX = 30;

/** `just now`, `40 s ago`, `3 min ago`, `5 h ago`, `2 days ago`, or the date. */
export function agoOf(iso: string, nowMs: number = Date.now()): string {
  const seconds = Math.floor((nowMs - Date.parse(iso)) / 1000);
  if (Number.isNaN(seconds)) return iso;
  // A clock that was set back makes times of the future.
  if (seconds < -MINUTE_S) return iso.replace(/\.\d+Z$/, "Z");
  if (seconds < 5) return "just now";
  if (seconds < MINUTE_S) return `${seconds} s ago`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)} min ago`;
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)} h ago`;
  const days = Math.floor(seconds / DAY_S);
  if (days > DAYS_MAX) return iso.slice(0, 10);
  return days === 1 ? "1 day ago" : `${days} days ago`;
}

/** `1 tool`, `3 tools`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** `12,345`. */
export function withCommas(count: number): string {
  return count.toLocaleString("en-US");
}

/** `a, b and c`. */
export function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)!}`;
}
