/** Counts calls against the limits of the rule that allowed them. */
import type { ToolResult } from "../core/result.ts";
import type { Rule } from "./rule-set.ts";

export interface CountedCall {
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
