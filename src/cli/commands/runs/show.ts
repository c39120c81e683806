import { agoOf } from "../../terminal/wording.ts";
import { readTrace } from "../../../operator/runs/runs.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { Json } from "../../../core/json.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import { useApp, type Operator } from "../../app-call.ts";
import { standingLines } from "./checkpoint.ts";
import { findRunId } from "./run-reference.ts";
import { durationOf, paintStatus, statusOf, timeOf, type TraceView, type StepView } from "./run-view.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { bold, dim, print, printJson, red, cyan, green, yellow } from "../../terminal/terminal.ts";
import { defineCommand } from "../../command.ts";
import { cut } from "../../../text/cut.ts";

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
      ? useApp(options, (_app, operator) => findTrace(operator, run), {
          show: (trace) => showTrace(trace, options),
        })
      : useApp(options, (_app, operator) => findResult(operator, run, step), { show: printJson });
  },
});

async function findTrace({ deps, viewer }: Operator, reference: string): Promise<ToolResult<TraceView>> {
  const id = await findRunId(deps.app, reference);
  if (!id.success) return id;
  const trace = await readTrace(deps, viewer, id.data);
  return trace.success ? succeed(trace.data as unknown as TraceView) : trace;
}

async function findResult(operator: Operator, reference: string, step: string): Promise<ToolResult<Json>> {
  const trace = await findTrace(operator, reference);
  if (!trace.success) return trace;
  const { run_id: runId, steps = [], status } = trace.data;
  const read = await operator.deps.app.traces.readResource(
    `repertoire://runs/${runId}/${encodeURIComponent(step)}`,
  );
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

function showTrace(trace: TraceView, options: GlobalOptions): void {
  const { run_id: id, kind, status, started_at: startedAt, elapsed_ms: elapsedMs, error, checkpoint } = trace;
  const took = elapsedMs === null ? "" : `  ${durationOf(elapsedMs)}`;
  const words = escapeUnprintable(statusOf(trace));
  print(`${bold(id)}  ${paintStatus(words)}  ${kind}  ${agoOf(startedAt)} (${timeOf(startedAt)})${took}`);
  printField("for", trace.intent ?? "");
  printField("inputs", inputsText(trace.inputs));
  printField("from", trace.resumed_from ?? "");
  printField("next", trace.resumed_by ?? "");
  for (const treeLine of treeLines(trace)) print(treeLine);
  if (trace.outputs !== undefined) printField("outputs", JSON.stringify(trace.outputs));
  if (error !== undefined && status !== "paused")
    print(red(escapeUnprintable(`${error.code}: ${error.message}`)));
  if (checkpoint === undefined || trace.resumed_by !== undefined) return;
  for (const standing of standingLines(checkpoint, {}, options)) print(standing);
}

function inputsText(inputs: Json): string {
  const text = typeof inputs === "string" ? inputs : JSON.stringify(inputs);
  return text === "{}" ? "" : text;
}

function printField(label: string, text: string): void {
  if (text !== "") print(`${dim(label.padEnd(LABEL_WIDTH))} ${escapeUnprintable(text)}`);
}

/** A line, what is said of it below, and what hangs on it. */
interface Branch {
  readonly head: string;
  readonly notes: readonly string[];
  readonly branches: readonly Branch[];
}

/** Of arguments: `--json` has more of them. */
const ARGS_SHOWN_MAX = 60;

const MARKS: Readonly<Record<StepView["status"], string>> = {
  succeeded: green("✓"),
  skipped: yellow("-"),
  failed: red("✗"),
  sent: yellow("?"),
  under_way: cyan("…"),
  waiting: yellow("…"),
};

/** A trace as a tree: a line for each step with its times, and below it the run that it started. */
export function treeLines(trace: TraceView): string[] {
  return draw(branchesOf(trace));
}

function draw(branches: readonly Branch[]): string[] {
  return branches.flatMap(({ head, notes, branches: below }, at) => {
    const isLast = at === branches.length - 1;
    const rail = dim(isLast ? "   " : "│  ");
    const lines = [...notes.map((text) => `${below.length > 0 ? dim("│ ") : "  "}${text}`), ...draw(below)];
    return [`${dim(isLast ? "└─ " : "├─ ")}${head}`, ...lines.map((line) => rail + line)];
  });
}

/** The steps in their order, each with the runs that it started; then the runs whose step is not on record. */
function branchesOf(trace: TraceView): Branch[] {
  const { runs = [], runs_left_out: leftOut = 0 } = trace;
  const steps = (trace.steps ?? []).map((step) => asItIs(step, trace));
  const known = new Set(steps.flatMap(({ key, name }) => [key, name]));
  const isOf = (run: TraceView, { key, name }: StepView) => run.step === key || run.step === name;
  return [
    ...steps.map((step) =>
      stepBranch(
        step,
        runs.filter((run) => isOf(run, step)),
      ),
    ),
    ...runs.filter(({ step }) => step === undefined || !known.has(step)).map(runBranch),
    ...(leftOut === 0 ? [] : [{ head: dim(`${leftOut} more runs are not shown`), notes: [], branches: [] }]),
  ];
}

/** A call that a running run has sent is under way; after the run has ended, its outcome is unknown. */
function asItIs(step: StepView, { status, started_at: startedAt }: TraceView): StepView {
  if (step.status !== "under_way" && (step.status !== "sent" || status !== "running")) return step;
  const elapsedMs = Math.max(0, Date.now() - Date.parse(startedAt) - step.started_ms);
  return { ...step, status: "under_way", elapsed_ms: elapsedMs };
}

function stepBranch(step: StepView, runs: readonly TraceView[]): Branch {
  const { name, tool, status, args, error } = step;
  const what = name.startsWith(tool) ? name : `${name}  ${tool}`;
  const shown = argumentsText(args);
  const given = shown === "" ? "" : ` ${dim(shown)}`;
  return {
    head: [`${MARKS[status]} ${escapeUnprintable(what)}${given}`, timesOf(step)].join("  "),
    notes: error === undefined ? [] : [red(escapeUnprintable(`${error.code}: ${error.message}`))],
    branches: runs.map(runBranch),
  };
}

/** What was answered from the journal took its time in another run. */
function timesOf({
  status,
  started_ms: startedMs,
  elapsed_ms: elapsedMs,
  from_journal: from,
  skipped_by: skippedBy,
  tool,
  result,
}: StepView): string {
  const approver = tool === "approve" && isJsonObject(result) ? result["by"] : undefined;
  if (typeof approver === "string") return green(`approved by ${escapeUnprintable(approver)}`);
  if (skippedBy !== undefined) return yellow(`skipped by ${escapeUnprintable(skippedBy)}`);
  if (from !== undefined) return dim(`from the journal of ${escapeUnprintable(from)}`);
  if (status === "sent") return yellow("sent, but no answer was recorded");
  if (status === "waiting") return yellow("waits");
  const begun = dim(`at +${durationOf(startedMs)}`);
  return status === "under_way"
    ? `${cyan(`under way for ${durationOf(elapsedMs)}`)} ${begun}`
    : `${durationOf(elapsedMs)} ${begun}`;
}

function runBranch(run: TraceView): Branch {
  const { run_id: id, kind, status, elapsed_ms: elapsedMs, error } = run;
  return {
    head: `${escapeUnprintable(`${kind} ${id}`)}  ${paintStatus(status)}  ${durationOf(elapsedMs)}`,
    notes: error === undefined ? [] : [red(escapeUnprintable(`${error.code}: ${error.message}`))],
    branches: branchesOf(run),
  };
}

function argumentsText(args: StepView["args"] = {}): string {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  if (text === "{}") return "";
  return escapeUnprintable(cut(text, ARGS_SHOWN_MAX + 1));
}
