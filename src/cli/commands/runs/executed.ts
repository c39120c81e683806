/** What `execute` answers, and how it is shown: the result on stdout, everything about it on stderr. */
import type { ToolError } from "../../../core/errors.ts";
import type { Json } from "../../../core/json.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { standingLines, type ShownCheckpoint, type Origin } from "./checkpoint.ts";
import { commandLine } from "../../command-line.ts";
import { EXIT, exitCodeOfToolError } from "../../terminal/exit-code.ts";
import type { GlobalOptions } from "../../global-options.ts";
import {
  dim,
  escapeLines,
  note,
  print,
  printJson,
  printToolError,
  tell,
  yellow,
} from "../../terminal/terminal.ts";
import { problemLines } from "./workflow-file.ts";

export interface Executed {
  readonly success: boolean;
  readonly run_id: string | null;
  readonly outputs: Json;
  readonly checkpoint: ShownCheckpoint | null;
  readonly error: ToolError | null;
  readonly logs: readonly { readonly level: string; readonly message: string }[];
  readonly calls: readonly {
    readonly tool: string;
    readonly success: boolean;
    readonly elapsed_ms: number;
    readonly from_journal?: boolean;
    readonly skipped_by?: string;
  }[];
  readonly warnings: readonly string[];
  readonly draft: string | null;
}

export function showExecuted(executed: Executed, origin: Origin, options: GlobalOptions): number {
  if (options.json === true) printJson(executed);
  else show(executed, origin, options);
  if (executed.success) return EXIT.ok;
  return executed.error === null ? EXIT.failed : exitCodeOfToolError(executed.error);
}

/** A request that was refused has an error and nothing else. */
function show(executed: Executed, origin: Origin, options: GlobalOptions): void {
  const { success, outputs } = executed;
  const {
    error = null,
    logs = [],
    calls = [],
    warnings = [],
    draft = null,
    checkpoint = null,
  } = executed as Partial<Executed>;
  const isPaused = checkpoint?.waiting_for !== undefined;
  for (const { level, message } of logs) note(dim(`${level.padEnd(5)} ${escapeLines(message)}`));
  for (const warning of warnings) note(`${yellow("warning")} ${escapeLines(warning)}`);
  if (calls.length > 0) note(dim(summaryOf(calls, isPaused)));
  if (success) print(typeof outputs === "string" ? escapeLines(outputs) : JSON.stringify(outputs, null, 2));
  if (isPaused) tell(`${yellow("paused")} ${checkpoint.run_id}`);
  else if (error !== null) showError(error, origin, options);
  if (checkpoint !== null) for (const line of standingLines(checkpoint, origin, options)) tell(`  ${line}`);
  if (draft !== null) note(dim(`draft ${escapeUnprintable(draft)}`));
}

/** What waits has not failed. */
function summaryOf(calls: Executed["calls"], isPaused: boolean): string {
  const ms = calls.reduce((sum, call) => sum + call.elapsed_ms, 0);
  const skipped = calls.filter((call) => call.skipped_by !== undefined).length;
  const failed = calls.filter((call) => !call.success).length - skipped;
  const recorded = calls.filter((call) => call.from_journal === true).length;
  const tools = escapeUnprintable([...new Set(calls.map((call) => call.tool))].join(", "));
  const left = skipped === 0 ? "" : `, ${skipped} skipped`;
  const journal = recorded === 0 ? "" : `, ${recorded} answered from the journal`;
  return `${calls.length} ${calls.length === 1 ? "call" : "calls"} (${tools})${isPaused ? "" : `, ${failed} failed`}${left}${journal}, ${Math.round(ms)} ms in all`;
}

function showError(error: ToolError, { file = "" }: Origin, options: GlobalOptions): void {
  if (error.problems !== undefined) {
    for (const line of problemLines(file, error.problems)) tell(line);
    tell("Nothing was run.");
    return;
  }
  printToolError(error);
  if (error.place !== undefined) tell(dim(`  ${error.place.line} | ${escapeUnprintable(error.place.text)}`));
  const [newest] = error.nearest ?? [];
  if (error.reason === "superseded" && newest !== undefined) {
    tell(`  see: ${commandLine(["show", newest], options)}`);
  }
}
