/** Weeks as ISO 8601 has them, in UTC: they begin on Monday, and a week belongs to the year of its Thursday. */
const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
/** 1970-01-01 was a Thursday. */
const FIRST_MONDAY = 4 * DAY_MS;

/** When the week of this moment began. */
export function mondayOf(at: number): number {
  return Math.floor((at - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY;
}

/** `2026-W47` */
export function isoWeekOf(at: number): string {
  const thursday = mondayOf(at) + 3 * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const number = Math.floor((thursday - Date.UTC(year, 0, 1)) / WEEK_MS) + 1;
  return `${year}-W${String(number).padStart(2, "0")}`;
}
