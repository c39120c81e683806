import * as z from "zod";
import type { Json } from "../core/json.ts";
import { INLINE_RESULT_BYTES_MAX } from "../core/store.ts";
import { checkpointJson } from "../runs/checkpoint.ts";
import type { RunReport } from "../runs/run.ts";
import { resultUriOf } from "../runs/run-uri.ts";

/** What `execute` answers. */
export const executeOutput = z.object({
  success: z.boolean(),
  run_id: z.string().nullable(),
  resumed_from: z.string().optional(),
  outputs: z.unknown(),
  checkpoint: z.looseObject({}).nullable(),
  error: z.looseObject({}).nullable(),
  logs: z.array(z.looseObject({ level: z.string(), message: z.string() })),
  calls: z.array(z.looseObject({ tool: z.string(), success: z.boolean(), elapsed_ms: z.number() })),
  warnings: z.array(z.string()),
  // Bare: the list of tools is part of every conversation.
  skipped: z.array(z.unknown()).optional(),
  draft: z.string().nullable(),
  saved: z.looseObject({}).optional(),
});

export type ExecuteOutput = z.output<typeof executeOutput>;

/** What is shown of a result that is too large for a conversation. */
const PREVIEW_LENGTH = 2_000;

export function executeAnswer(report: RunReport, draft: string | null): ExecuteOutput {
  const { runId, resumedFrom, result, logs, calls, warnings, skipped = [], checkpoint } = report;
  const outputs = result.success ? boundedOutputs(runId, result.data) : { value: null };
  return {
    success: result.success,
    run_id: runId,
    ...(resumedFrom !== undefined && { resumed_from: resumedFrom }),
    outputs: outputs.value,
    checkpoint: checkpoint === null ? null : checkpointJson(checkpoint),
    error: result.success ? null : (result.error as unknown as Record<string, Json>),
    logs: logs.map(({ level, message, truncatedFrom }) => ({
      level,
      message,
      ...(truncatedFrom !== undefined && { truncated_from: truncatedFrom }),
    })),
    calls: calls.map(({ tool, success, startedMs, elapsedMs, isReplayed, skippedBy, error }) => ({
      tool,
      success,
      started_ms: round(startedMs),
      elapsed_ms: round(elapsedMs),
      ...(isReplayed && { from_journal: true }),
      ...(skippedBy !== undefined && { skipped_by: skippedBy }),
      ...(error !== undefined && { error: { ...error } }),
    })),
    warnings: [...warnings, ...(outputs.warning === undefined ? [] : [outputs.warning])],
    ...(skipped.length > 0 && { skipped: skipped.map(({ tool, by }) => ({ tool, by })) }),
    draft,
  };
}

/** A large result stays in the store; the answer has its beginning and where the rest is. */
function boundedOutputs(runId: string | null, value: Json): { value: unknown; warning?: string } {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (runId === null || bytes <= INLINE_RESULT_BYTES_MAX) return { value };
  const handle = resultUriOf(runId);
  return {
    value: { handle, bytes, preview: text.slice(0, PREVIEW_LENGTH) },
    warning:
      `The result has ${bytes} bytes and stays in the store: read ${handle}, with ?path=/a/0 for a part of it, ` +
      "or give the handle as an input of the next run.",
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
