/** Runs, what waits, the call log and the status: the routes and the functions that answer them. */
import { succeed } from "../../core/result.ts";
import { LOCAL } from "../../core/principal.ts";
import { viewTraces, createReachFinder } from "../../gateway/meta-tools/run-view.ts";
import { listCalls } from "../calls.ts";
import { decideRun, proposeRule } from "./decide.ts";
import { readInbox } from "../inbox.ts";
import { countRuns, listRuns } from "./list-runs.ts";
import type { Handlers, OperatorDeps, Viewer } from "../operator.ts";
import { findRun, findWholeRun, noRun } from "./run-access.ts";
import { compareRun } from "./run-difference.ts";
import { getGraph } from "./run-graph.ts";
import { readHead } from "./run-head.ts";
import { getStep } from "./run-step.ts";
import { listSteps } from "./run-steps.ts";
import { readValue } from "./run-value.ts";
import { saveRun } from "./save-run.ts";
import { checkCode, resumeRun, startRun } from "./start-run.ts";
import { recordChange } from "../record-change.ts";
import { getStats } from "../stats.ts";
import { getStatus } from "../status.ts";

type RunRoutes =
  | "listRuns"
  | "countRuns"
  | "startRun"
  | "checkCode"
  | "getRun"
  | "getTrace"
  | "listSteps"
  | "getStep"
  | "readValue"
  | "getGraph"
  | "compareRun"
  | "resumeRun"
  | "cancelRun"
  | "saveRun"
  | "proposeRule"
  | "decideRun"
  | "listInbox"
  | "listCalls"
  | "getStatus"
  | "getStats";

export const runHandlers: Handlers<RunRoutes> = {
  listRuns: (deps, viewer, { query: { limit, before, ...asked } }) =>
    listRuns(deps, viewer, asked, { limit, before }),
  countRuns: (deps, viewer, { query: { buckets, ...asked } }) => countRuns(deps, viewer, asked, buckets),
  startRun: (_deps, viewer, { body }) => startRun(viewer, body),
  checkCode: (deps, viewer, { body }) => checkCode(deps, viewer, body.code),
  async getRun(deps, viewer, { params }) {
    const found = await findRun(deps, viewer, params.run);
    if (!found.success) return found;
    return succeed(await readHead(deps, found.data.run, found.data.isOutcome));
  },
  getTrace: (deps, viewer, { params }) => readTrace(deps, viewer, params.run),
  async listSteps(deps, viewer, { params, query }) {
    const run = await findWholeRun(deps, viewer, params.run);
    return run.success ? listSteps(deps.app, run.data, query) : run;
  },
  async getStep(deps, viewer, { params }) {
    const run = await findWholeRun(deps, viewer, params.run);
    return run.success ? getStep(deps.app, run.data, params.step) : run;
  },
  async readValue(deps, viewer, { params, query }) {
    const isOutcome = query.of === "inputs" || params.step === "outputs";
    if (!isOutcome) {
      const run = await findWholeRun(deps, viewer, params.run);
      return run.success ? readValue(deps.app, run.data, params.step, query) : run;
    }
    const found = await findRun(deps, viewer, params.run);
    return found.success ? readValue(deps.app, found.data.run, params.step, query) : found;
  },
  async getGraph(deps, viewer, { params }) {
    const run = await findWholeRun(deps, viewer, params.run);
    return run.success ? getGraph(deps.app, run.data) : run;
  },
  async compareRun(deps, viewer, { params }) {
    const run = await findWholeRun(deps, viewer, params.run);
    return run.success ? compareRun(deps.app, run.data) : run;
  },
  resumeRun: (deps, viewer, { params, body }) => resumeRun(deps, viewer, params.run, body),
  cancelRun: (deps, viewer, { params }) => cancelRun(deps, viewer, params.run),
  saveRun: (deps, viewer, { params, body }) => saveRun(deps, viewer, params.run, body),
  proposeRule: (deps, viewer, { params, query }) => proposeRule(deps, viewer, params.run, query),
  decideRun: (deps, viewer, { params, body }) => decideRun(deps, viewer, params.run, body),
  async listInbox(deps, viewer) {
    return succeed({ items: await readInbox(deps, viewer) });
  },
  listCalls: ({ app }, viewer, { query }) => listCalls(app.store, viewer, query),
  getStatus: (deps, viewer) => getStatus(deps, viewer),
  getStats: (deps, viewer, { query }) => getStats(deps, viewer, query),
};

/** The whole tree, as `repertoire show --json` prints it. */
export async function readTrace({ app }: OperatorDeps, { view, principal }: Viewer, runId: string) {
  const findReach = createReachFinder({ runs: app.store.runs, capabilities: app.store.capabilities });
  const traces = viewTraces(app.traces, { view, principal }, findReach);
  const trace = await traces.trace(runId);
  if (trace.success) return succeed(trace.data as { readonly run_id: string });
  return noRun(runId);
}

export async function cancelRun(deps: OperatorDeps, viewer: Viewer, runId: string) {
  const found = await findRun(deps, viewer, runId);
  if (!found.success) return found;
  const cancelled = await deps.app.runs.cancel(runId, viewer.principal?.id ?? LOCAL);
  if (!cancelled.success) return cancelled;
  await recordChange(deps, viewer, { action: "run.cancelled", subject: runId });
  return succeed({ run_id: cancelled.data.runId, status: cancelled.data.status });
}
