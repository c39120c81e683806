/**
 * Saves a source that worked as a version of a capability, with everything that its run and its code say about it.
 *
 * The source must be valid now: every name resolves, the caller may use what it uses, and it does not call itself. Its
 * input schema is inferred from how the code uses `args`, from the schemas of the tools that these go into, and from
 * the inputs of the run; its output schema from the run's result. The code is not changed. Saving the same code under
 * the same name again gives the same version: a save whose draft was not deleted, because the process died in between,
 * is complete after the next try.
 */
import { canonicalJson, DATA_LIMITS, findJsonProblem, hashText, type JsonObject } from "../core/json.ts";
import { displayNameOf, toolNameOf, type CapabilityName, type Scope } from "../core/names.ts";
import { KNOWN_SECRET_LENGTH_MIN, secretsUnderKeys } from "../text/redaction.ts";
import { refuseNul } from "../text/nul.ts";
import type { Redactors } from "../text/redactors.ts";
import { ownerSeenBy } from "../core/principal.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type {
  Capability,
  CapabilityDraft,
  CapabilityExample,
  CapabilityKind,
  CapabilityVersion,
  Run,
  Store,
  ToolUse,
  Visibility,
} from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import type { PreparedCode } from "../runs/prepare/prepare-code.ts";
import { builtInNodesOf } from "../runs/prepare/built-in-nodes.ts";
import type { Runs } from "../runs/runs.ts";
import type { CapabilityUses } from "../core/rule.ts";
import { skippedBy } from "../runs/resume/skipped.ts";
import type { FoundTool } from "../runs/prepare/tool-directory.ts";
import { compareText } from "../text/compare-text.ts";
import { toolUseOf } from "./contracts.ts";
import { inferInputSchema, inferOutputSchema } from "./schema/infer-schema.ts";

/** Larger data is not useful as an example; an example must also fit into a file for git. */
const EXAMPLE_LIMITS = { ...DATA_LIMITS, keyCountMax: 10_000, depthMax: 60 };

interface SaveRequest {
  readonly kind: CapabilityKind;
  readonly source: string;
  readonly name: CapabilityName;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly visibility?: Visibility;
  /** Makes a new version where the name exists. */
  readonly overwrite?: boolean;
  /** The argument that names the source, for errors. */
  readonly field?: string;
}

/** A value that is written out in the code and might be an input. */
interface InputOffer {
  readonly parameter: string;
  readonly tool: string;
  readonly value: string | number | boolean;
  readonly line: number;
  readonly column: number;
}

export interface SavedCapability {
  readonly capability: Capability;
  readonly version: CapabilityVersion;
  readonly offers: readonly InputOffer[];
  readonly warnings: readonly string[];
}

/** A source that may be saved, with what is known of it. */
interface CheckedSource {
  readonly kept: Pick<CapabilityDraft, "inputSchema" | "outputSchema" | "toolsUsed" | "example">;
  readonly offers: readonly InputOffer[];
  readonly warnings: readonly string[];
}

export interface CapabilitySaverDeps {
  readonly store: Pick<Store, "capabilities" | "runs">;
  readonly runs: Runs;
  readonly scope: () => Scope;
  readonly author: () => string;
  /** Know the values that no example may contain. */
  readonly redactors: Pick<Redactors, "knowing">;
  readonly record: RecordChange;
  /** What is to be said of what flows through it, by what it uses. */
  readonly flowWarning?: (uses: CapabilityUses) => string | undefined;
  /** Called with the intent of the run that the capability was saved from. */
  readonly kept?: (tool: string, intent: string) => void;
}

/** Writes a change of the library to the audit trail. */
export type RecordChange = (
  by: Pick<CallContext, "principal">,
  action: string,
  subject: string,
  details: JsonObject,
) => void;

/** What only the person at this machine can do. */
export const PERSON: Pick<CallContext, "principal"> = {};

export interface CapabilitySaver {
  save(request: SaveRequest, context: CallContext): Promise<ToolResult<SavedCapability>>;
}

