import * as z from "zod";
import type { Json, JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { capabilityNameOf, parseReference, toolNameOf } from "../core/names.ts";
import { didYouMean, nearest } from "../core/nearest.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { CurrentCapability } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import type { Draft, Drafts } from "../library/drafts.ts";
import type { Keeper } from "../library/keep.ts";
import type { Library } from "../library/library.ts";
import type { CapabilityRun, RunEvent, RunReport } from "../runs/run.ts";
import { TIMEOUT_MS_MAX, type Runs } from "../runs/runs.ts";
import { nextHop } from "./hops.ts";
import { createMetaTool, type MetaTool } from "./meta-tool.ts";
import { checkFinalName, savedOf } from "./save-to-library.ts";

const input = z.strictObject({
  name: z.string().optional().describe("What to run: something in the library, or a draft."),
  inputs: z.record(z.string(), z.unknown()).optional().describe("The inputs; in code they are args."),
  code: z
    .string()
    .optional()
    .describe("TypeScript with top-level await and return; tools are await mcp.server.tool({…})."),
  intent: z
    .string()
    .max(1000)
    .optional()
    .describe("What this run is for, in one sentence. It helps later searches."),
  resume: z
    .string()
    .optional()
    .describe('The run_id of a run that stopped, or "last". With code or name: the corrected version.'),
  uncertain: z
    .union([z.enum(["retry", "skip"]), z.strictObject({ result: z.unknown() })])
    .optional()
    .describe("With resume: what to do about a call that was sent and whose outcome is unknown."),
  timeout_ms: z
    .int()
    .min(1)
    .max(TIMEOUT_MS_MAX)
    .optional()
    .describe("Wall time for the whole run; 30000 unless configured otherwise."),
  save_as: z.string().optional().describe("Keep the run under this name when it succeeds."),
});

type Input = z.output<typeof input>;

const output = z.object({
  success: z.boolean(),
  run_id: z.string().nullable(),
  outputs: z.unknown(),
  checkpoint: z.looseObject({}).nullable(),
  error: z.looseObject({}).nullable(),
  logs: z.array(z.looseObject({ level: z.string(), message: z.string() })),
  calls: z.array(z.looseObject({ tool: z.string(), success: z.boolean(), elapsed_ms: z.number() })),
  warnings: z.array(z.string()),
  draft: z.string().nullable(),
  saved: z.looseObject({}).optional(),
});

type Output = z.output<typeof output>;

export interface ExecuteParts {
  readonly library: Library;
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly keeper: Keeper;
  readonly servers: () => readonly string[];
  readonly freshenLibrary: () => Promise<void>;
  readonly checkContracts: (current: CurrentCapability) => ToolResult<readonly string[]>;
  /** A tool that the config denies was named. */
  readonly denied: (tool: string, details: JsonObject) => void;
  readonly log: Log;
}

export function createExecute(parts: ExecuteParts): MetaTool {
  return createMetaTool({
    name: "execute",
    title: "Execute",
    describe: () =>
      "Run TypeScript (code), something kept or drafted (name), or go on with a run that stopped (resume). " +
      "In code, call any tool as await mcp.server.tool({…}); only its returned value comes back, so filter and combine there. " +
      "Give exactly one of name, code and resume; resume may come with the corrected code or name.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async run(args, context) {
      const checked = checkRequest(args);
      if (!checked.success) return checked;
      const free = await checkSaveAs(args, parts);
      if (!free.success) return free;
      const source = await findSource(args, parts);
      if (!source.success) return source;
      const meta = nextHop(context.meta);
      if (!meta.success) return meta;
      return succeed(await runCode(parts, source.data, args, { ...context, meta: meta.data }));
    },
  });
}

/** Code, and where it is already: in the drafts, or in the library. */
interface Source {
  readonly code: string;
  readonly draft?: string;
  readonly capability?: CapabilityRun;
  /** Checked and completed, where the code says what it takes. */
  readonly inputs: JsonObject;
  readonly warnings?: readonly string[];
}

