/** Quantities as short texts, the same on every screen. */

const NUMBER = new Intl.NumberFormat("en");
const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const INSTANT = new Intl.DateTimeFormat("en", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hour12: false,
  timeZoneName: "short",
});
const DAY = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const DAY_OF_YEAR = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric" });

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Above it a date says more than a number of days. */
const RELATIVE_DAYS_MAX = 7;

export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** `12.4K`, for where there is no room. */
export function formatCompact(value: number): string {
  return COMPACT.format(value);
}

/** `0.4 ms`, `38 ms`, `1.24 s`, `2 m 05 s`, `3 h 12 m`, `2 d 3 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return ms <= 0 ? "0 ms" : `${ms.toFixed(1)} ms`;
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(2)} s`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(1)} s`;
  if (ms < HOUR_MS) return twoUnits(ms, MINUTE_MS, "m", SECOND_MS, "s");
  if (ms < DAY_MS) return twoUnits(ms, HOUR_MS, "h", MINUTE_MS, "m");
  return twoUnits(ms, DAY_MS, "d", HOUR_MS, "h");
}

function twoUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  const digits = smallName === "h" ? String(rest) : String(rest).padStart(2, "0");
  return `${Math.floor(ms / large)} ${largeName} ${digits} ${smallName}`;
}

/** `812 B`, `3.4 KiB`, `20.1 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `now`, `12 s ago`, `3 m ago`, `in 40 s`; a date where it is more than a week away. */
export function formatRelative(at: number, now: number): string {
  const away = Math.abs(now - at);
  if (away < SECOND_MS) return "now";
  if (away > RELATIVE_DAYS_MAX * DAY_MS) return dateOf(at, now);
  const text = oneUnit(away);
  return at > now ? `in ${text}` : `${text} ago`;
}

function oneUnit(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} m`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}

function dateOf(at: number, now: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? DAY : DAY_OF_YEAR).format(at);
}

/** The instant to the millisecond, in the viewer's time zone. */
export function formatInstant(at: number): string {
  return INSTANT.format(at);
}

/** `1 call`, `3 calls`. */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
