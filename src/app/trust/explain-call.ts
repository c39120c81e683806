/** Which rule decides on a call, and why: the same rules, effects and limits that the guard asks. */
import type { GuardedCall } from "../../core/guard.ts";
import type { JsonObject } from "../../core/json.ts";
import { isMetaToolName } from "../../core/meta-tool-names.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Effect, RuleAction } from "../../core/rule.ts";
import { exposeUri } from "../../registry/exposed-uri.ts";
import type { Registry } from "../../registry/registry.ts";
import { quote } from "../../text/quote.ts";
import { decisionOf } from "../../trust/guard.ts";
import { limitTo, type Rule, type RuleSubject, type TokenLimits } from "../../trust/rule-set.ts";
import type { Guarding } from "./guarding.ts";

/** A call that somebody would make. */
export interface CallQuestion {
  /** The exposed name of a tool, capability or prompt, the type of a node, or a URI. */
  readonly name: string;
  readonly args: JsonObject;
  /** What `who` of rules is compared with. */
  readonly who: readonly string[];
  /** What the token of the caller is limited to. */
  readonly limits?: TokenLimits | undefined;
}

export interface ExplainedCall {
  readonly kind: GuardedCall["kind"];
  readonly name: string;
  readonly source?: string;
  readonly who: readonly string[];
  readonly effect: Effect;
  /** Where the effect is known from. */
  readonly effect_from: string;
  readonly do: RuleAction;
  readonly rule: { readonly id: string; readonly name: string; readonly why?: string };
  /** What there is to know beside it. */
  readonly notes: readonly string[];
  /** The rules before it, with the first field that did not match. */
  readonly passed: readonly { readonly rule: string; readonly mismatch: string }[];
}

export interface CallExplanationDeps {
  readonly registry: Pick<Registry, "route" | "resolveHidden" | "resolvePrompt" | "findUri" | "catalogue">;
  readonly guarding: Pick<Guarding, "rulesFor" | "effects" | "limits">;
  readonly nodeTypes: () => readonly string[];
}

export function createCallExplanation({ registry, guarding, nodeTypes }: CallExplanationDeps) {
  const { effects, limits: counted } = guarding;

  function find(name: string, args: JsonObject): GuardedCall | undefined {
    if (nodeTypes().includes(name)) return { kind: "node", name, args };
    const route = registry.route(name) ?? registry.resolveHidden(name);
    if (route !== undefined) {
      return { kind: "tool", name, source: route.source.id, definition: route.definition, args };
    }
    const prompt = registry.resolvePrompt(name);
    if (prompt !== undefined) return { kind: "prompt", name, source: prompt.source, args };
    const resource = registry.findUri(name);
    if (resource?.success !== true) return undefined;
    const { source, uri } = resource.data;
    return { kind: "resource", name: exposeUri(source, uri), source, args: {} };
  }

  /** The rules of the list that count only so often and have done so. */
  async function usedUp(rules: readonly Rule[]): Promise<ReadonlySet<Rule>> {
    const spent = new Set<Rule>();
    for (const rule of rules) {
      if (rule.limits.totalMax !== undefined && (await counted.isUsedUp(rule))) spent.add(rule);
    }
    return spent;
  }

  return async ({ name, args, who, limits }: CallQuestion): Promise<ToolResult<ExplainedCall>> => {
    if (isMetaToolName(name)) return metaTool(name);
    const call = find(name, args);
    if (call === undefined) return unknown(name);
    const { effect, from } = effects.explain(call);
    const subject: RuleSubject = { who, tool: call.name, effect, args: call.args };
    const all = guarding.rulesFor({});
    const rules = limits === undefined ? all : limitTo(all, limits);
    const spent = await usedUp(rules.rules);
    const told = rules.explain(subject, (rule) => spent.has(rule));
    const { rule: deciding, note } = told.at(-1)!;
    const { do: action, rule } = decisionOf(call, effect, deciding);
    return succeed({
      kind: call.kind,
      name: call.name,
      ...(call.source !== undefined && { source: call.source }),
      who,
      effect,
      effect_from: from,
      do: action,
      rule,
      notes: [...(note === undefined ? [] : [note]), ...(action === deciding.do ? [] : [ASKED_BELOW])],
      passed: told.flatMap(({ rule: one, mismatch }) =>
        mismatch === undefined ? [] : [{ rule: one.name, mismatch }],
      ),
    });
  };
}

const ASKED_BELOW = "the rule names no tools, so it asks about each call that the capability makes";

function metaTool(name: string): ToolResult<never> {
  return fail("TOOL_INVALID_INPUT", `${quote(name)} is a meta-tool, and rules are not about meta-tools.`, {
    field: "tool",
    hint: "Each call that it makes passes the rules by itself: explain the tool that is called.",
  });
}

function unknown(name: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `Nothing is known of ${quote(name)}: no tool, node, prompt or resource.`, {
    field: "tool",
    hint: "repertoire tools lists the tools that can be called.",
  });
}
