/** Starting a kept tool without a client: a schedule or a webhook puts it into the queue as its own principal. */
import { randomUUID } from "node:crypto";
import type { ScheduleConfig } from "../../config/config.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Principal } from "../../core/principal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { EnqueuedRun } from "../../core/store.ts";
import type { CallContext, ToolView } from "../../core/tool.ts";
import { findSource, type SourceDeps } from "../../gateway/meta-tools/execute-source.ts";
import { viewLibrary } from "../../gateway/meta-tools/library-view.ts";
import type { Source } from "../../gateway/meta-tools/execute-source.ts";

/** What begins runs by itself: `schedule:nightly`, `hook:github`. Rules name it so. */
export type StarterKind = "schedule" | "hook";

export interface StartKeptDeps extends SourceDeps {
  readonly freshenLibrary: () => Promise<void>;
  readonly viewFor: (profile: string) => ToolView | undefined;
}

export interface KeptStart extends Pick<ScheduleConfig, "tool" | "profile"> {
  readonly kind: StarterKind;
  readonly name: string;
  readonly inputs: JsonObject;
  readonly startKey: string;
}

/** It may call tools, and the rules say which; it decides nothing and saves nothing. */
export function starterPrincipal(kind: StarterKind, name: string): Principal {
  return {
    id: `${kind}:${name}`,
    name,
    permissions: new Set(["read", "call"] as const),
    revoked: new AbortController().signal,
  };
}

export async function startKept(deps: StartKeptDeps, start: KeptStart): Promise<ToolResult<EnqueuedRun>> {
  const { kind, name, inputs, startKey } = start;
  const context = contextOf(deps, start);
  if (!context.success) return context;
  const source = await findKept(deps, start, inputs, context.data.view);
  if (!source.success) return source;
  const request = {
    ...source.data.runnable,
    inputs: source.data.inputs,
    intent: `${kind} ${name}`,
  };
  return deps.runs.enqueue(request, context.data, { startKey });
}

/** Why it could not be started now; undefined where it could. Its inputs are not looked at. */
export async function findStartProblem(
  deps: StartKeptDeps,
  start: Pick<KeptStart, "kind" | "name" | "tool" | "profile">,
): Promise<string | undefined> {
  const context = contextOf(deps, start);
  if (!context.success) return context.error.message;
  await deps.freshenLibrary();
  const library = viewLibrary(deps.library, context.data.view);
  const found = await library.describe(referenceOf(start.tool));
  return found.success ? undefined : found.error.message;
}

function contextOf(
  { viewFor }: StartKeptDeps,
  { kind, name, profile }: Pick<KeptStart, "kind" | "name" | "profile">,
): ToolResult<CallContext> {
  const view = profile === undefined ? undefined : viewFor(profile);
  if (profile !== undefined && view === undefined)
    return fail("TOOL_NOT_FOUND", `There is no profile ${JSON.stringify(profile)}.`, { field: "profile" });
  return succeed({
    traceId: randomUUID(),
    signal: new AbortController().signal,
    principal: starterPrincipal(kind, name),
    ...(view !== undefined && { view }),
  });
}

async function findKept(
  deps: StartKeptDeps,
  { tool }: Pick<KeptStart, "tool">,
  inputs: JsonObject,
  view: ToolView | undefined,
): Promise<ToolResult<Source>> {
  await deps.freshenLibrary();
  const source = await findSource(
    { name: referenceOf(tool), inputs },
    { ...deps, library: viewLibrary(deps.library, view) },
  );
  if (!source.success || source.data.runnable.capability !== undefined) return source;
  return fail("TOOL_NOT_FOUND", `${tool} is a draft; only what is kept starts by itself.`, {
    field: "tool",
    hint: "Keep it with repertoire save, and name it here as namespace:action.",
  });
}

/** `mcp__namespace__action` as the library names it. */
function referenceOf(tool: string): string {
  const [, namespace, action] = /^mcp__([a-z0-9_-]+?)__([a-z0-9_-]+)$/.exec(tool) ?? [];
  return namespace === undefined ? tool : `${namespace}:${action}`;
}
