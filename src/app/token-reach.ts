/** What a token can do, resolved: the tools that it sees, and what the rules say of each. */
import type { Guard } from "../core/guard.ts";
import type { Principal } from "../core/principal.ts";
import type { DecidingRule, Effect, RuleAction } from "../core/rule.ts";
import type { CallContext, Component, ToolView } from "../core/tool.ts";

export interface ReachedTool {
  /** What the token's client calls it by. */
  readonly name: string;
  /** The exposed name, where the profile gives it another. */
  readonly tool?: string;
  readonly server: string;
  readonly effect: Effect;
  readonly do: RuleAction;
  readonly rule: DecidingRule;
}

export interface ReachDeps {
  readonly components: readonly Component[];
  /** What the profile shows; without one, everything. */
  readonly view?: ToolView | undefined;
  readonly decide: Guard["decide"];
}

/** Decided for a call without arguments: a rule with `when` may decide otherwise on a call that has some. */
export async function describeReach(
  principal: Principal,
  { components, view, decide }: ReachDeps,
): Promise<ReachedTool[]> {
  const context: CallContext = {
    traceId: "token-reach",
    signal: new AbortController().signal,
    principal,
    caller: principal.id,
    ...(view !== undefined && { view }),
  };
  const seen = components.filter(({ name }) => view?.allows(name) !== false);
  return Promise.all(
    seen.map(async ({ name: tool, source, definition }) => {
      const call = { kind: "tool", name: tool, source, definition, args: {} } as const;
      const decided = await decide(call, context);
      const name = view?.nameOf(tool) ?? tool;
      return {
        name,
        ...(name !== tool && { tool }),
        server: source,
        effect: decided.effect,
        ...(principal.permissions.has("call") ? { do: decided.do, rule: decided.rule } : NO_CALLS),
      };
    }),
  );
}

/** Permissions come before rules. */
const NO_CALLS = {
  do: "refuse",
  rule: { id: "scope", name: "its scopes", why: "without the scope call, it calls no tools" },
} as const;
