import { isDenial } from "../../core/guard.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { capabilityNameOf, parseReference } from "../../core/names.ts";
import { NO_SECRETS, type Redactors } from "../../text/redactors.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { START_WAIT_MS } from "../../process/starting.ts";
import type { CallContext } from "../../core/tool.ts";
import type { Drafts } from "../../library/drafts.ts";
import type { CapabilitySaver } from "../../library/save-capability.ts";
import { reportProgress } from "../../runs/progress.ts";
import { goingOn } from "../../runs/background/follow.ts";
import { refusedReport } from "../../runs/run-end.ts";
import type { RunEvent, RunReport, RunRequest } from "../../runs/run.ts";
import type { Runs } from "../../runs/runs.ts";
import type { Traces } from "../../runs/trace.ts";
import { executeAnswer, executeOutput, type ExecuteOutput } from "./execute-answer.ts";
import { checkRequest, executeInput, type ExecuteInput } from "./execute-request.ts";
import { findSource, type Source, type SourceDeps } from "./execute-source.ts";
import { nextHop } from "../hops.ts";
import { viewDrafts, type HasRun } from "./draft-view.ts";
import { viewLibrary } from "./library-view.ts";
import { createMetaTool, parseArguments, type MetaTool } from "./meta-tool.ts";
import { checkResumed, viewTraces, type FindReach } from "./run-view.ts";
import { checkFinalName, savedOf } from "./save-to-library.ts";

export interface ExecuteDeps extends SourceDeps {
  readonly drafts: Drafts;
  readonly runs: Runs;
  readonly traces: Traces;
  readonly capabilitySaver: CapabilitySaver;
  readonly servers: () => readonly string[];
  readonly freshenLibrary: () => Promise<void>;
  /** A tool that the config denies was named. */
  readonly denied: (context: CallContext, tool: string, details: JsonObject) => void;
  /** What a run used; without it, no run is shown to a client of a profile. */
  readonly findReach?: FindReach;
  /** Without it, a token with limits has no drafts. */
  readonly hasRun?: HasRun;
  readonly redactors?: Redactors;
  readonly log: Log;
}

export interface Execute extends MetaTool {
  /** Runs, or goes on with, the text of a workflow, as if it were a draft; the arguments are those of `execute`. */
  runWorkflow(text: string, args: JsonObject, context: CallContext): Promise<ToolResult<JsonObject>>;
}

export function createExecute(deps: ExecuteDeps): Execute {
  const tool = createMetaTool({
    name: "execute",
    title: "Execute",
    describe: () =>
      "Run TypeScript (code), something kept or drafted (name), or resume a stopped run, also with corrected code or name: " +
      "no call that succeeded is made again. Code calls tools as await mcp.server.tool({…}); only what it returns comes back: " +
      "filter and combine there.",
    input: executeInput,
    output: executeOutput,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    searchHint: "run TypeScript against tools, run a workflow, resume a run",
    isAlwaysLoaded: true,
    async run(args, context) {
      const checked = checkRequest(args);
      return checked.success ? executeChecked(deps, args, context) : checked;
    },
  });
  return {
    ...tool,
    async runWorkflow(text, args, context) {
      const given = parseArguments(executeInput, args);
      if (!given.success) return given;
      const checked = checkRequest(given.data, true);
      if (!checked.success) return checked;
      const inputs = (given.data.inputs ?? {}) as JsonObject;
      const source: Source = { runnable: { kind: "workflow", source: text }, inputs };
      return (await executeChecked(deps, given.data, context, source)) as ToolResult<JsonObject>;
    },
  };
}

async function executeChecked(
  whole: ExecuteDeps,
  given: ExecuteInput,
  outer: CallContext,
  text?: Source,
): Promise<ToolResult<ExecuteOutput>> {
  const deps = depsFor(whole, outer);
  const named = await withRunId(deps, given, outer);
  if (!named.success) return named;
  const args = await withHandles(deps, withCleanIntent(deps, named.data));
  if (!args.success) return args;
  const free = await checkSaveAs(args.data, deps, outer);
  if (!free.success) return free;
  const resumed = await checkResumed(args.data.resume, outer, whole);
  if (!resumed.success) return resumed;
  const usable = await checkUsable(deps, args.data, outer, text !== undefined);
  if (!usable.success) return usable;
  const meta = nextHop(outer.meta);
  if (!meta.success) return meta;
  const source = text === undefined ? await sourceOf(deps, args.data) : succeed(text);
  if (!source.success) return source;
  return runSource(deps, source.data, args.data, { ...outer, meta: meta.data });
}

