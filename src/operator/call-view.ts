import type { StoredCall } from "../core/trust-store.ts";

/** A call as `repertoire calls --json` has it. */
export function viewCall(call: StoredCall) {
  const { id, at, principal, client, profile, kind, tool, effect, decision, rule, outcome, bytes } = call;
  return {
    id,
    at: new Date(at).toISOString(),
    who: principal,
    client,
    profile,
    kind,
    tool,
    effect,
    decision,
    rule,
    args_digest: call.argsDigest,
    ...(call.args !== null && { args: call.args }),
    outcome,
    elapsed_ms: call.elapsedMs,
    bytes,
    run_id: call.runId,
    trace_id: call.traceId,
  };
}
