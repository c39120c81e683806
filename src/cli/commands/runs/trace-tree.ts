/** A trace as a tree: a line for each step with its times, and below it the run that it started. */
import { escapeUnprintable } from "../../../text/printable.ts";
import { durationOf, paintStatus, type StepView, type TraceView } from "./run-view.ts";
import { cyan, dim, green, red, yellow } from "../../terminal/terminal.ts";
import { cut } from "../../../text/cut.ts";

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
  const shown = shortened(args);
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
}: StepView): string {
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

function shortened(args: StepView["args"] = {}): string {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  if (text === "{}") return "";
  return escapeUnprintable(cut(text, ARGS_SHOWN_MAX + 1));
}
