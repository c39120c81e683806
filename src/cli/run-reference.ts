import type { App } from "../app.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { RunView } from "./run-view.ts";

const LAST = "last";

/** The id that is meant: `last` is the newest run of all. */
export async function findRunId(app: App, reference: string): Promise<ToolResult<string>> {
  if (reference !== LAST) return succeed(reference);
  const [newest] = (await app.traces.list(1)) as unknown as RunView[];
  return newest === undefined ? noRun("Nothing has run yet.") : succeed(newest.run_id);
}

/** How many unfinished runs are looked at for one that asks. */
const LOOKED_AT_MAX = 1_000;

/** The id that is meant: `last` is the newest that waits for a person. */
export async function findAskingRunId(
  app: App,
  scope: Parameters<App["store"]["runs"]["listUnfinished"]>[0],
  reference: string,
): Promise<ToolResult<string>> {
  if (reference !== LAST) return succeed(reference);
  const runs = await app.store.runs.listUnfinished(scope, LOOKED_AT_MAX);
  const asking = runs.find(
    ({ status, error }) => status === "paused" && error?.["reason"] === "approval_required",
  );
  return asking === undefined ? noRun("No run waits for an approval.") : succeed(asking.id);
}

export function noRun(message: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", message, { field: "run", hint: "repertoire runs lists the runs." });
}
