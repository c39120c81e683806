const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `2h` or `7d` from now, ahead (1) or back (-1), or a date; in ms since 1970. Undefined for anything else. */
export function parseMoment(written: string, direction: 1 | -1, nowMs: number): number | undefined {
  const [, count, unit] = /^(\d{1,6})\s*([smhd])$/.exec(written) ?? [];
  if (count !== undefined) return nowMs + direction * Number(count) * UNITS_MS[unit!]!;
  const at = /^\d{4}-\d\d-\d\d/.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