export function createCapabilitySaver(deps: CapabilitySaverDeps): CapabilitySaver {
  const { capabilities, runs: runStore } = deps.store;

  /**
   * The version that exists with the same source; undefined where there is none, or where its description, tags or
   * visibility change.
   */
  async function findSame(request: SaveRequest): Promise<SavedCapability | undefined> {
    const capability = await capabilities.find(deps.scope(), request.name);
    const version = capability && (await capabilities.version(capability.id, capability.currentVersion));
    if (capability === undefined || version?.sourceHash !== hashText(request.source)) return undefined;
    if (request.overwrite === true && !isToldTheSame(request, capability)) return undefined;
    return { capability, version, offers: [], warnings: [] };
  }

  async function exampleOf(run: Run): Promise<CapabilityExample | null> {
    const steps = await runStore.steps(run.id);
    // A result that lies apart is too large for an example.
    if (steps.some((step) => step.resultBytes !== null || step.status === "sent")) return null;
    // What a call would have answered is not known.
    if (steps.some((step) => skippedBy(step) !== undefined)) return null;
    const calls = steps.map(({ tool, args, status, result, error }) => ({
      tool,
      args,
      ...(status === "succeeded" ? { result } : { error: error ?? {} }),
    }));
    const { inputs, result, seed, clockAt } = run;
    const example = redactExample({ inputs, calls, result, seed, clockAt }, deps.redactors);
    if (example === undefined || findJsonProblem(example, EXAMPLE_LIMITS) !== undefined) return null;
    return example;
  }

  async function checkCode(
    request: SaveRequest,
    run: Run | undefined,
    context: CallContext,
  ): Promise<ToolResult<CheckedSource>> {
    const prepared = await prepareAsCaller(request, (as) => deps.runs.prepare(request.source, as, context));
    if (!prepared.success) return invalid(prepared, request);
    const { program, tools, warnings } = prepared.data;
    return succeed({
      kept: {
        inputSchema: inferInputSchema(program, schemaFinder(prepared.data), run?.inputs),
        outputSchema: (run && inferOutputSchema(run.result)) ?? null,
        toolsUsed: toolsUsedBy(tools),
        example: run === undefined ? null : await exampleOf(run),
      },
      offers: offersOf(prepared.data),
      warnings,
    });
  }

  /** A workflow says itself what it takes and gives. */
  async function checkWorkflow(
    request: SaveRequest,
    context: CallContext,
  ): Promise<ToolResult<CheckedSource>> {
    const prepared = await prepareAsCaller(request, (as) =>
      deps.runs.prepareWorkflow(request.source, as, context),
    );
    if (!prepared.success) return invalid(prepared, request);
    const { inputSchema, outputSchema, kinds, codeTools, warnings } = prepared.data;
    const nodeTools = [...kinds.values()].flatMap((kind) => (kind.kind === "tool" ? [kind.tool] : []));
    const tools = [...nodeTools, ...codeTools];
    return succeed({
      kept: { inputSchema, outputSchema, toolsUsed: toolsUsedBy(tools), example: null },
      offers: [],
      warnings,
    });
  }

  return {
    async save(request, context) {
      const refused =
        refuseNul(request.source, `The ${request.kind}`, request.field) ??
        refuseNul(request.description, "The description", "description");
      if (refused !== undefined) return refused;
      const same = await findSame(request);
      if (same !== undefined && request.overwrite !== true) return succeed(same);
      // Another's run would tell its inputs and answers.
      const owner = ownerSeenBy(context.principal);
      const starter = owner === undefined ? undefined : { principal: owner };
      const run = await runStore.findSucceeded(deps.scope(), request.source, starter);
      const draft = await (request.kind === "code"
        ? checkCode(request, run, context)
        : checkWorkflow(request, context));
      if (same !== undefined && (!draft.success || isBoundTheSame(draft.data.kept, same.version)))
        return succeed(same);
      if (!draft.success) return draft;
      const { kept, offers, warnings } = draft.data;
      const outcome = await capabilities.save({
        scope: deps.scope(),
        ...request.name,
        ...kept,
        kind: request.kind,
        description: request.description,
        tags: request.tags,
        visibility: request.visibility,
        overwrite: request.overwrite,
        author: context.principal?.name ?? deps.author(),
        source: request.source,
        fromRunId: run?.id ?? null,
      });
      if (outcome.kind === "taken") return taken(outcome.capability, request);
      const { capability, version } = outcome;
      recordSave(deps.record, context, outcome);
      if (run?.intent) deps.kept?.(toolNameOf(capability), run.intent);
      const flow = deps.flowWarning?.(usesIn(request, kept));
      return succeed({
        capability,
        version,
        offers,
        warnings: [
          ...(run === undefined ? [NEVER_RUN[request.kind]] : []),
          ...warnings,
          ...(flow === undefined ? [] : [flow]),
        ],
      });
    },
  };
}

function usesIn(
  { kind, source }: SaveRequest,
  { toolsUsed }: Pick<CapabilityDraft, "toolsUsed">,
): CapabilityUses {
  const nodes = kind === "workflow" ? builtInNodesOf(source) : undefined;
  return { tools: (toolsUsed ?? []).map(({ tool }) => tool), nodes: nodes ?? [] };
}

