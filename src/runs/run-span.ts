/** Runs and their steps as spans: what ran and how it ended, never with what. */
import type { Json } from "../core/json.ts";
import type { ToolResult } from "../core/result.ts";
import type { RunKind } from "../core/store.ts";
import { endSpan, NO_SPAN, type Span, type Telemetry } from "../telemetry/telemetry.ts";
import type { CallContext } from "../core/tool.ts";
import type { TraceContext } from "../core/trace-context.ts";
import { isPause } from "./workflow/pause.ts";
import { statusOf } from "./run-end.ts";
import type { RunRequest } from "./run.ts";

export function kindOf({ kind, capability }: RunRequest): RunKind {
  return capability === undefined ? kind : "capability";
}

export function startRunSpan(telemetry: Telemetry, request: RunRequest, { trace }: CallContext): Span {
  if (!telemetry.isOn) return NO_SPAN;
  const kind = kindOf(request);
  return telemetry.startSpan(`run ${request.capability?.tool ?? kind}`, {
    kind: "internal",
    attributes: { "repertoire.run.kind": kind },
    parent: trace,
  });
}

/** A run that waits has not failed. */
export function endRunSpan(span: Span, runId: string | null, result: ToolResult<Json>): void {
  if (span === NO_SPAN) return;
  if (runId !== null) span.set("repertoire.run.id", runId);
  span.set("repertoire.run.status", statusOf(result));
  if (!result.success && isPause(result.error)) span.end();
  else endSpan(span, result);
}

/** `tool` is the exposed name of a tool, or the type of a node. */
export function startStepSpan(telemetry: Telemetry, tool: string, parent: TraceContext | undefined): Span {
  if (!telemetry.isOn) return NO_SPAN;
  const attributes = { "repertoire.step.tool": tool };
  return telemetry.startSpan(`step ${tool}`, { kind: "internal", attributes, parent });
}
