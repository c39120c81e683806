import * as z from "zod";
import type { ToolError } from "../../core/errors.ts";
import type { Json } from "../../core/json.ts";
import { INLINE_RESULT_BYTES_MAX } from "../../core/store.ts";
import { checkpointJson } from "../../runs/journal/checkpoint.ts";
import { toldError } from "../answer.ts";
import { isPause } from "../../runs/workflow/pause.ts";
import type { CallRecord, RunReport } from "../../runs/run.ts";
import { resultUriOf } from "../../runs/run-uri.ts";
import { unwrapAnswer } from "../../runs/unwrap.ts";
import type { ToolAnswer } from "../../core/tool.ts";
import type { ToolResult } from "../../core/result.ts";

/** What `execute` answers. */
export const executeOutput = z.object({
  success: z.boolean(),
  // What is empty is left out, and what is left is bare: answers and the list of tools are part of every conversation.
  status: z.string().optional(),
  run_id: z.string().nullable(),
  resumed_from: z.string().optional(),
  outputs: z.unknown().optional(),
  checkpoint: z.looseObject({}).optional(),
  error: z.looseObject({}).optional(),
  logs: z.array(z.looseObject({ level: z.string(), message: z.string() })).optional(),
  calls: z.array(z.looseObject({})).optional(),
  warnings: z.array(z.string()).optional(),
  skipped: z.array(z.unknown()).optional(),
  draft: z.string().optional(),
  saved: z.looseObject({}).optional(),
});

export type ExecuteOutput = z.output<typeof executeOutput>;

/** What is shown of a result that is too large for a conversation. */
const PREVIEW_LENGTH = 2_000;

/**
 * Each thing once, and nothing that is empty: a model pays for every token of it in all later requests. With `calls`,
 * every call is listed; else those that failed while the run went on, because nothing else tells of them.
 */
export function executeAnswer(
  report: RunReport,
  draft: string | null,
  { calls: isListing = false }: { readonly calls?: boolean | undefined } = {},
): ExecuteOutput {
  if (report.goesOn !== undefined) return goingOnAnswer(report, report.goesOn, draft);
  const { runId, resumedFrom, logs, calls, warnings, skipped = [], checkpoint } = report;
  const result = resultOf(report);
  const outputs = result.success ? boundedOutputs(runId, result.data) : undefined;
  const told = [...warnings, ...(outputs?.warning === undefined ? [] : [outputs.warning])];
  const error = result.success ? undefined : toldOnce(toldError(result.error));
  const shown = isListing
    ? calls.map((call) => callJson(call, error))
    : calls.filter((call) => wentWrong(call, error)).map(failedCallJson);
  return {
    success: result.success,
    ...(error !== undefined && waits(error) && { status: "paused" }),
    run_id: runId,
    ...(resumedFrom !== undefined && { resumed_from: resumedFrom }),
    ...(outputs !== undefined && { outputs: outputs.value }),
    ...(error !== undefined && { error: error as unknown as Record<string, Json> }),
    ...(checkpoint !== null && { checkpoint: checkpointJson(checkpoint) }),
    ...(logs.length > 0 && { logs: logs.map(logJson) }),
    ...(shown.length > 0 && { calls: shown }),
    ...(told.length > 0 && { warnings: told }),
    ...(skipped.length > 0 && { skipped: skipped.map(({ tool, by }) => ({ tool, by })) }),
    ...(draft !== null && { draft }),
  };
}

/** It has no end yet: only where it is. */
function goingOnAnswer(
  { runId, resumedFrom, warnings }: RunReport,
  status: string,
  draft: string | null,
): ExecuteOutput {
  return {
    success: true,
    status,
    run_id: runId,
    ...(resumedFrom !== undefined && resumedFrom !== runId && { resumed_from: resumedFrom }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(draft !== null && { draft }),
  };
}

/** Of a run that is one call of a tool, what code would get of the tool's answer. */
function resultOf({ result, isCall }: RunReport): ToolResult<Json> {
  return isCall === true && result.success ? unwrapAnswer(result.data as unknown as ToolAnswer) : result;
}

/** What is wrong with a workflow is listed in `problems`, each with its place; the message only says so. */
function toldOnce(error: ToolError): ToolError {
  const [first, ...others] = error.problems ?? [];
  if (first === undefined) return error;
  const at = first["line"] === undefined ? "" : `, line ${first["line"]}, column ${first["column"]}`;
  const count = others.length === 0 ? "a problem" : `${others.length + 1} problems, the first`;
  return {
    ...error,
    message: `The workflow has ${count} at ${first["place"] || "its top"}${at}; see problems.`,
  };
}

/** It waits for a person, a time, or a decision about a call whose outcome is not known. */
function waits(error: ToolError): boolean {
  return isPause(error) || error.reason === "uncertain_step";
}

function logJson({ level, message, truncatedFrom }: RunReport["logs"][number]) {
  return { level, message, ...(truncatedFrom !== undefined && { truncated_from: truncatedFrom }) };
}

/** A failure that the run went past. The one that ended it is its error. */
function wentWrong({ error, success, isWaiting }: CallRecord, ended: ToolError | undefined): boolean {
  return !success && isWaiting !== true && error !== undefined && !isTold(error, ended);
}

function failedCallJson({ tool, node, error }: CallRecord) {
  return { tool, ...(node !== undefined && { node }), success: false, error: { ...error } };
}

function isTold(error: CallRecord["error"], ended: ToolError | undefined): boolean {
  return error !== undefined && ended?.message.endsWith(error.message) === true;
}

/** The words of the failure that ended the run are those of its error; here is only that it was this call. */
function callJson(call: CallRecord, ended: ToolError | undefined) {
  const { tool, node, success, startedMs, elapsedMs, isReplayed, isWaiting, skippedBy, error } = call;
  return {
    tool,
    ...(node !== undefined && { node }),
    success,
    started_ms: round(startedMs),
    elapsed_ms: round(elapsedMs),
    ...(isReplayed && { from_journal: true }),
    ...(isWaiting && { waiting: true }),
    ...(skippedBy !== undefined && { skipped_by: skippedBy }),
    ...(error !== undefined && { error: isTold(error, ended) ? { code: error.code } : { ...error } }),
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
