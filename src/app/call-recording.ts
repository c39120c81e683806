/** What the guard is given to count and to record calls: limits in the store, the call log, the audit trail. */
import type { GuardedCall, PassedCall } from "../core/guard.ts";
import { fail } from "../core/result.ts";
import type { Decision } from "../core/rule.ts";
import type { CallContext } from "../core/tool.ts";
import { createCallLog } from "../telemetry/call-log.ts";
import { createCallLimits, type CallLimits } from "../trust/call-limits.ts";
import type { Foundation } from "./foundation.ts";

/** The name of the key in the store that digests of arguments are made with. */
const DIGEST_KEY = "calls";

/** How a call stands that a person is asked about. */
const ASKED = fail("APPROVAL_REQUIRED", "A person is asked.", { reason: "asked" });

export interface CallRecording {
  readonly limits: CallLimits;
  /** Puts a call on record, when it has ended or was refused; it never waits. */
  readonly record: (passed: PassedCall) => void;
  /** A person is asked about a call. */
  readonly recordAsked: (call: GuardedCall, decision: Decision, context: CallContext) => void;
  /** Resolves when every call is on disk and every slot is given back. */
  settle(): Promise<void>;
}

export function openCallRecording({
  config,
  log,
  store,
  redactors,
  trail,
}: Pick<Foundation, "config" | "log" | "store" | "redactors" | "trail">): CallRecording {
  const limits = createCallLimits({ store: store.limits });
  const calls = createCallLog({
    store: store.calls,
    key: () => store.seals.key(DIGEST_KEY),
    settings: () => config.current().calls,
    redactors,
    log,
    refused({ context, decision }, { tool, argsDigest }) {
      const { rule, effect } = decision;
      trail.recordDecision(context, { action: "call.refused", tool, rule, effect, argsDigest });
    },
  });
  return {
    limits,
    record: (passed) => calls.record(passed),
    recordAsked(call, decision, context) {
      const { rule, effect } = decision;
      trail.recordDecision(context, { action: "call.asked", tool: call.name, rule, effect });
      calls.record({ call, context, decision, result: ASKED, elapsedMs: 0 });
    },
    async settle() {
      await calls.settle();
      await limits.settle();
    },
  };
}