/**
 * Prepares the source as the caller could run it now. A capability may use tools that are hidden from clients, so a
 * caller saves only what it could run itself. The second preparation, under its new name, finds cycles.
 */
async function prepareAsCaller<T>(
  { name }: SaveRequest,
  prepare: (as: string | undefined) => Promise<ToolResult<T>>,
): Promise<ToolResult<T>> {
  const prepared = await prepare(undefined);
  if (!prepared.success) return prepared;
  const named = await prepare(toolNameOf(name));
  return named.success ? prepared : named;
}

/**
 * Whether every name in the source still means the tool of the same source. A version from before sources were recorded
 * gets them.
 */
function isBoundTheSame(
  { toolsUsed: now = [] }: Pick<CapabilityDraft, "toolsUsed">,
  { toolsUsed: before }: CapabilityVersion,
): boolean {
  const sources = (uses: readonly ToolUse[]) =>
    canonicalJson(uses.map(({ tool, source = null }) => [tool, source]));
  return sources(now) === sources(before);
}

function isToldTheSame({ description, tags, visibility }: SaveRequest, capability: Capability): boolean {
  return (
    description === capability.description &&
    (tags === undefined || JSON.stringify(tags) === JSON.stringify(capability.tags)) &&
    (visibility === undefined || visibility === capability.visibility)
  );
}

export function recordSave(
  record: RecordChange,
  by: Pick<CallContext, "principal">,
  { capability, version }: Pick<SavedCapability, "capability" | "version">,
): void {
  const { author, sourceHash } = version;
  record(by, "capability.saved", displayNameOf(capability), { version: version.version, author, sourceHash });
}

/**
 * The example without secrets, or nothing where one is too short to be told from ordinary text. Beside the secrets of
 * the config, any value under the name of a secret is taken out wherever else it appears: code hands a password on, and
 * returns it.
 */
function redactExample(
  example: CapabilityExample,
  redactors: Pick<Redactors, "knowing">,
): CapabilityExample | undefined {
  const given = [example.inputs, ...example.calls.map(({ args }) => args)];
  if (secretsUnderKeys(given).some((secret) => secret.length < KNOWN_SECRET_LENGTH_MIN)) return undefined;
  const redactor = redactors.knowing(given);
  const { inputs, calls, result } = example;
  return { ...example, ...(redactor.value({ inputs, calls, result }) as CapabilityExample) };
}

const NEVER_RUN: Readonly<Record<CapabilityKind, string>> = {
  code: "This code has not run here yet: its inputs are inferred from the code alone, and there is no example to test it with.",
  workflow: "This workflow has not run here yet.",
};

function schemaFinder({
  functions,
  tools,
}: PreparedCode): (namespace: string, tool: string) => JsonObject | undefined {
  return (namespace, tool) => {
    const at = functions.findIndex((fn) => fn.namespace === namespace && fn.name === tool);
    return tools[at]?.definition.inputSchema;
  };
}

function toolsUsedBy(tools: readonly (FoundTool | undefined)[]): ToolUse[] {
  const byName = new Map(tools.flatMap((tool) => (tool === undefined ? [] : [[tool.name, tool]])));
  return [...byName.values()].map(toolUseOf).sort((a, b) => compareText(a.tool, b.tool));
}

function offersOf({ program }: PreparedCode): InputOffer[] {
  return program.literals.map(({ namespace, tool, path, value, line, column }) => ({
    parameter: path.findLast((part) => part !== "*") ?? "value",
    tool: `${namespace}.${tool}`,
    value,
    line,
    column,
  }));
}

function invalid(
  prepared: { readonly success: false } & ToolResult<never>,
  { field, kind }: SaveRequest,
): ToolResult<never> {
  if (prepared.success) return prepared;
  const { error } = prepared;
  return {
    success: false,
    error: {
      ...error,
      code: error.code === "TOOL_NOT_FOUND" ? "TOOL_INVALID_INPUT" : error.code,
      message: `The ${kind} is not valid: ${error.message}`,
      reason: error.reason ?? "validation_error",
      ...(field !== undefined && { field }),
    },
  };
}

function taken(capability: Capability, { field }: SaveRequest): ToolResult<never> {
  return fail(
    "TOOL_INVALID_INPUT",
    `${displayNameOf(capability)} exists already (version ${capability.currentVersion}).`,
    {
      reason: "taken",
      ...(field !== undefined && { field }),
      hint: "Choose another name, or give overwrite: true to make a new version; the old one is kept.",
    },
  );
}
