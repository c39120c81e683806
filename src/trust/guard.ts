/**
 * The guard: the one place where it is decided whether a call is made. What it needs to know is handed to it: the rules,
 * what a call does, how often calls were made. It keeps nothing.
 *
 * A yes of a person comes with the call as a permit. It is compared with the call as it is now, so what changed since
 * the person was asked (the arguments, the tool, the rule, the caller) makes it another call.
 */
import { systemClock, type Clock } from "../core/clock.ts";
import { hashOfDefinition } from "../core/definition-hash.ts";
import { NOT_APPROVED, type Guard, type GuardedCall, type PassedCall } from "../core/guard.ts";
import { hashJson, NO_LIMITS } from "../core/json.ts";
import { CAPABILITIES_ID } from "../core/names.ts";
import { LOCAL } from "../core/principal.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Decision, Effect } from "../core/rule.ts";
import type { CallContext } from "../core/tool.ts";
import { quote } from "../text/quote.ts";
import type { CallLimits } from "./call-limits.ts";
import { findFlowRule, noteFlow, type LabelsOf } from "./flow.ts";
import type { Rule, RuleSet, RuleSubject } from "./rule-set.ts";

export interface GuardDeps {
  /** The rules for this caller as they are now: those of its token first. */
  readonly rulesFor: (context: CallContext) => RuleSet;
  readonly effectOf: (call: GuardedCall) => Effect;
  readonly limits: CallLimits;
  /** What calls bring into runs and take out of them. */
  readonly labelsOf: LabelsOf;
  /** Whether a run that has read private and untrusted things asks before it sends. */
  readonly asksBeforeSending: () => boolean;
  /** Puts a call on record, when it has ended or was refused. */
  readonly record: (call: PassedCall) => void;
  readonly clock?: Clock;
}

export function createGuard(deps: GuardDeps): Guard {
  const { clock = systemClock } = deps;

  /** A rule that is used up is passed over. */
  async function ruleFor(rules: RuleSet, subject: RuleSubject): Promise<Rule> {
    const usedUp = new Set<Rule>();
    for (;;) {
      const rule = rules.decide(subject, (one) => usedUp.has(one));
      if (rule.limits.totalMax === undefined || !(await deps.limits.isUsedUp(rule))) return rule;
      usedUp.add(rule);
    }
  }

  /** A promise only where the store must be asked. */
  function decideRule(
    call: GuardedCall,
    context: CallContext,
  ): { effect: Effect; rule: Rule | Promise<Rule> } {
    const effect = deps.effectOf(call);
    const subject = { who: whoOf(context), tool: call.name, effect, args: call.args };
    const rules = deps.rulesFor(context);
    const rule = rules.decide(subject);
    return { effect, rule: rule.limits.totalMax === undefined ? rule : ruleFor(rules, subject) };
  }

  /** What a rule allows is asked about where it would complete the way of data out of a run. */
  function withFlow(call: GuardedCall, decision: Decision, { flow }: CallContext): Decision {
    if (decision.do !== "allow" || flow === undefined || !deps.asksBeforeSending()) return decision;
    const rule = findFlowRule(deps.labelsOf, call, flow);
    return rule === undefined ? decision : { ...decision, do: "ask", rule };
  }

  function observe(call: GuardedCall, context: CallContext): void {
    if (context.flow !== undefined && deps.asksBeforeSending()) noteFlow(deps.labelsOf, call, context.flow);
  }

  async function pass<T>(
    call: GuardedCall,
    context: CallContext,
    make: (context: CallContext) => Promise<ToolResult<T>>,
  ): Promise<ToolResult<T>> {
    const startedAt = clock.elapsed();
    const { effect, rule: found } = decideRule(call, context);
    const rule = found instanceof Promise ? await found : found;
    const decision = withFlow(call, decisionOf(call, effect, rule), context);
    const entered = refusalOf(call, context, decision) ?? enter(call, context, rule);
    const slot = entered instanceof Promise ? await entered : entered;
    const result = slot.success ? await makeWithin(slot, context, make) : slot;
    // Who can pause asks a person now; that is what goes on record.
    if (!result.success && result.error.reason === NOT_APPROVED) return result;
    // The error of a call is an answer too: what it says has been read.
    if (slot.success) observe(call, context);
    deps.record({ call, context, decision, result, elapsedMs: clock.elapsed() - startedAt });
    return result;
  }

  /** The place of a call under the limits of its rule; `data` gives it back. No promise where there are none. */
  function enter(
    call: GuardedCall,
    { principal }: CallContext,
    rule: Rule,
  ): ToolResult<() => void> | Promise<ToolResult<() => void>> {
    if (isUnlimited(rule)) return NO_SLOT;
    const argsDigest = () => hashJson(call.args, NO_LIMITS);
    return deps.limits.enter(rule, { who: principal?.id ?? LOCAL, tool: call.name, argsDigest });
  }

  return {
    async decide(call, context) {
      const { effect, rule } = decideRule(call, context);
      return withFlow(call, decisionOf(call, effect, await rule), context);
    },
    observe,
    bindingOf,
    pass,
  };
}