async function runCode(
  parts: ExecuteParts,
  source: Source,
  args: Input,
  context: CallContext,
): Promise<Output> {
  const ran = await parts.runs.execute(
    {
      code: source.code,
      inputs: source.inputs,
      ...(source.capability !== undefined && { capability: source.capability }),
      ...(args.intent !== undefined && { intent: args.intent }),
      ...(args.timeout_ms !== undefined && { timeoutMs: args.timeout_ms }),
      observe: (event) => reportProgress(event, context),
    },
    context,
  );
  const report = { ...ran, warnings: [...ran.warnings, ...(source.warnings ?? [])] };
  if (!report.result.success && report.result.error.code === "SECURITY_ERROR") {
    parts.denied("execute", { traceId: context.traceId, reason: report.result.error.message });
  }
  if (!report.result.success) return outputOf(report, null);
  if (args.save_as !== undefined) return keepRun(parts, source, report, args, context);
  return outputOf(report, await leaveDraft(parts, source, args, context));
}

/** The run has worked, whatever becomes of keeping it: then its code is left as a draft, and the answer says why. */
async function keepRun(
  parts: ExecuteParts,
  source: Source,
  report: RunReport,
  args: Input,
  context: CallContext,
): Promise<Output> {
  const reference = parseReference(args.save_as!, "save_as");
  const kept = reference.success
    ? await parts.keeper.keep(
        {
          code: source.code,
          name: capabilityNameOf(reference.data, "code"),
          description: args.intent ?? `Kept from the run ${report.runId}.`,
          field: "save_as",
        },
        context,
      )
    : reference;
  if (!kept.success) {
    const warnings = [...report.warnings, `It was not kept: ${kept.error.message}`];
    return outputOf({ ...report, warnings }, await leaveDraft(parts, source, args, context));
  }
  await parts.freshenLibrary();
  return { ...outputOf(report, null), saved: { ...savedOf(kept.data) } };
}

/** One step for each call that has ended; nobody knows how many there will be. */
function reportProgress(event: RunEvent, { onProgress }: CallContext): void {
  if (event.kind !== "call_ended") return;
  onProgress?.({ progress: event.number, message: `${event.tool} ${event.success ? "returned" : "failed"}` });
}

/** A run that worked has worked: that its code could not be left as a draft is a matter for the log. */
async function leaveDraft(
  { drafts, log }: ExecuteParts,
  source: Source,
  { intent }: Input,
  { traceId }: CallContext,
): Promise<string | null> {
  if (source.draft !== undefined) return source.draft;
  if (source.capability !== undefined) return null;
  try {
    return await drafts.leave(source.code, intent);
  } catch (error) {
    log.warn("drafts.leave.failed", { traceId, error });
    return null;
  }
}

