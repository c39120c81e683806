import type { NewRun } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import { cut } from "../text/cut.ts";
import { starterOf } from "./resume/last-run.ts";
import type { RunRequest } from "./run.ts";
import type { RunLifecycleDeps } from "./run-deps.ts";
import type { Seal } from "./journal/seal.ts";

/** The capabilities and drafts that a run has come through, with its own. */
export function pathOf({ path = [] }: CallContext, capability: string | undefined): readonly string[] {
  return capability === undefined ? path : [...path, capability];
}

/** A client may call itself anything; people know it by the beginning. */
const CLIENT_LENGTH_MAX = 200;

/** What a list calls it. A run that another one starts has the intent that it was given, or none. */
function titleFor(intent: string | undefined, { runId, title }: CallContext, seal: Seal): string | null {
  const text = intent ?? (runId === undefined ? title : undefined);
  return text === undefined ? null : seal.text(text);
}

/** A run as it is put on record first. */
export function newRunFor(
  { scope }: Pick<RunLifecycleDeps, "scope">,
  { kind, source, intent, inputs, capability, mode, timeoutMs }: RunRequest,
  context: CallContext,
  { seal, seed, clockAt }: { readonly seal: Seal; readonly seed: string; readonly clockAt: number },
): NewRun {
  return {
    scope: scope(),
    kind: capability === undefined ? kind : "capability",
    source: capability === undefined ? source : null,
    capabilityId: capability?.id ?? null,
    capabilityVersion: capability?.version ?? null,
    intent: titleFor(intent, context, seal),
    inputs: seal.close(inputs),
    parentRunId: context.runId ?? null,
    parentStep: context.step?.key ?? null,
    ...starterOf(context),
    client: context.clientName === undefined ? null : cut(context.clientName, CLIENT_LENGTH_MAX),
    profile: context.view?.profile ?? null,
    // Who takes it up has nobody to ask for it.
    ...(mode === "background" && { mode, timeoutMs: timeoutMs ?? null }),
    seed,
    clockAt,
  };
}
