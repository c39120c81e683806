/** What `limit`, `same` and `once` of a rule mean. */
import type { WrittenRule } from "../core/rule.ts";

/** At most so many calls in any time of this length. */
interface CallRate {
  readonly countMax: number;
  readonly windowMs: number;
  /** As it is written, for messages: `60/min`. */
  readonly text: string;
}

export interface RuleLimits {
  readonly rates: readonly CallRate[];
  /** `4 at once`. */
  readonly atOnceMax?: number;
  /** `20 in all`, and 1 for `once`: then the rule is used up, and the next one decides. */
  readonly totalMax?: number;
  /** Calls with equal arguments. */
  readonly same?: CallRate;
}

export const NO_LIMITS: RuleLimits = { rates: [] };

/** What is wrong with a field of a rule. Like every problem of a config it repeats no value. */
interface LimitProblem {
  readonly field: "limit" | "same" | "once";
  readonly message: string;
}

export type ParsedLimits =
  | { readonly ok: true; readonly limits: RuleLimits }
  | { readonly ok: false; readonly problems: readonly LimitProblem[] };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const UNITS_MS: ReadonlyMap<string, number> = new Map(
  (
    [
      [["s", "sec", "second", "seconds"], SECOND_MS],
      [["min", "minute", "minutes"], MINUTE_MS],
      [["h", "hour", "hours"], HOUR_MS],
      [["d", "day", "days"], DAY_MS],
    ] as const
  ).flatMap(([names, ms]) => names.map((name) => [name, ms])),
);

/** Counts are kept as long as a rule looks back. */
const WINDOW_MS_MAX = 31 * DAY_MS;
/** No counter is compared with more. */
const COUNT_MAX = 1_000_000_000;

/** A number, then `/min`, `in 10 min`, `at once` or `in all`. Every gap is bounded, so that no text takes long. */
const TERM =
  /\s{0,20},?\s{0,20}(?:(\d{1,10})\s{0,9}(?:\/\s{0,9}([a-z]{1,9})|in\s{1,9}(?:(\d{1,9})\s{0,9})?([a-z]{1,9})|(at\s{1,9}once)))(?![a-z\d])/iy;

const LIMIT_SHAPE =
  'write it like "60/min 2000/day 4 at once" or "20 in all"; the units are s, min, h and day';
const SAME_SHAPE = 'write it like "5 in 1 min"; the units are s, min, h and day';

/** Reads all three, and tells all that is wrong with them. */
export function parseLimits({
  limit,
  same,
  once,
}: Pick<WrittenRule, "limit" | "same" | "once">): ParsedLimits {
  const inLimit = limit === undefined ? { terms: [] } : readTerms(limit, LIMIT_SHAPE);
  const inSame = same === undefined ? { terms: [] } : readTerms(same, SAME_SHAPE);
  const problems: LimitProblem[] = [
    ...problemIn("limit", inLimit.message ?? findLimitProblem(inLimit.terms)),
    ...problemIn("same", inSame.message ?? (same === undefined ? undefined : findSameProblem(inSame.terms))),
  ];
  const totalMax = countOf(inLimit.terms, "total");
  if (once === true && totalMax !== undefined) {
    problems.push({ field: "once", message: 'says the same as "1 in all", and "limit" says another number' });
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, limits: limitsOf(inLimit.terms, inSame.terms, once === true ? 1 : totalMax) };
}

type Term =
  | ({ readonly kind: "rate" } & CallRate)
  | { readonly kind: "atOnce" | "total"; readonly countMax: number };

interface Terms {
  readonly terms: readonly Term[];
  readonly message?: string;
}

function readTerms(text: string, shape: string): Terms {
  const terms: Term[] = [];
  let at = 0;
  while (text.slice(at).trim() !== "") {
    TERM.lastIndex = at;
    const match = TERM.exec(text);
    const term = match === null ? undefined : termOf(match);
    if (term === undefined)
      return { terms, message: `cannot be read from its column ${at + 1} on; ${shape}` };
    terms.push(term);
    at = TERM.lastIndex;
  }
  return terms.length === 0 ? { terms, message: `says nothing; ${shape}` } : { terms };
}

function termOf([text, count, per, windowCount, word, atOnce]: RegExpExecArray): Term | undefined {
  const countMax = Number(count);
  if (atOnce !== undefined) return { kind: "atOnce", countMax };
  if (per === undefined && windowCount === undefined && word!.toLowerCase() === "all")
    return { kind: "total", countMax };
  const unitMs = UNITS_MS.get((per ?? word!).toLowerCase());
  if (unitMs === undefined) return undefined;
  const windowMs = Number(windowCount ?? 1) * unitMs;
  return { kind: "rate", countMax, windowMs, text: text.replace(/^[\s,]+/, "").replaceAll(/\s+/g, " ") };
}

function problemIn(field: LimitProblem["field"], message: string | undefined): LimitProblem[] {
  return message === undefined ? [] : [{ field, message }];
}

function findLimitProblem(terms: readonly Term[]): string | undefined {
  const twice = (["atOnce", "total"] as const).find(
    (kind) => terms.filter((term) => term.kind === kind).length > 1,
  );
  if (twice !== undefined) return `says "${twice === "total" ? "in all" : "at once"}" twice`;
  return terms.map(findTermProblem).find((problem) => problem !== undefined);
}

function findSameProblem(terms: readonly Term[]): string | undefined {
  const [term] = terms;
  if (terms.length !== 1 || term?.kind !== "rate")
    return `must be one number of calls in one time; ${SAME_SHAPE}`;
  return findTermProblem(term);
}

function findTermProblem(term: Term): string | undefined {
  if (term.countMax === 0) return 'must allow at least one call; to allow none, write "do": "refuse"';
  if (term.countMax > COUNT_MAX) return `must allow at most ${COUNT_MAX} calls`;
  if (term.kind !== "rate") return undefined;
  if (term.windowMs === 0) return "must be about a time longer than 0";
  return term.windowMs > WINDOW_MS_MAX ? "must be about a time of at most 31 days" : undefined;
}

function countOf(terms: readonly Term[], kind: "atOnce" | "total"): number | undefined {
  return terms.find((term) => term.kind === kind)?.countMax;
}

function ratesOf(terms: readonly Term[]): CallRate[] {
  return terms.flatMap((term) => {
    if (term.kind !== "rate") return [];
    const { countMax, windowMs, text } = term;
    return [{ countMax, windowMs, text }];
  });
}

function limitsOf(
  terms: readonly Term[],
  sameTerms: readonly Term[],
  totalMax: number | undefined,
): RuleLimits {
  const atOnceMax = countOf(terms, "atOnce");
  const [same] = ratesOf(sameTerms);
  return {
    rates: ratesOf(terms),
    ...(atOnceMax !== undefined && { atOnceMax }),
    ...(totalMax !== undefined && { totalMax }),
    ...(same !== undefined && { same }),
  };
}
