/**
 * Counts calls against the limits of the rule that allowed them. The store counts, so a limit holds for all processes
 * together; what is known here is only which calls of this process are under way.
 *
 * It fails closed: a call that cannot be counted is not made.
 */
import { systemClock, type Clock } from "../core/clock.ts";
import { hashJson } from "../core/json.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import type { LimitStore } from "../core/trust-store.ts";
import { backgroundAfter, type After } from "../timing/after.ts";
import { refuseOverLimit, refuseUncounted, type NamedLimit } from "./limit-refusal.ts";
import type { Rule } from "./rule-set.ts";

interface CountedCall {
  /** The id of the principal, or `local`. */
  readonly who: string;
  readonly tool: string;
  /** The digest of the arguments; asked for only where the rule counts equal calls. */
  readonly argsDigest: () => string;
}

export interface CallLimits {
  /** Whether a rule that counts only so often is used up. */
  isUsedUp(rule: Rule): Promise<boolean>;
  /**
   * Counts the call. A limit that is reached is a failure with `RATE_LIMITED` that says the limit and when to try
   * again, in words that a model can act on. The returned function is called once the call has ended.
   */
  enter(rule: Rule, call: CountedCall): Promise<ToolResult<() => void>>;
}

export interface CallLimitsDeps {
  readonly store: LimitStore;
  readonly clock?: Clock;
  readonly after?: After;
}

export function createCallLimits(deps: CallLimitsDeps): CallLimits & { settle(): Promise<void> } {
  const { store, clock = systemClock, after = backgroundAfter } = deps;
  const slots = createHeldSlots(store, after);
  /** The ids of rules: one that is used up stays so. */
  const usedUp = new Set<string>();

  async function take(limits: readonly NamedLimit[], rule: Rule, call: CountedCall) {
    const windows = limits.flatMap(({ window }) => window ?? []);
    const atOnce = limits.flatMap(({ slot }) => slot ?? []);
    // What has ended here is given back before more is asked for.
    if (atOnce.length > 0) await slots.settle();
    const taken = await store.take(windows, atOnce);
    if (taken.kind === "taken") return succeed(slots.hold(taken.slotIds));
    const reached = limits.find(({ window, slot }) => (window ?? slot)!.key === taken.key)!;
    const waitMs = taken.retryAt === null ? null : Math.max(1, taken.retryAt - clock.now());
    if (reached.kind === "total") usedUp.add(rule.id);
    return refuseOverLimit(reached, rule, call, waitMs);
  }

  return {
    async isUsedUp({ id, limits: { totalMax } }) {
      if (totalMax === undefined || usedUp.has(id)) return totalMax !== undefined;
      // Where it cannot be read, it cannot be counted either, and `enter` refuses.
      const count = await store.used(totalKeyOf(id)).catch(() => 0);
      if (count >= totalMax) usedUp.add(id);
      return usedUp.has(id);
    },
    async enter(rule, call) {
      try {
        return await take(limitsOf(rule, call), rule, call);
      } catch (error) {
        return refuseUncounted(rule, call, error);
      }
    },
    settle: () => slots.settle(),
  };
}

/** In the order in which they are told where several are reached: what helps the caller most is first. */
function limitsOf({ id, limits }: Rule, { who, tool, argsDigest }: CountedCall): readonly NamedLimit[] {
  const { totalMax, same, atOnceMax } = limits;
  const keyOf = (...more: readonly string[]): string => hashJson([id, who, tool, ...more]);
  const longestFirst = limits.rates.toSorted((a, b) => b.windowMs - a.windowMs);
  const all: NamedLimit[] = [];
  if (totalMax !== undefined) {
    const window = { key: totalKeyOf(id), countMax: totalMax, windowMs: null };
    all.push({ kind: "total", text: `${totalMax} in all`, window });
  }
  if (same !== undefined) {
    const key = keyOf("same", same.text, argsDigest());
    all.push({ kind: "same", text: same.text, window: { ...same, key } });
  }
  for (const rate of longestFirst) {
    all.push({ kind: "rate", text: rate.text, window: { ...rate, key: keyOf("rate", rate.text) } });
  }
  if (atOnceMax !== undefined) {
    const slot = { key: keyOf("at once"), countMax: atOnceMax };
    all.push({ kind: "at once", text: `${atOnceMax} at once`, slot });
  }
  return all;
}

/** Of the rule alone: it counts so often for everybody together. */
function totalKeyOf(ruleId: string): string {
  return hashJson([ruleId, "total"]);
}

/** Three times within the minute after which the store takes a slot for abandoned. */
const RENEW_MS = 20_000;

/**
 * The slots that calls of this process hold while they are under way. One timer renews all of them; a process that is
 * killed renews none, and the store frees them.
 */
interface HeldSlots {
  /** Returns what gives them back. */
  hold(ids: readonly string[]): () => void;
  /** Resolves when what was given back until now is on disk. */
  settle(): Promise<void>;
}

function createHeldSlots(store: Pick<LimitStore, "giveBack" | "renew">, after: After): HeldSlots {
  const held = new Set<string>();
  const endings = new Set<Promise<void>>();
  let stopTimer: (() => void) | undefined;

  function renewLater(): void {
    stopTimer ??= after(RENEW_MS, () => {
      stopTimer = undefined;
      if (held.size === 0) return;
      // What fails now is tried again in time: a slot lasts for three turns.
      void store.renew([...held]).catch(() => {});
      renewLater();
    });
  }

  function giveBack(ids: readonly string[]): void {
    for (const id of ids) held.delete(id);
    if (held.size === 0) {
      stopTimer?.();
      stopTimer = undefined;
    }
    // A slot that cannot be given back is free when it has not been renewed for a minute.
    const ending = store
      .giveBack(ids)
      .catch(() => {})
      .finally(() => endings.delete(ending));
    endings.add(ending);
  }

  return {
    hold(ids) {
      if (ids.length === 0) return () => {};
      for (const id of ids) held.add(id);
      renewLater();
      return () => giveBack(ids);
    },
    async settle() {
      await Promise.all(endings);
    },
  };
}
