/** What a caller is told whose call is over a limit: which one, for whom, and what to do instead. */
import { tellThrown } from "../core/errors.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { SlotLimit, WindowLimit } from "../core/trust-store.ts";
import { quote } from "../text/quote.ts";
import type { Rule } from "./rule-set.ts";

interface RefusedCall {
  readonly who: string;
  readonly tool: string;
}

/** When a call under way ends is not known: a second is soon enough, and no storm. */
const AT_ONCE_RETRY_MS = 1_000;

/** A limit of a rule for one caller and tool, with what its refusal says. */
export interface NamedLimit {
  readonly kind: "total" | "same" | "rate" | "at once";
  /** As a person writes it: `60/min`. */
  readonly text: string;
  readonly window?: WindowLimit;
  readonly slot?: SlotLimit;
}

const REASONS = {
  total: "rate_limit",
  rate: "rate_limit",
  same: "same_call",
  "at once": "at_once_limit",
} as const;

/** `waitMs`: how long to wait, where that is known. */
export function refuseOverLimit(
  limit: NamedLimit,
  rule: Rule,
  { who, tool }: RefusedCall,
  waitMs: number | null,
): ToolResult<never> {
  const retryAfterMs = waitMs ?? (limit.kind === "at once" ? AT_ONCE_RETRY_MS : undefined);
  const { message, hint } = wordsOf(limit, waitMs);
  return fail(
    "RATE_LIMITED",
    `${quote(tool)}: ${message} (limit ${limit.text} of ${rule.name}, for ${who}).`,
    {
      reason: REASONS[limit.kind],
      retryable: true,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      tool,
      hint,
    },
  );
}

function wordsOf(
  { kind, window, slot }: NamedLimit,
  waitMs: number | null,
): { message: string; hint: string } {
  const again = waitMs === null ? "" : `Try again in ${durationOf(waitMs)}.`;
  switch (kind) {
    case "same": {
      const within = durationOf(window!.windowMs!);
      return {
        message: `the same call was made ${timesOf(window!.countMax)} within ${within}: its answer will not change`,
        hint: "Do something else, use the earlier answer, or ask the user.",
      };
    }
    case "rate": {
      const within = durationOf(window!.windowMs!);
      return {
        message: `it was called ${timesOf(window!.countMax)} within ${within}, and no more is allowed`,
        hint: `${again} Until then do something else, or ask for more with one call.`,
      };
    }
    case "at once":
      return {
        message: `${slot!.countMax === 1 ? "one call is" : `${slot!.countMax} calls are`} under way, and no more are allowed at once`,
        hint: "Wait until one of them has ended, and make such calls one after another.",
      };
    default:
      return {
        message: "the rule that allows it is used up",
        hint: "Call it again: the next rule decides then.",
      };
  }
}

function timesOf(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** From the largest: `2 h`, `90 s`, `1 min`. Rounded up, so that nobody comes back too soon. */
function durationOf(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ["day", 86_400_000],
    ["h", 3_600_000],
    ["min", 60_000],
  ];
  for (const [unit, unitMs] of units) {
    if (ms % unitMs === 0 || ms >= 2 * unitMs) {
      const count = Math.ceil(ms / unitMs);
      return `${count} ${unit === "day" && count > 1 ? "days" : unit}`;
    }
  }
  return `${Math.ceil(ms / 1_000)} s`;
}

/** Whatever is wrong with the store, a limit that nobody counts is no limit. */
export function refuseUncounted({ name }: Rule, { tool }: RefusedCall, error: unknown): ToolResult<never> {
  const why = tellThrown(error) ?? "The database of the gateway cannot be used.";
  return fail(
    "TOOL_UNAVAILABLE",
    `${quote(tool)} was not called: its limit (${name}) cannot be counted. ${why}`,
    {
      reason: "limit_not_counted",
      tool,
      hint: "Try again later. A person can see what is wrong with: repertoire doctor",
    },
  );
}
