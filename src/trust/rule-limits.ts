/** What `limit`, `same` and `once` of a rule mean. */

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
