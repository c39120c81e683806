/** A run in a list, as `repertoire runs --json` and the API have it. */
import { displayNameOf } from "../../core/names.ts";
import { LOCAL } from "../../core/principal.ts";
import type { RunSummary } from "../../core/store.ts";
import type { AnswerOf } from "../contract/contract.ts";
import type { OperatorDeps } from "../operator.ts";

export type RunView = AnswerOf<"listRuns">["runs"][number];

/** Without secrets: an intent and an error may have been written before one was known. */
export async function viewRun(
  { app }: OperatorDeps,
  run: RunSummary & { readonly stepCount?: number },
): Promise<RunView> {
  const { store } = app;
  const name = run.intent === null ? await nameOf(app, run) : undefined;
  const next = run.status === "succeeded" ? undefined : await store.runs.successor(run.id);
  const view = {
    ...app.traces.summarize(run),
    ...(name !== undefined && { name }),
    who: run.principal ?? LOCAL,
    client: run.client,
    step_count: run.stepCount ?? (await store.runs.stepCount(run.id)),
    ...(next !== undefined && { resumed_by: next.id }),
  };
  return app.redactors.current().value(view) as RunView;
}

/** What was saved and ran, or the first words of what ran. */
async function nameOf(
  { store, traces }: OperatorDeps["app"],
  { id, kind, capabilityId }: RunSummary,
): Promise<string | undefined> {
  if (kind !== "capability") return traces.title(id);
  const capability = capabilityId === null ? undefined : await store.capabilities.get(capabilityId);
  return capability === undefined ? undefined : displayNameOf(capability);
}
