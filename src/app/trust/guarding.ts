/**
 * The guard of this process: the rules of the config as it is now, for each caller, and what calls do. With every
 * change of the config the rules are new, so they hold from the next call on.
 */
import type { Config } from "../../config/config.ts";
import type { ConfigSource } from "../../config/source.ts";
import type { Guard } from "../../core/guard.ts";
import type { Principal } from "../../core/principal.ts";
import { succeed } from "../../core/result.ts";
import type { CapabilityUses } from "../../core/rule.ts";
import type { CallContext, ToolDefinition } from "../../core/tool.ts";
import type { Registry } from "../../registry/registry.ts";
import type { CallLimits } from "../../trust/call-limits.ts";
import { createEffects, type Effects } from "../../trust/effects.ts";
import { createLabels, findFlowWarning } from "../../trust/flow.ts";
import { createGuard, type GuardDeps } from "../../trust/guard.ts";
import { createRuleSet, limitTo, type RuleSet } from "../../trust/rule-set.ts";

export interface GuardingDeps {
  /** The registry that asks the guard; it is there when the first call comes. */
  readonly registry: () => Pick<Registry, "route" | "resolveHidden">;
  /** Whether a person approved what a server says of its tools. */
  readonly isApproved?: (server: string, tool: ToolDefinition) => boolean;
  /** What the program calls the static tool that has this exposed name: rules may name it so as well. */
  readonly staticNameOf?: (tool: string) => string | undefined;
  readonly limits?: CallLimits;
  readonly record?: GuardDeps["record"];
}

/** The library, which comes after the guard: it runs through the registry. */
interface UsedLibrary {
  usesOf(tool: string): CapabilityUses | undefined;
  liveName(tool: string): string;
}

export interface Guarding {
  readonly guard: Guard;
  readonly effects: Effects;
  /** What is to be said of something that is saved and uses these; undefined where nothing is. */
  flowWarning(this: void, uses: CapabilityUses): string | undefined;
  readonly limits: CallLimits;
  rulesFor(this: void, context: Pick<CallContext, "principal">): RuleSet;
  /** From now on it is known what capabilities use. */
  useLibrary(this: void, library: UsedLibrary): void;
  /** An approval has changed: what tools do is found out again. */
  approvalsChanged(this: void): void;
}

/** Nothing is counted. */
const UNCOUNTED: CallLimits = {
  isUsedUp: () => Promise.resolve(false),
  enter: () => Promise.resolve(succeed(() => {})),
};

export function openGuard(
  { config }: { readonly config: Pick<ConfigSource, "current"> },
  deps: GuardingDeps,
): Guarding {
  const { isApproved = () => false, limits = UNCOUNTED, record = () => {} } = deps;
  let library: UsedLibrary | undefined;
  let approvalCount = 0;
  let configCount = 0;
  let last: { readonly config: Config; readonly rules: RuleSet } | undefined;
  let limited = new WeakMap<Principal, RuleSet>();

  /** Of the config as it is now. What was made of the one before is dropped. */
  function currentRules(): RuleSet {
    const current = config.current();
    if (last?.config === current) return last.rules;
    last = { config: current, rules: createRuleSet(current.rules, current.trust, deps.staticNameOf) };
    limited = new WeakMap();
    configCount++;
    return last.rules;
  }

  function rulesFor({ principal }: Pick<CallContext, "principal">): RuleSet {
    const rules = currentRules();
    if (principal?.effects === undefined && principal?.tools === undefined) return rules;
    const known = limited.get(principal);
    if (known !== undefined) return known;
    const own = limitTo(rules, principal);
    limited.set(principal, own);
    return own;
  }

  const effects = createEffects({
    isApproved,
    configured: (server) => config.current().servers.find(({ id }) => id === server)?.tools.effects,
    find(tool) {
      const name = library?.liveName(tool) ?? tool;
      return deps.registry().route(name) ?? deps.registry().resolveHidden(name);
    },
    usesOf: (tool) => library?.usesOf(library.liveName(tool)),
    epoch() {
      currentRules();
      return approvalCount + configCount;
    },
  });
  const labelsOf = createLabels({
    isApproved,
    effectOf: effects.of,
    find: (tool) => deps.registry().route(tool) ?? deps.registry().resolveHidden(tool),
    marksOf(server) {
      const found = config.current().servers.find(({ id }) => id === server);
      return found && { isPrivate: found.isPrivate, ...found.tools };
    },
  });
  return {
    flowWarning: (uses) => findFlowWarning(labelsOf, (tool) => library?.usesOf(library.liveName(tool)), uses),
    guard: createGuard({
      rulesFor,
      effectOf: effects.of,
      labelsOf,
      asksBeforeSending: () => config.current().trust === "ask",
      limits,
      record,
    }),
    effects,
    limits,
    rulesFor,
    useLibrary: (one) => void (library = one),
    approvalsChanged: () => void approvalCount++,
  };
}