function outputOf({ runId, result, logs, calls, warnings }: RunReport, draft: string | null): Output {
  return {
    success: result.success,
    run_id: runId,
    outputs: result.success ? result.data : null,
    checkpoint: null,
    error: result.success ? null : (result.error as unknown as Record<string, Json>),
    logs: logs.map(({ level, message, truncatedFrom }) => ({
      level,
      message,
      ...(truncatedFrom !== undefined && { truncated_from: truncatedFrom }),
    })),
    calls: calls.map(({ tool, success, startedMs, elapsedMs, error }) => ({
      tool,
      success,
      started_ms: round(startedMs),
      elapsed_ms: round(elapsedMs),
      ...(error !== undefined && { error: { ...error } }),
    })),
    warnings: [...warnings],
    draft,
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** All that can be wrong with a request before anything is looked up. */
function checkRequest(args: Input): ToolResult<void> {
  const chosen = (["name", "code", "resume"] as const).filter((key) => args[key] !== undefined);
  if (chosen.length === 0) {
    return fail("TOOL_INVALID_INPUT", "Give one of name, code and resume: what should run?", {
      field: "name",
    });
  }
  if (args.name !== undefined && args.code !== undefined) {
    return fail("TOOL_INVALID_INPUT", "Give name or code, not both.", { field: "code" });
  }
  if (args.uncertain !== undefined && args.resume === undefined) {
    return fail(
      "TOOL_INVALID_INPUT",
      "uncertain is an answer to a run that stopped: give its run_id as resume.",
      {
        field: "uncertain",
      },
    );
  }
  const names = checkNames(args);
  return names.success ? checkBuilt(args) : names;
}

function checkNames(args: Input): ToolResult<void> {
  for (const key of ["name", "save_as"] as const) {
    const text = args[key];
    const reference = text === undefined ? undefined : parseReference(text, key);
    if (reference?.success === false) return reference;
  }
  const isRunId =
    args.resume === undefined || /^(?:last|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(args.resume);
  if (isRunId) return succeed(undefined);
  return fail("TOOL_INVALID_INPUT", "resume must be a run_id, as execute returned it, or last.", {
    field: "resume",
  });
}

/** Refused before anything runs: a run whose end could not be what was asked for has no use. */
function checkBuilt(args: Input): ToolResult<void> {
  if (args.resume !== undefined) return notYet("resume a run", "resume");
  return succeed(undefined);
}

function notYet(what: string, field: string): ToolResult<never> {
  return fail("TOOL_NOT_IMPLEMENTED", `The request is valid, but this version cannot ${what} yet.`, {
    field,
    hint: "execute runs code, and drafts and capabilities of code by name.",
  });
}

/** A name that cannot be taken is told before anything runs. */
async function checkSaveAs({ save_as: name, code }: Input, parts: ExecuteParts): Promise<ToolResult<void>> {
  if (name === undefined) return succeed(undefined);
  if (code === undefined) {
    return fail("TOOL_INVALID_INPUT", "save_as keeps code that is given with it.", { field: "save_as" });
  }
  const checked = await checkFinalName(name, code, parts, "save_as");
  return checked.success ? succeed(undefined) : checked;
}

/** The library comes first, then the drafts. */
async function findSource(
  { name, code, inputs = {} }: Input,
  parts: ExecuteParts,
): Promise<ToolResult<Source>> {
  const given = inputs as JsonObject;
  if (name === undefined) return succeed({ code: code!, inputs: given });
  const reference = parseReference(name);
  if (!reference.success) return reference;
  if ((await parts.library.find(reference.data)) !== undefined) return keptSource(name, given, parts);
  const draft = await parts.drafts.find(name);
  if (draft.success) return sourceOf(draft.data, given);
  return draft.error.code === "TOOL_NOT_FOUND" ? unknownName(name, parts) : draft;
}

async function keptSource(
  name: string,
  given: JsonObject,
  { library, runs, checkContracts }: ExecuteParts,
): Promise<ToolResult<Source>> {
  const details = await library.describe(name);
  if (!details.success) return details;
  const { capability, version } = details.data;
  if (capability.kind === "workflow") return notYet("run a workflow", "name");
  const warnings = checkContracts({ capability, version });
  if (!warnings.success) return warnings;
  const inputs = await runs.checkArguments(version.inputSchema, given);
  if (!inputs.success) return inputs;
  const tool = toolNameOf(capability);
  return succeed({
    code: version.source,
    inputs: inputs.data,
    warnings: warnings.data,
    capability: { tool, id: capability.id, version: version.version },
  });
}

function sourceOf({ kind, text, name }: Draft, inputs: JsonObject): ToolResult<Source> {
  return kind === "code" ? succeed({ code: text, draft: name, inputs }) : notYet("run a workflow", "name");
}

async function unknownName(name: string, { library, drafts }: ExecuteParts): Promise<ToolResult<never>> {
  const known = [...(await library.names()), ...(await drafts.names())];
  const near = nearest(name, known);
  return fail(
    "TOOL_NOT_FOUND",
    `Nothing in the library or the drafts is called ${JSON.stringify(name)}.${didYouMean(near)}`,
    {
      field: "name",
      nearest: near,
      hint: known.length === 0 ? "Both are empty." : `There are ${known.slice(0, 20).join(", ")}.`,
    },
  );
}
