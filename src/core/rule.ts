/** The nouns of rules: who may do what, and what was decided. */
import type { JsonObject } from "./json.ts";

/** What a call does to the world, the least first. */
export const EFFECTS = ["read", "write", "destroy"] as const;
export type Effect = (typeof EFFECTS)[number];

/** What a capability uses: by it is known what a call of the capability does. */
export interface CapabilityUses {
  /** By exposed name. */
  readonly tools: readonly string[];
  /** The built-in nodes of a workflow, with their parameters as they are written. */
  readonly nodes: readonly UsedNode[];
}

interface UsedNode {
  readonly type: string;
  readonly params: JsonObject;
}

/** What happens to a call: it is made, a person is asked first, or it is refused. */
export const RULE_ACTIONS = ["allow", "ask", "refuse"] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

/** What happens to definitions that are new or have changed: recorded, held on a finding, held until approved. */
export const TRUST_LEVELS = ["allow", "scan", "ask"] as const;
export type TrustLevel = (typeof TRUST_LEVELS)[number];

/** A rule as it is written in the config. What it leaves out, it does not ask about. */
export interface WrittenRule {
  /** Patterns of callers: `token:ci`, `oauth:*`, `local`, `profile:triage`, `script:<sha256>`. */
  readonly who?: string | readonly string[];
  /** Patterns of exposed names, capabilities, node types, prompts and resource URIs. */
  readonly tool?: string | readonly string[];
  readonly effect?: Effect | readonly Effect[];
  /** A JavaScript expression over `args`. */
  readonly when?: string;
  readonly do: RuleAction;
  /** `60/min 2000/day 4 at once 20 in all`, for each caller and tool. */
  readonly limit?: string;
  /** `5 in 1 min`: calls with equal arguments. */
  readonly same?: string;
  /** The rule counts for one call and then no longer. */
  readonly once?: boolean;
  /** For people: a refusal and a question say it. */
  readonly why?: string;
}

/** The rule that decided, for messages, questions and the call log. */
export interface DecidingRule {
  /** The same for the same text of a rule, wherever it is in the list. */
  readonly id: string;
  /** How people find it: `rules[2]`, `token ci`, `trust: "ask"`. */
  readonly name: string;
  readonly why?: string;
}

export interface Decision {
  readonly do: RuleAction;
  readonly effect: Effect;
  readonly rule: DecidingRule;
}

/** A person's yes to one call, as `Guard.bindingOf` names it. Only the run that asked makes one. */
export interface Permit {
  readonly binding: string;
  /** Who said it. */
  readonly by: string;
}
