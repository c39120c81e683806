/**
 * The rules in their order, compiled: the first that matches a call decides.
 *
 * Patterns are read once, when a config is. For each caller, tool and effect the rules that could decide are found once
 * as well and remembered, so that a later decision evaluates only conditions. A changed config is a new set.
 *
 * A condition that cannot be decided counts against the call: a rule that allows does not match, and one that asks or
 * refuses does. A mistake in a rule is thereby never less careful than what was meant.
 */
import { RepertoireError } from "../core/errors.ts";
import { hashJson, type JsonObject } from "../core/json.ts";
import { displayNameOf, parseToolName } from "../core/names.ts";
import {
  EFFECTS,
  type DecidingRule,
  type Effect,
  type RuleAction,
  type TrustLevel,
  type WrittenRule,
} from "../core/rule.ts";
import { compilePatterns, type Matcher } from "../text/glob.ts";
import { createLru } from "../timing/lru.ts";
import { readRule, RULE_ID_DIGITS, type ReadRule } from "./read-rule.ts";
import { NO_LIMITS, type RuleLimits } from "./rule-limits.ts";

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
  /** As it is written; the limits of a token are written nowhere. */
  readonly written?: WrittenRule;
}

export interface RuleSet {
  /** All of them, in their order; the last one allows everything. */
  readonly rules: readonly Rule[];
  /** The first that matches and is not used up. */
  decide(subject: RuleSubject, isUsedUp?: (rule: Rule) => boolean): Rule;
  /** Every rule up to the one that decides, with what did not match: for `rules explain`. */
  explain(subject: RuleSubject, isUsedUp?: (rule: Rule) => boolean): readonly ExplainedRule[];
}

interface ExplainedRule {
  readonly rule: Rule;
  /** The first field that does not match, in words; undefined for the rule that decides. */
  readonly mismatch?: string;
  /** Of the rule that decides: that it does so without its condition being true. */
  readonly note?: string;
}

/** What comes after the rules of the config with `trust: "ask"`: reading is free, for everything else a person is asked. */
const CAREFUL: readonly WrittenRule[] = [
  { effect: "read", do: "allow" },
  { effect: ["write", "destroy"], do: "ask" },
];
const CAREFUL_NAME = 'trust: "ask"';
const LAST: WrittenRule = { do: "allow" };

/** Of each set, the callers and tools that were seen last. A profile with a few hundred tools has room. */
const REMEMBERED = { countMax: 2_000, sizeMax: 2 * 1024 * 1024 };

const POINTER_BYTES = 8;

/** The rules of a config, which were checked with it: one that cannot be read is thrown. */
export function createRuleSet(
  written: readonly WrittenRule[],
  trust: TrustLevel,
  staticNameOf?: OtherName,
): RuleSet {
  const all = [
    ...written.map((rule, index) => compile(rule, `rules[${index}]`)),
    ...(trust === "ask" ? CAREFUL : []).map((rule) => compile(rule, CAREFUL_NAME)),
    compile(LAST, "default"),
  ];
  return ruleSetOf(all, (tool) => namesOf(tool, staticNameOf));
}

/** A second name of a tool, where it has one. */
type OtherName = (tool: string) => string | undefined;
type NamesOf = (tool: string) => readonly string[];

/** A rule, and what it asks a call. */
interface Compiled extends Pick<ReadRule, "who" | "tool" | "effects" | "when"> {
  readonly rule: Rule;
}

function compile(written: WrittenRule, name: string): Compiled {
  const read = readRule(written);
  if (!read.ok) {
    const told = read.problems.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");
    throw new RepertoireError("CONFIG_INVALID", `${name} cannot be read: ${told}`);
  }
  const { id, do: action, why, namesTools, limits, who, tool, effects, when } = read.rule;
  const rule = { id, name, ...(why !== undefined && { why }), do: action, namesTools, limits, written };
  return { rule, who, tool, effects, when };
}

function ruleSetOf(all: readonly Compiled[], names: NamesOf): RuleSet {
  const candidates = createLru<readonly Compiled[]>(REMEMBERED);
  const rules = all.map(({ rule }) => rule);

  /** Every rule that could decide such a call: the last of them does, if no condition before it holds. */
  function candidatesFor({ who, tool, effect }: RuleSubject): readonly Compiled[] {
    // With the lengths, because a URI may hold any character.
    const key = `${who.length} ${tool.length} ${effect}\n${tool}\n${who.join("\n")}`;
    const known = candidates.get(key);
    if (known !== undefined) return known;
    const found = findCandidates(all, who, names(tool), effect);
    candidates.set(key, found, key.length + found.length * POINTER_BYTES);
    return found;
  }

  return {
    rules,
    decide:
      all.length === 1
        ? () => rules[0]!
        : (subject, isUsedUp) => firstOf(candidatesFor(subject), subject.args, isUsedUp),
    explain: (subject, isUsedUp) => explain(all, names(subject.tool), subject, isUsedUp),
  };
}

function firstOf(
  candidates: readonly Compiled[],
  args: JsonObject,
  isUsedUp: ((rule: Rule) => boolean) | undefined,
): Rule {
  for (const { rule, when } of candidates) {
    if (when !== undefined && !holds(when(args), rule)) continue;
    if (isUsedUp === undefined || rule.limits.totalMax === undefined || !isUsedUp(rule)) return rule;
  }
  throw new Error("the last rule matches every call");
}

