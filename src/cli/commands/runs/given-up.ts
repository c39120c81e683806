/** `repertoire retry` and `repertoire dismiss`: background runs that the queue has given up. */
import { succeed } from "../../../core/result.ts";
import { useApp } from "../../app-call.ts";
import { commandLine } from "../../command-line.ts";
import { defineCommand } from "../../command.ts";
import type { GlobalOptions } from "../../global-options.ts";
import { green, note } from "../../terminal/terminal.ts";
import { findRunId } from "./run-reference.ts";

const RUN = {
  words: "<run>",
  about: "the id of the run, or its start or end",
  completes: ["runs"],
} as const;

export const retryCommand = defineCommand({
  name: "retry",
  group: "runs",
  summary: "Try a background run again that was given up; completed steps are not repeated",
  arguments: [RUN],
  help: `A background run whose process ended five times before the run did is given up; repertoire inbox lists it.`,
  examples: ["repertoire retry 3f0f1a2b"],
  run: (options: GlobalOptions, reference: string) => settle(reference, "retry", options),
});

export const dismissCommand = defineCommand({
  name: "dismiss",
  group: "runs",
  summary: "Leave a background run that was given up: it stays failed and out of the inbox",
  arguments: [RUN],
  examples: ["repertoire dismiss 3f0f1a2b"],
  run: (options: GlobalOptions, reference: string) => settle(reference, "dismiss", options),
});

function settle(reference: string, answer: "retry" | "dismiss", options: GlobalOptions) {
  return useApp(
    options,
    async (app) => {
      const id = await findRunId(app, reference);
      if (!id.success) return id;
      const settled = await app.runs.settleDead(id.data, answer);
      return settled.success ? succeed({ run_id: id.data, answer }) : settled;
    },
    {
      show: ({ run_id: id }) =>
        note(
          answer === "retry"
            ? `${green("queued")} ${id}. Its end: ${commandLine(["resume", id], options)}`
            : `${green("dismissed")} ${id}`,
        ),
    },
  );
}
