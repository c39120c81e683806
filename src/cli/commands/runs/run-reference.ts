import { randomUUID } from "node:crypto";
import type { App } from "../../../app/app.ts";
import type { Scope } from "../../../core/names.ts";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import type { RunView } from "./run-view.ts";

const LAST = "last";

/** The id that is meant: `last` is the newest run of all. */
export async function findRunId(app: App, reference: string): Promise<ToolResult<string>> {
  if (reference !== LAST) return app.runs.findRun(reference);
  const [newest] = (await app.traces.list(1)) as unknown as RunView[];
  return newest === undefined ? noRun("Nothing has run yet.") : succeed(newest.run_id);
}

/** On the command line a session is a folder: what was started here goes on from here. */
export function folderSession(): string {
  return `folder:${process.cwd()}`;
}

/**
 * The id that is meant: `last` is the newest run of this folder. Where that one succeeded there is nothing to go on
 * with; an older one that failed may be something else entirely, so it is named and not run.
 */
export async function findResumableRunId(
  app: App,
  scope: Scope,
  reference: string,
): Promise<ToolResult<string>> {
  if (reference !== LAST) return app.runs.findRun(reference);
  const session = folderSession();
  const own = { limit: 1, starter: { principal: null, session } };
  const [newest] = await app.store.runs.list(scope, own);
  const context = { traceId: randomUUID(), signal: new AbortController().signal, session };
  const last = await app.runs.findLast(context);
  if (!last.success) {
    const { message, nearest = [] } = last.error;
    const [id] = nearest;
    const hint = id === undefined ? "Run: repertoire runs" : `To resume that one: repertoire resume ${id}`;
    return fail("TOOL_NOT_FOUND", message, { field: "run", nearest, hint });
  }
  if (newest?.status !== "succeeded") return last;
  return fail("TOOL_NOT_FOUND", `The last run of this folder, ${newest.id}, succeeded.`, {
    field: "run",
    nearest: [last.data],
    hint: `An older run can be resumed by its id. See: repertoire show ${last.data}`,
  });
}

/** How many unfinished runs are looked at for one that asks. */
const LOOKED_AT_MAX = 1_000;

/** The id that is meant: `last` is the newest that waits for a person. */
export async function findAskingRunId(
  app: App,
  scope: Scope,
  reference: string,
): Promise<ToolResult<string>> {
  if (reference !== LAST) return app.runs.findRun(reference);
  const runs = await app.store.runs.listUnfinished(scope, LOOKED_AT_MAX);
  const asking = runs.find(
    ({ status, error }) => status === "paused" && error?.["reason"] === "approval_required",
  );
  return asking === undefined ? noRun("No run waits for an approval.") : succeed(asking.id);
}

function noRun(message: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", message, { field: "run", hint: "Run: repertoire runs" });
}