/**
 * `last`, or a part of an id, is an id before anything is decided about the run, so that all of it is about the same
 * run.
 */
async function withRunId(
  { runs }: ExecuteDeps,
  args: ExecuteInput,
  context: CallContext,
): Promise<ToolResult<ExecuteInput>> {
  const { resume } = args;
  if (resume === undefined) return succeed(args);
  const found = await (resume === "last" ? runs.findLast(context) : runs.findRun(resume, context));
  if (!found.success) return { success: false, error: { ...found.error, field: "resume" } };
  return succeed({ ...args, resume: found.data });
}

/** In a profile a run that would use something hidden is not resumed, nor is its question shown. */
async function checkUsable(
  { runs }: ExecuteDeps,
  { resume: runId, inputs, code, name }: ExecuteInput,
  context: CallContext,
  hasText: boolean,
): Promise<ToolResult<void>> {
  const isCorrected = hasText || code !== undefined || name !== undefined;
  if (context.view === undefined || runId === undefined || isCorrected) return succeed(undefined);
  return runs.checkResumable({ runId, inputs: inputs as JsonObject | undefined }, context);
}

/** What a client of a profile, or with a limited token, does not see is not there for it. */
function depsFor(deps: ExecuteDeps, context: CallContext): ExecuteDeps {
  const { view, principal } = context;
  if (view === undefined && principal === undefined) return deps;
  return {
    ...deps,
    library: viewLibrary(deps.library, view),
    drafts: viewDrafts(deps.drafts, principal, deps.hasRun),
    traces: viewTraces(deps.traces, context, deps.findReach),
  };
}

/** None where a run goes on as it was. */
async function sourceOf(deps: ExecuteDeps, args: ExecuteInput): Promise<ToolResult<Source | undefined>> {
  const hasSource = args.code !== undefined || args.name !== undefined;
  return hasSource ? findSource(args, deps) : succeed(undefined);
}

async function runSource(
  deps: ExecuteDeps,
  source: Source | undefined,
  args: ExecuteInput,
  context: CallContext,
): Promise<ToolResult<ExecuteOutput>> {
  const ran = await runOrResume(deps, source, args, context);
  if (!ran.success) return ran;
  const report = { ...ran.data, warnings: [...ran.data.warnings, ...(source?.warnings ?? [])] };
  if (!report.result.success && isDenial(report.result.error)) {
    const { tool, message } = report.result.error;
    deps.denied(context, tool ?? "execute", {
      traceId: context.traceId,
      reason: message,
      ...(tool !== undefined && { by: "execute" }),
      ...(report.runId !== null && { runId: report.runId }),
    });
  }
  if (!report.result.success || source === undefined) return succeed(executeAnswer(report, null, args));
  if (args.save_as !== undefined) return succeed(await keepRun(deps, source, report, args, context));
  return succeed(executeAnswer(report, await saveDraft(deps, source, args, context), args));
}

async function runOrResume(
  { runs }: ExecuteDeps,
  source: Source | undefined,
  args: ExecuteInput,
  asked: CallContext,
): Promise<ToolResult<RunReport>> {
  const context = withStartWait(asked, args.timeout_ms);
  const common = {
    timeoutMs: args.timeout_ms,
    observe: (event: RunEvent) => reportProgress(event, context),
  };
  if (args.resume === undefined) {
    const intent = args.intent === undefined ? {} : { intent: args.intent };
    const request = { ...source!.runnable, inputs: source!.inputs, ...intent, ...common };
    return args.background === true
      ? enqueue(runs, request, context)
      : succeed(await runs.executeNamed(request, context));
  }
  return runs.resume(
    {
      runId: args.resume,
      corrected: source?.runnable,
      inputs: args.inputs as JsonObject | undefined,
      uncertain: args.uncertain as never,
      ...(args.background !== undefined && { background: args.background }),
      ...common,
    },
    context,
  );
}

