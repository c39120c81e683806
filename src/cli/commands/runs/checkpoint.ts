/** The progress of a run in words, and the exact command to continue it. */
import type { Json } from "../../../core/json.ts";
import { escapeUnprintable } from "../../../text/printable.ts";
import { commandLine } from "../../command-line.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { dim, yellow } from "../../terminal/terminal.ts";

/** As `execute` and the trace have it. */
export interface ShownCheckpoint {
  readonly run_id: string;
  readonly completed_nodes: readonly string[];
  readonly failed_node: string | null;
  readonly resumable: boolean;
  readonly uncertain?: readonly { readonly name: string; readonly tool: string; readonly args: Json }[];
  readonly waiting_for?: {
    readonly name: string;
    readonly message: string;
    readonly details: Json;
    readonly until?: string;
  };
}

/** Where what ran can be corrected. */
export interface Origin {
  readonly file?: string;
}

/** More names are not read. */
const NAMES_SHOWN_MAX = 20;
const LABEL_WIDTH = 8;

export function standingLines(checkpoint: ShownCheckpoint, origin: Origin, options: GlobalOptions): string[] {
  const { completed_nodes: done, waiting_for: waiting } = checkpoint;
  // What waits has not failed.
  const failed = waiting === undefined ? checkpoint.failed_node : null;
  return [
    ...(done.length === 0 ? [] : [labelled("done", namesOf(done))]),
    ...(failed === null ? [] : [labelled("failed", escapeUnprintable(failed))]),
    ...nextLines(checkpoint, origin, options),
  ];
}

function nextLines(checkpoint: ShownCheckpoint, origin: Origin, options: GlobalOptions): string[] {
  const { run_id: runId, uncertain = [], waiting_for: waiting, resumable } = checkpoint;
  if (!resumable) return [];
  if (uncertain.length > 0) return uncertainLines(runId, uncertain, options);
  const resume = commandLine(["resume", runId], options);
  if (waiting?.until !== undefined)
    return [labelled("waits", `until ${waiting.until}`), `then continue with: ${resume}`];
  if (waiting !== undefined) return questionLines(runId, waiting, options);
  const { file } = origin;
  return [
    `continue with: ${resume}`,
    ...(file === undefined
      ? []
      : [dim(`corrected:     ${commandLine(["resume", runId, "--code", file], options)}`)]),
  ];
}

/** Everything that is needed to find out whether a call took effect, and what can be said then. */
function uncertainLines(
  runId: string,
  steps: NonNullable<ShownCheckpoint["uncertain"]>,
  options: GlobalOptions,
): string[] {
  const choice = (answer: string) => commandLine(["resume", runId, "--uncertain", answer], options);
  return [
    yellow("sent, but no answer was recorded; check whether it took effect:"),
    ...steps.map(({ name, tool, args }) => {
      const what = name.startsWith(tool) ? name : `${name}: ${tool}`;
      return `  ${escapeUnprintable(`${what} ${JSON.stringify(args)}`)}`;
    }),
    `call again:               ${choice("retry")}`,
    `continue without it:      ${choice("skip")}`,
    steps.length === 1
      ? `continue with its result: ${choice('{"result": …}')}`
      : `answer each separately:   ${choice(JSON.stringify(steps.map(() => "retry")))}`,
  ];
}

function questionLines(
  runId: string,
  { name, message, details }: NonNullable<ShownCheckpoint["waiting_for"]>,
  options: GlobalOptions,
): string[] {
  const exactly = details === null ? "" : ` ${JSON.stringify(details)}`;
  return [
    labelled("waits", escapeUnprintable(`${name}: ${message}${exactly}`)),
    `decide with: ${commandLine(["approve", runId], options)}`,
  ];
}

function namesOf(names: readonly string[]): string {
  const rest = names.length - NAMES_SHOWN_MAX;
  const shown = escapeUnprintable(names.slice(0, NAMES_SHOWN_MAX).join(", "));
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

function labelled(label: string, text: string): string {
  return `${dim(label.padEnd(LABEL_WIDTH))} ${text}`;
}
