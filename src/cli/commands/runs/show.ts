import { agoOf } from "../../terminal/wording.ts";
import type { App } from "../../../app/app.ts";
import type { Json } from "../../../core/json.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { standingLines } from "./checkpoint.ts";
import { findRunId, noRun } from "./run-reference.ts";
import { durationOf, paintStatus, statusOf, timeOf, type TraceView } from "./run-view.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, dim, print, printJson, red } from "../../terminal/terminal.ts";
import { treeLines } from "./trace-tree.ts";
import { defineCommand } from "../../command.ts";

interface ShowOptions extends GlobalOptions {
  readonly step?: string;
}

const LABEL_WIDTH = 8;

export const showCommand = defineCommand({
  name: "show",
  group: "runs",
  summary: "Show what a run did, step by step, and how to continue it",
  arguments: [
    {
      words: "<run|last>",
      about: "the id of the run, or its start or end, or last for the newest",
      completes: ["runs"],
    },
  ],
  options: [
    {
      flags: "--step <name>",
      about: "print the result of one step as JSON; the step outputs is the result of the run",
    },
  ],
  examples: [
    "repertoire show last",
    "repertoire show last --step fetch > fetch.json",
    "repertoire show last --json",
  ],
  run: (options: ShowOptions, run: string) => {
    const { step } = options;
    return step === undefined
      ? useApp(options, (app) => findTrace(app, run), { show: (trace) => show(trace, options) })
      : useApp(options, (app) => findResult(app, run, step), { show: printJson });
  },
});

async function findTrace(app: App, reference: string): Promise<ToolResult<TraceView>> {
  const id = await findRunId(app, reference);
  if (!id.success) return id;
  const trace = await app.traces.trace(id.data);
  if (trace.success) return succeed(trace.data as unknown as TraceView);
  return noRun(`There is no run ${JSON.stringify(id.data)}.`);
}

async function findResult(app: App, reference: string, step: string): Promise<ToolResult<Json>> {
  const trace = await findTrace(app, reference);
  if (!trace.success) return trace;
  const { run_id: runId, steps = [], status } = trace.data;
  const read = await app.traces.readResource(`repertoire://runs/${runId}/${encodeURIComponent(step)}`);
  if (read.success) return read;
  const names = steps.filter((each) => each.status === "succeeded").map(({ name }) => name);
  const known = status === "succeeded" ? [...names, "outputs"] : names;
  const near = nearest(step, known);
  return fail(
    "TOOL_NOT_FOUND",
    `No step ${JSON.stringify(step)} of ${runId} has a result.${didYouMean(near)}`,
    {
      field: "step",
      nearest: near,
      hint:
        known.length === 0
          ? "No step has a result."
          : `Steps with a result: ${known.slice(0, 20).join(", ")}.`,
    },
  );
}

function show(trace: TraceView, options: GlobalOptions): void {
  const { run_id: id, kind, status, started_at: startedAt, elapsed_ms: elapsedMs, error, checkpoint } = trace;
  const took = elapsedMs === null ? "" : `  ${durationOf(elapsedMs)}`;
  const words = escapeUnprintable(statusOf(trace));
  print(`${bold(id)}  ${paintStatus(words)}  ${kind}  ${agoOf(startedAt)} (${timeOf(startedAt)})${took}`);
  line("for", trace.intent ?? "");
  line("inputs", shortened(trace.inputs));
  line("from", trace.resumed_from ?? "");
  line("next", trace.resumed_by ?? "");
  for (const treeLine of treeLines(trace)) print(treeLine);
  if (trace.outputs !== undefined) line("outputs", JSON.stringify(trace.outputs));
  if (error !== undefined && status !== "paused")
    print(red(escapeUnprintable(`${error.code}: ${error.message}`)));
  if (checkpoint === undefined || trace.resumed_by !== undefined) return;
  for (const standing of standingLines(checkpoint, {}, options)) print(standing);
}

function shortened(inputs: Json): string {
  const text = typeof inputs === "string" ? inputs : JSON.stringify(inputs);
  return text === "{}" ? "" : text;
}

function line(label: string, text: string): void {
  if (text !== "") print(`${dim(label.padEnd(LABEL_WIDTH))} ${escapeUnprintable(text)}`);
}