/** What cannot be decided counts against the call. */
function holds(condition: boolean | undefined, rule: Rule): boolean {
  return condition ?? rule.do !== "allow";
}

function findCandidates(
  all: readonly Compiled[],
  who: readonly string[],
  names: readonly string[],
  effect: Effect,
): readonly Compiled[] {
  const found: Compiled[] = [];
  for (const one of all) {
    if (one.effects !== undefined && !one.effects.has(effect)) continue;
    if (one.tool !== undefined && !someMatch(names, one.tool)) continue;
    if (one.who !== undefined && !someMatch(who, one.who)) continue;
    found.push(one);
    if (one.when === undefined && one.rule.limits.totalMax === undefined) break;
  }
  return found;
}

function someMatch(texts: readonly string[], matches: Matcher): boolean {
  for (const text of texts) if (matches(text)) return true;
  return false;
}

/** A capability is known by two names: `mcp__mail__send` and `mail:send`. So is a static tool, by the program's own. */
function namesOf(tool: string, staticNameOf?: OtherName): readonly string[] {
  const parsed = parseToolName(tool);
  const other = parsed.kind === "capability" ? displayNameOf(parsed) : staticNameOf?.(tool);
  return other === undefined ? [tool] : [tool, other];
}

// ── explaining ──────────────────────────────────────────────────────────────────────────────────────────────────────

function explain(
  all: readonly Compiled[],
  names: readonly string[],
  subject: RuleSubject,
  isUsedUp: (rule: Rule) => boolean = () => false,
): readonly ExplainedRule[] {
  const told: ExplainedRule[] = [];
  for (const one of all) {
    const { rule } = one;
    const isSpent = rule.limits.totalMax !== undefined && isUsedUp(rule);
    const mismatch = findMismatch(one, names, subject) ?? (isSpent ? "it is used up" : undefined);
    told.push(mismatch === undefined ? { rule, ...noteOn(one, subject) } : { rule, mismatch });
    if (mismatch === undefined) break;
  }
  return told;
}

function findMismatch(
  { rule, who, tool, effects, when }: Compiled,
  names: readonly string[],
  subject: RuleSubject,
): string | undefined {
  if (who !== undefined && !someMatch(subject.who, who))
    return `who: it is not about ${subject.who.join(", ")}`;
  if (tool !== undefined && !someMatch(names, tool)) return "tool: the name does not match";
  if (effects !== undefined && !effects.has(subject.effect)) {
    return `effect: the call is ${subject.effect}, not ${effectsText(effects)}`;
  }
  if (when === undefined) return undefined;
  const condition = when(subject.args);
  if (holds(condition, rule)) return undefined;
  return condition === undefined ? "when: it cannot be decided, so it allows nothing" : "when: it is false";
}

function noteOn({ when }: Compiled, { args }: RuleSubject): { note?: string } {
  const isUndecided = when !== undefined && when(args) === undefined;
  return isUndecided ? { note: "when: it cannot be decided, so it counts against the call" } : {};
}

function effectsText(effects: ReadonlySet<Effect>): string {
  return EFFECTS.filter((effect) => effects.has(effect)).join(" or ");
}

// ── what a token may do ─────────────────────────────────────────────────────────────────────────────────────────────

/** What a token is limited to; without a field, to nothing. */
export interface TokenLimits {
  /** Of the token. */
  readonly name: string;
  readonly effects?: ReadonlySet<Effect>;
  /** Patterns, as `tool` of a rule. */
  readonly tools?: readonly string[];
}

/** The rules for a token: before all others, what is outside of its limits is refused. */
export function limitTo(rules: RuleSet, { name, effects, tools }: TokenLimits): RuleSet {
  const byEffect = effects && refusalOf(name, { effects: [...effects].sort() }, mayHave(effects));
  const byTool = tools && refusalOf(name, { tools: [...tools] }, mayCall(tools));
  const hasTool = tools && compilePatterns(tools);
  const own = [byEffect, byTool].filter((rule) => rule !== undefined);

  function outside({ effect, tool }: RuleSubject): Rule | undefined {
    if (effects?.has(effect) === false) return byEffect;
    return hasTool !== undefined && !someMatch(namesOf(tool), hasTool) ? byTool : undefined;
  }

  return {
    rules: [...own, ...rules.rules],
    decide: (subject, isUsedUp) => outside(subject) ?? rules.decide(subject, isUsedUp),
    explain(subject, isUsedUp) {
      const first = outside(subject);
      const passed = own
        .slice(0, first === undefined ? own.length : own.indexOf(first))
        .map((rule) => ({ rule, mismatch: "the call is within what the token may do" }));
      return [...passed, ...(first === undefined ? rules.explain(subject, isUsedUp) : [{ rule: first }])];
    },
  };
}

function mayHave(effects: ReadonlySet<Effect>): string {
  return effects.size === 0 ? "the token may do nothing" : `the token may only ${effectsText(effects)}`;
}

function mayCall(tools: readonly string[]): string {
  return tools.length === 0 ? "the token may call no tool" : `the token may only call ${tools.join(", ")}`;
}

function refusalOf(token: string, limit: JsonObject, why: string): Rule {
  const id = hashJson({ token, ...limit }).slice(0, RULE_ID_DIGITS);
  return { id, name: `token ${token}`, why, do: "refuse", namesTools: true, limits: NO_LIMITS };
}