/** What `who` of a rule is compared with. */
function whoOf({ principal, view, script }: CallContext): readonly string[] {
  return [
    principal?.id ?? LOCAL,
    ...(view === undefined ? [] : [`profile:${view.profile}`]),
    ...(script === undefined ? [] : [`script:${script}`]),
  ];
}

/**
 * A rule that names no tools asks about the calls that a capability makes, one by one and with their arguments; it
 * does not ask about the capability as well.
 */
export function decisionOf(
  call: Pick<GuardedCall, "source">,
  effect: Effect,
  { id, name, why, namesTools, do: action }: Rule,
): Decision {
  const rule = { id, name, ...(why !== undefined && { why }) };
  const isLater = action === "ask" && call.source === CAPABILITIES_ID && !namesTools;
  return { do: isLater ? "allow" : action, effect, rule };
}

function bindingOf(call: GuardedCall, { rule }: Decision, { principal, view }: CallContext): string {
  const { kind, name, definition, args } = call;
  const pin = definition === undefined ? null : hashOfDefinition(definition);
  const who = [principal?.id ?? LOCAL, view?.profile ?? null];
  return hashJson([...who, kind, name, pin, args, rule.id], NO_LIMITS);
}

const NO_SLOT: ToolResult<() => void> = succeed(() => {});

/** A yes is good for this call alone, and not for what it starts. */
function makeWithin<T>(
  slot: Extract<ToolResult<() => void>, { success: true }>,
  context: CallContext,
  make: (context: CallContext) => Promise<ToolResult<T>>,
): Promise<ToolResult<T>> {
  const below = context.permit === undefined ? context : { ...context, permit: undefined };
  return slot === NO_SLOT ? make(below) : makeLimited(slot.data, below, make);
}

async function makeLimited<T>(
  giveBack: () => void,
  context: CallContext,
  make: (context: CallContext) => Promise<ToolResult<T>>,
): Promise<ToolResult<T>> {
  try {
    return await make(context);
  } finally {
    giveBack();
  }
}

/** Why a call may not be made as it is. */
function refusalOf(
  call: GuardedCall,
  context: CallContext,
  decision: Decision,
): ToolResult<never> | undefined {
  if (decision.do === "refuse") return refused(call, decision);
  if (decision.do !== "ask") return undefined;
  const isPermitted = context.permit?.binding === bindingOf(call, decision, context);
  return isPermitted ? undefined : unasked(call, decision);
}

function isUnlimited({ limits: { rates, atOnceMax, totalMax, same } }: Rule): boolean {
  return rates.length === 0 && atOnceMax === undefined && totalMax === undefined && same === undefined;
}

function refused({ name }: GuardedCall, { rule, effect }: Decision): ToolResult<never> {
  const why = rule.why === undefined ? "" : `: ${rule.why}`;
  return fail("SECURITY_ERROR", `${quote(name)} (${effect}) is refused by ${rule.name}${why}.`, {
    reason: "refused",
    tool: name,
    hint: `Do without it. A person can see why with: repertoire rules explain ${name}`,
  });
}

/** Whoever can pause asks before the call comes here. */
function unasked({ name }: GuardedCall, { rule }: Decision): ToolResult<never> {
  return fail(
    "APPROVAL_REQUIRED",
    `${quote(name)} needs a person's approval (${rule.name}), and none was given.`,
    {
      reason: NOT_APPROVED,
      tool: name,
      hint: "Call it with execute or tools/call, which ask a person.",
    },
  );
}
