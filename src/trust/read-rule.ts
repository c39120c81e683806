/**
 * A rule as it is written becomes one that can be asked. All that is wrong with it is told at once; the words repeat no
 * value, because any value of a config may be a secret.
 */
import { hashJson, NO_LIMITS as ANY_SIZE } from "../core/json.ts";
import { isMetaToolName } from "../core/meta-tool-names.ts";
import type { Effect, RuleAction, WrittenRule } from "../core/rule.ts";
import { compilePatterns, type Matcher } from "../text/glob.ts";
import { nearest } from "../text/nearest.ts";
import { compileExpression, type Condition } from "./expression.ts";
import { parseLimits, type RuleLimits } from "./rule-limits.ts";

/** A rule with its patterns and its condition compiled. What it does not ask about is undefined. */
export interface ReadRule {
  readonly id: string;
  readonly do: RuleAction;
  readonly why?: string;
  readonly namesTools: boolean;
  readonly limits: RuleLimits;
  readonly who?: Matcher;
  readonly tool?: Matcher;
  readonly effects?: ReadonlySet<Effect>;
  readonly when?: Condition;
  readonly written: WrittenRule;
}

interface RuleProblem {
  /** Where in the rule: `["tool", 1]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

export type RuleRead =
  | { readonly ok: true; readonly rule: ReadRule }
  | { readonly ok: false; readonly problems: readonly RuleProblem[] };

/** Long enough that two rules of one config never share it, short enough to be read out. */
export const RULE_ID_DIGITS = 12;

export function readRule(written: WrittenRule): RuleRead {
  const { who, tool, effect, when, why } = written;
  const limits = parseLimits(written);
  const condition = when === undefined ? undefined : compileExpression(when);
  const problems = [
    ...inList("who", who, findCallerProblem),
    ...inList("tool", tool, findToolProblem),
    ...(condition?.ok === false ? [{ path: ["when"], message: condition.message }] : []),
    ...(limits.ok ? [] : limits.problems.map(({ field, message }) => ({ path: [field], message }))),
    ...findIdleLimits(written),
  ];
  if (problems.length > 0 || !limits.ok || condition?.ok === false) return { ok: false, problems };
  const [callers, tools] = [listOf(who), listOf(tool)];
  return {
    ok: true,
    rule: {
      id: ruleIdOf(written),
      do: written.do,
      ...(why !== undefined && { why }),
      namesTools: !isAny(tools),
      limits: limits.limits,
      ...(!isAny(callers) && { who: compilePatterns(callers!) }),
      ...(!isAny(tools) && { tool: compilePatterns(tools!) }),
      ...(effect !== undefined && { effects: new Set(listOf(effect)) }),
      ...(condition !== undefined && { when: condition.condition }),
      written,
    },
  };
}

/** The same for the same text of a rule, whatever the order of its keys. */
function ruleIdOf(written: WrittenRule): string {
  return hashJson(withoutUndefined(written), ANY_SIZE).slice(0, RULE_ID_DIGITS);
}

function withoutUndefined(written: WrittenRule): object {
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
}

function listOf<T extends string>(one: T | readonly T[] | undefined): readonly T[] | undefined {
  return typeof one === "string" ? [one] : one;
}

/** `*` asks about nothing, as does a field that is not there. */
function isAny(patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.includes("*");
}

function inList(
  field: string,
  one: string | readonly string[] | undefined,
  find: (pattern: string) => Omit<RuleProblem, "path"> | undefined,
): RuleProblem[] {
  return (listOf(one) ?? []).flatMap((pattern, at) => {
    const problem = find(pattern);
    return problem === undefined
      ? []
      : [{ path: typeof one === "string" ? [field] : [field, at], ...problem }];
  });
}

const CALLER_KINDS = ["token", "oauth", "schedule", "hook", "profile", "script"] as const;
const CALLER_SHAPE =
  "write local, token:NAME, oauth:ISSUER#SUBJECT, schedule:NAME, hook:ID, profile:NAME or script:SHA256";

/** A pattern that no caller can have would be a rule without effect. */
function findCallerProblem(pattern: string): Omit<RuleProblem, "path"> | undefined {
  const [kind = "", ...rest] = pattern.split(":");
  if (kind.includes("*") || pattern === "local") return undefined;
  if (rest.length > 0 && CALLER_KINDS.some((known) => known === kind)) return undefined;
  const [near] = nearest(kind, [...CALLER_KINDS, "local"]);
  const meant = near === undefined ? "" : `; did you mean ${near === "local" ? near : `${near}:`}?`;
  return { message: `is no caller${meant}`, hint: CALLER_SHAPE };
}

/** Nodes that do nothing themselves: what they start passes the rules, and waiting needs none. */
const IDLE_NODES: ReadonlySet<string> = new Set(["code", "wait", "approve"]);

/** What meta-tools start passes the rules by itself: each call of code, each node, each capability. */
function findToolProblem(pattern: string): Omit<RuleProblem, "path"> | undefined {
  if (IDLE_NODES.has(pattern))
    return {
      message: `the node ${pattern} is not subject to rules: it does nothing itself`,
      hint: "write the rule about the tools that it is used with",
    };
  if (!isMetaToolName(pattern)) return undefined;
  return {
    message: "a meta-tool is not subject to rules: what it starts is",
    hint: "hide it in a profile, or give the token other scopes",
  };
}

/** A call that is refused is not counted. */
function findIdleLimits(written: WrittenRule): RuleProblem[] {
  if (written.do !== "refuse") return [];
  const idle = (["limit", "same", "once"] as const).filter((field) => Boolean(written[field]));
  return idle.map((field) => ({ path: [field], message: 'has no effect with "do": "refuse"' }));
}
