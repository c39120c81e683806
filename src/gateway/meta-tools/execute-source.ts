/** What `execute` is to run: code that is given, or what a name means. */
import type { JsonObject } from "../../core/json.ts";
import { parseReference } from "../../core/names.ts";
import { succeed, type ToolResult } from "../../core/result.ts";
import type { CurrentCapability } from "../../core/store.ts";
import type { Drafts } from "../../library/drafts.ts";
import { noSuchName, type Library } from "../../library/library.ts";
import { draftSource, knownNames, sourceOf, unknownName } from "../../library/named-source.ts";
import type { RunSource } from "../../runs/run.ts";
import type { Runs } from "../../runs/runs.ts";
import type { ExecuteInput } from "./execute-request.ts";

export interface SourceDeps {
  readonly library: Library;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly checkContracts: (current: CurrentCapability) => ToolResult<readonly string[]>;
}

/** What runs, and where it is already: in the drafts, or in the library. */
export interface Source {
  readonly runnable: RunSource;
  readonly draft?: string;
  /** Checked and completed, where the source says what it takes. */
  readonly inputs: JsonObject;
  readonly warnings?: readonly string[];
}

/** The library comes first, then the drafts. */
export async function findSource(
  { name, code, inputs = {}, resume }: ExecuteInput,
  deps: SourceDeps,
): Promise<ToolResult<Source>> {
  const given = inputs as JsonObject;
  if (name === undefined) return succeed({ runnable: { kind: "code", source: code! }, inputs: given });
  const reference = parseReference(name);
  if (!reference.success)
    return noSuchName(reference.error, name, await knownNames(deps.library, deps.drafts));
  if ((await deps.library.find(reference.data)) !== undefined) {
    return keptSource(name, given, resume !== undefined, deps);
  }
  const draft = await deps.drafts.find(name);
  if (draft.success) {
    return succeed({ runnable: draftSource(draft.data), draft: draft.data.name, inputs: given });
  }
  return draft.error.code === "TOOL_NOT_FOUND" ? unknownName(name, deps.library, deps.drafts) : draft;
}

async function keptSource(
  name: string,
  given: JsonObject,
  isResumed: boolean,
  { library, runs, checkContracts }: SourceDeps,
): Promise<ToolResult<Source>> {
  const details = await library.describe(name);
  if (!details.success) return details;
  const { capability, version } = details.data;
  const warnings = checkContracts({ capability, version });
  if (!warnings.success) return warnings;
  // A resumed run has its inputs already; a workflow completes its own.
  const isChecked = !isResumed && capability.kind === "code";
  const inputs = isChecked ? await runs.checkArguments(version.inputSchema, given) : succeed(given);
  if (!inputs.success) return inputs;
  return succeed({
    runnable: sourceOf(capability, version),
    inputs: inputs.data,
    warnings: warnings.data,
  });
}
