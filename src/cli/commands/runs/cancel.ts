import { cancelRun } from "../../../operator/runs/runs.ts";
import { useApp } from "../../app-call.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { commandLine } from "../../command-line.ts";
import { green, note, yellow } from "../../terminal/terminal.ts";
import { findRunId } from "./run-reference.ts";

export const cancelCommand = defineCommand({
  name: "cancel",
  group: "runs",
  summary: "Stop a run: the calls under way end and are recorded, nothing new begins",
  arguments: [
    {
      words: "<run|last>",
      about: "the id of the run, or its start or end, or last for the newest",
      completes: ["runs"],
    },
  ],
  help: `A run that waits for a person, or whose process is gone, ends at once. A run of another process is asked to end: it does
so within a second or two. A run that was cancelled can be resumed.`,
  examples: ["repertoire cancel last", "repertoire cancel 3f0f1a2b --json"],
  run: (options: GlobalOptions, reference: string) =>
    useApp(
      options,
      async (app, { deps, viewer }) => {
        const id = await findRunId(app, reference);
        return id.success ? cancelRun(deps, viewer, id.data) : id;
      },
      { show: (cancelled) => show(cancelled, options) },
    ),
});

interface Cancelled {
  readonly run_id: string;
  readonly status: "cancelled" | "requested";
}

function show({ run_id: id, status }: Cancelled, options: GlobalOptions): void {
  const next = `Continue with: ${commandLine(["resume", id], options)}`;
  if (status === "cancelled") note(`${green("cancelled")} ${id}. ${next}`);
  else note(`${yellow("requested")} ${id} ends as soon as its calls under way have ended.`);
}