/** A mistake is told as that of a run which could not begin. */
async function enqueue(
  runs: Runs,
  request: RunRequest,
  context: CallContext,
): Promise<ToolResult<RunReport>> {
  const queued = await runs.enqueue(request, context);
  return succeed(queued.success ? goingOn(queued.data.run.id, "queued") : refusedReport(queued));
}

/**
 * Names are looked up before the run and its deadline begin; that waits no longer for a server that is starting than
 * the run may.
 */
function withStartWait(context: CallContext, timeoutMs: number | undefined): CallContext {
  return timeoutMs === undefined || timeoutMs >= START_WAIT_MS
    ? context
    : { ...context, startWaitMs: timeoutMs };
}

/** The run has worked, whatever becomes of keeping it: then its code is left as a draft, and the answer says why. */
async function keepRun(
  deps: ExecuteDeps,
  source: Source,
  report: RunReport,
  args: ExecuteInput,
  context: CallContext,
): Promise<ExecuteOutput> {
  const reference = parseReference(args.save_as!, "save_as");
  const kept = reference.success
    ? await deps.capabilitySaver.save(
        {
          kind: "code",
          source: source.runnable.source,
          name: capabilityNameOf(reference.data, "code"),
          description: args.intent ?? `Kept from the run ${report.runId}.`,
          field: "save_as",
        },
        context,
      )
    : reference;
  if (!kept.success) {
    const warnings = [...report.warnings, `It was not kept: ${kept.error.message}`];
    return executeAnswer({ ...report, warnings }, await saveDraft(deps, source, args, context), args);
  }
  await deps.freshenLibrary();
  const { success: _, ...saved } = savedOf(kept.data);
  return { ...executeAnswer(report, null, args), saved };
}

/** A run that worked has worked: that its code could not be left as a draft is a matter for the log. */
async function saveDraft(
  { drafts, log }: ExecuteDeps,
  { draft, runnable }: Source,
  { intent }: ExecuteInput,
  { traceId }: CallContext,
): Promise<string | null> {
  if (draft !== undefined) return draft;
  if (runnable.capability !== undefined || runnable.kind === "workflow") return null;
  try {
    return await drafts.leave(runnable.source, intent);
  } catch (error) {
    log.warn("drafts.leave.failed", { traceId, error });
    return null;
  }
}

/** A name that cannot be taken is told before anything runs. */
async function checkSaveAs(
  { save_as: name, code }: ExecuteInput,
  deps: ExecuteDeps,
  { view }: CallContext,
): Promise<ToolResult<void>> {
  if (name === undefined) return succeed(undefined);
  if (code === undefined) {
    return fail("TOOL_INVALID_INPUT", "save_as keeps code that is given with it.", { field: "save_as" });
  }
  const checked = await checkFinalName(name, { kind: "code", source: code }, { ...deps, view }, "save_as");
  return checked.success ? succeed(undefined) : checked;
}

/** What a run is for is listed, searched, and made into names and descriptions: no secret may be in there. */
function withCleanIntent({ redactors = NO_SECRETS }: ExecuteDeps, args: ExecuteInput): ExecuteInput {
  if (args.intent === undefined) return args;
  return { ...args, intent: redactors.knowing(args.inputs).text(args.intent) };
}

/** An input that is the handle of a result is given as that result. */
async function withHandles({ traces }: ExecuteDeps, args: ExecuteInput): Promise<ToolResult<ExecuteInput>> {
  const inputs: [string, unknown][] = [];
  for (const [name, value] of Object.entries(args.inputs ?? {})) {
    const isHandle = typeof value === "string" && value.startsWith("repertoire://runs/");
    const read = isHandle ? await traces.readResult(value) : undefined;
    if (read?.success === false) return { success: false, error: { ...read.error, field: `inputs.${name}` } };
    inputs.push([name, read === undefined ? value : read.data]);
  }
  return succeed(args.inputs === undefined ? args : { ...args, inputs: Object.fromEntries(inputs) });
}
