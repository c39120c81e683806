/** Putting a run into the queue: it is prepared and checked as if it ran now, so that its caller learns of every mistake. */
import { randomUUID } from "node:crypto";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { EnqueuedRun, RunStore } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import { createSeal, sensitiveValues } from "../journal/seal.ts";
import { newRunFor } from "../new-run.ts";
import type { RunRequest } from "../run.ts";
import type { RunLifecycleDeps } from "../run-deps.ts";

export type EnqueueOptions = NonNullable<Parameters<RunStore["enqueue"]>[1]>;

export async function enqueueRun(
  deps: Pick<RunLifecycleDeps, "store" | "scope" | "clock" | "redactors">,
  request: RunRequest,
  context: CallContext,
  options: EnqueueOptions,
): Promise<ToolResult<EnqueuedRun>> {
  const storable = checkStorable(request);
  if (!storable.success) return storable;
  const seed = randomUUID();
  const seal = createSeal([], { secrets: deps.redactors.known(), seed });
  const wanted = { ...request, mode: "background" as const };
  const newRun = newRunFor(deps, wanted, context, { seal, seed, clockAt: deps.clock.now() });
  return succeed(await deps.store.enqueue(newRun, options));
}

/** Who takes the run up has what is stored, and sensitive values are not. */
export function checkStorable(request: Pick<RunRequest, "inputs" | "sensitive">): ToolResult<void> {
  const [sensitive] = sensitiveValues(request);
  if (sensitive === undefined) return succeed(undefined);
  return fail(
    "TOOL_INVALID_INPUT",
    `The input ${sensitive.name} is sensitive and not stored, so a background run would not have it.`,
    {
      field: `inputs.${sensitive.name}`,
      reason: "sensitive_input",
      hint: "Run it without background, or keep the value as an input of the config (${input:ID}) that a server uses.",
    },
  );
}
