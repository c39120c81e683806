/** The rules in their order, compiled: the first that matches a call decides. */
import type { JsonObject } from "../core/json.ts";
import type { DecidingRule, Effect, RuleAction } from "../core/rule.ts";
import type { RuleLimits } from "./rule-limits.ts";

/** What the rules look at. */
export interface RuleSubject {
  /** What `who` is compared with: the id of the principal or `local`, `profile:NAME`, `script:SHA256`. */
  readonly who: readonly string[];
  /** The exposed name, the type of a node, or the exposed URI. */
  readonly tool: string;
  readonly effect: Effect;
  readonly args: JsonObject;
}

/** A rule that was read and compiled. */
export interface Rule extends DecidingRule {
  readonly do: RuleAction;
  /** Whether it says which tools it is about; one that does not asks nothing of a capability as a whole. */
  readonly namesTools: boolean;
  readonly limits: RuleLimits;
}

export interface RuleSet {
  /** All of them, in their order; the last one allows everything. */
  readonly rules: readonly Rule[];
  /** The first that matches and is not used up. */
  decide(subject: RuleSubject, isUsedUp?: (rule: Rule) => boolean): Rule;
  /** Every rule up to the one that decides, with what did not match: for `rules explain`. */
  explain(subject: RuleSubject): readonly ExplainedRule[];
}

export interface ExplainedRule {
  readonly rule: Rule;
  /** The first field that does not match, in words; undefined for the rule that decides. */
  readonly mismatch?: string;
}
