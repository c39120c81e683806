/**
 * Which runs a viewer sees. A token with limits sees the runs that it started; in a profile a run is shown if everything
 * that it used is. Of something saved that a profile shows, only what came of it is: what it used may be hidden. What is
 * not shown answers exactly like what is not there.
 */
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { Run, RunSummary } from "../../core/store.ts";
import { createReachFinder } from "../../gateway/meta-tools/run-view.ts";
import type { OperatorDeps, Viewer } from "../operator.ts";

/** `outcome`: what it was given and what came of it, and nothing of what it did. */
type Sight = "whole" | "outcome" | "none";

type Seen = Pick<RunSummary, "id" | "principal">;

export async function sightOf({ app }: OperatorDeps, viewer: Viewer, run: Seen): Promise<Sight> {
  const { owner, view } = viewer;
  if (owner !== undefined && run.principal !== owner) return "none";
  if (view === undefined) return "whole";
  const findReach = createReachFinder({ runs: app.store.runs, capabilities: app.store.capabilities });
  const reach = await findReach(run.id);
  if (reach?.tools.every((tool) => view.allows(tool)) !== true) return "none";
  return reach.capability === undefined ? "whole" : "outcome";
}

/** Which runs there are is not told in a profile that others use as well. */
export function mayList({ owner, view }: Viewer): boolean {
  return view === undefined || owner !== undefined;
}

interface FoundRun {
  readonly run: Run;
  /** Whether only what came of it is shown. */
  readonly isOutcome: boolean;
}

export async function findRun(deps: OperatorDeps, viewer: Viewer, id: string): Promise<ToolResult<FoundRun>> {
  const run = await deps.app.store.runs.find(id);
  const { org, project } = deps.config.current().scope;
  if (run?.scope.org !== org || run.scope.project !== project) return noRun(id);
  const sight = await sightOf(deps, viewer, run);
  return sight === "none" ? noRun(id) : succeed({ run, isOutcome: sight === "outcome" });
}

/** The run with all that it did. */
export async function findWholeRun(deps: OperatorDeps, viewer: Viewer, id: string): Promise<ToolResult<Run>> {
  const found = await findRun(deps, viewer, id);
  if (!found.success) return found;
  return found.data.isOutcome ? noRun(id) : succeed(found.data.run);
}

export function noRun(id: string): ToolResult<never> {
  return fail("TOOL_NOT_FOUND", `There is no run ${JSON.stringify(id)}.`, {
    field: "run",
    hint: "Run: repertoire runs",
  });
}
