/** A call of the log as `repertoire calls` prints it. */
import { shortRunIds } from "../../../app/app.ts";
import type { StoredCall } from "../../../core/trust-store.ts";
import { cut } from "../../../text/cut.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { agoOf } from "../../terminal/wording.ts";
import { durationOf } from "../runs/run-view.ts";

/** As `--json` has it. */
export type CallView = ReturnType<typeof viewCall>;

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

export const CALL_HEADING = [
  "WHEN",
  "WHO",
  "CLIENT",
  "TOOL",
  "EFFECT",
  "DECISION",
  "OUTCOME",
  "TOOK",
  "BYTES",
  "RUN",
] as const;

/** How wide a column is where the rows to come are not known. */
const WIDTHS = [8, 16, 20, 32, 7, 24, 24, 8, 8, 8] as const;

export function callRow(call: CallView, time: string = agoOf(call.at)): string[] {
  const { who, profile, client, tool, effect, decision, rule, outcome, run_id: runId } = call;
  return [
    time,
    profile === null ? who : `${who} (${profile})`,
    client ?? "-",
    tool,
    effect,
    `${decision}: ${rule}`,
    outcome,
    durationOf(call.elapsed_ms),
    String(call.bytes),
    runId === null ? "-" : shortRunIds([runId]).get(runId)!,
  ];
}

/** A line among others that come one by one. */
export function callLine(row: readonly string[]): string {
  const cells = row.map((cell, column) => {
    const width = WIDTHS[column]!;
    return cut(escapeUnprintable(cell), width).padEnd(width);
  });
  return cells.join("  ").trimEnd();
}
