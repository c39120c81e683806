/** Options that the commands which list entries have in common. */
import { InvalidArgumentError } from "commander";
import { parseMoment } from "../../../text/moment.ts";

/** A time back from now, or a date. */
export function parseSince(written: string, _before?: unknown, nowMs: number = Date.now()): number {
  const at = parseMoment(written, -1, nowMs);
  if (at === undefined) throw new InvalidArgumentError("Give 30m, 2h or 7d, or a date such as 2026-03-01.");
  return at;
}

export const SINCE_OPTION = {
  flags: "--since <time>",
  about: "only since this time: 30m, 2h, 7d, or a date such as 2026-03-01",
  parse: parseSince,
} as const;

export function limitOption(limit: number, limitMax: number) {
  return {
    flags: "--limit <n>",
    about: `show at most this many, up to ${limitMax}`,
    parse: (written: string) => parseCount(written, limitMax),
    default: limit,
  } as const;
}

/** A whole number from 1 on. */
export function parseCount(written: string, max: number): number {
  const count = Number(written);
  if (Number.isSafeInteger(count) && count >= 1 && count <= max) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
}
