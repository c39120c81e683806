/**
 * From text to something that can run: parsed, every name in it resolved, and its types checked. All of it happens
 * before anything runs, and a mistake is told with its place, the nearest names and the right signature.
 */
import type { CodePlace, ToolError } from "../../core/errors.ts";
import { codeNameOf } from "../../core/names.ts";
import { didYouMean } from "../../text/nearest.ts";
import { refuseNul } from "../../text/nul.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { missingFrom } from "../../text/schema-type.ts";
import { answerTypeOf, type CallContext } from "../../core/tool.ts";
import type {
  CodeAnalysis,
  CodeProblem,
  Program,
  StrayUse,
  ToolUse,
} from "../../sandbox/analysis/analysis.ts";
import { declareTools, signatureOfTool, type DeclaredTool } from "../../sandbox/types/declarations.ts";
import { CODE_BYTES_MAX, DEPTH_MAX } from "../../sandbox/runner/limits.ts";
import type { GuestFunction } from "../../sandbox/sandbox.ts";
import type { TypeCheck, TypeComplaint } from "../../sandbox/types/type-check.ts";
import { checkGranted, isCapability, type NestedCheck } from "./nested-check.ts";
import type { Bound, FoundTool, ToolDirectory } from "./tool-directory.ts";

export interface PreparedCode {
  readonly program: Program;
  /** In the order of `functions`; none for a namespace that is only named. */
  readonly tools: readonly (FoundTool | undefined)[];
  readonly functions: readonly GuestFunction[];
  readonly warnings: readonly string[];
}

export interface PrepareCodeDeps {
  readonly analysis: CodeAnalysis;
  readonly types: TypeCheck;
  readonly directory: ToolDirectory;
  /** Starts what this code needs next, where it does not run yet. */
  readonly warmNext: (code: string) => void;
  /** What the source was kept with; none for a draft. */
  readonly bound?: Bound | undefined;
  /** Checks the capabilities that the code names. Without it, only the code itself is checked. */
  readonly nested?: NestedCheck;
  /** Types of code that calls no tool are not checked: the run says as much, and nothing can go wrong before it does. */
  readonly isForRun?: boolean;
}

/** Code that may run, or everything that is wrong with it. */
export type CheckedCode =
  | { readonly ok: true; readonly prepared: PreparedCode; readonly doubts: readonly CodeDoubt[] }
  | { readonly ok: false; readonly faults: readonly CodeFault[] };

/** What is doubtful in code and stops no run. */
interface CodeDoubt {
  readonly message: string;
  /** Absent where it is about the code as a whole. */
  readonly place?: CodePlace;
}

/** One mistake in code. */
export interface CodeFault {
  /** Without the place in its message. */
  readonly error: ToolError;
  /** Absent where the code as a whole is refused. */
  readonly place?: CodePlace;
  /** The capability whose source has the mistake, where it is not this code's own. */
  readonly in?: string;
}

const NOTHING_HAS_RUN = "Nothing has run. Correct the call and execute again.";

/** A tool as the code writes its name. */
interface NamedTool {
  readonly use: ToolUse;
  readonly found: FoundTool;
}

/** Code that may run, or one error that tells all that is wrong with it. */
export async function prepareCode(
  deps: PrepareCodeDeps,
  code: string,
  path: readonly string[],
  context: CallContext,
): Promise<ToolResult<PreparedCode>> {
  const checked = await checkCode(deps, code, path, context);
  return checked.ok ? succeed(checked.prepared) : refuse(checked.faults);
}

export async function checkCode(
  deps: PrepareCodeDeps,
  code: string,
  path: readonly string[],
  context: CallContext,
): Promise<CheckedCode> {
  const refused = [checkBeforeReading(code, path), checkGranted(path, context)].find((one) => !one.success);
  if (refused?.success === false) return { ok: false, faults: [{ error: refused.error }] };
  // While it is read and its names are looked up, what it needs next starts.
  deps.warmNext(code);
  const analysis = await deps.analysis.analyse(code);
  if (analysis.kind === "refused") return { ok: false, faults: analysis.problems.map(unreadable) };
  const { program } = analysis;
  // What only capabilities may use is there for them.
  const inside = { ...context, path };
  const { tools, misses } = await resolve(deps, program, inside);
  const strays = await findStrayCalls(deps.directory, program, inside);
  const faults = [...misses, ...strays, ...findCycles(tools, path), ...findMissing(program, tools)];
  // Types say nothing more about code whose names do not resolve.
  const types = faults.length === 0 ? await checkTypes(deps, program, tools) : NO_COMPLAINTS;
  const nested = await checkCapabilities(deps, tools, path, inside);
  const all = [...faults, ...types.faults, ...nested].sort(byPlace);
  if (all.length > 0) return { ok: false, faults: all };
  const warnings = types.doubts.map(({ message, place }) =>
    place === undefined ? message : withPlace(message, place),
  );
  return {
    ok: true,
    prepared: { program, ...grant(program, tools), warnings },
    doubts: types.doubts,
  };
}

/** Refuses code for what is known before it is read. */
function checkBeforeReading(code: string, path: readonly string[]): ToolResult<void> {
  const bytes = Buffer.byteLength(code);
  if (bytes > CODE_BYTES_MAX) {
    const message = `The code has ${bytes} bytes; the limit is ${CODE_BYTES_MAX}.`;
    return fail("TOOL_INVALID_INPUT", message, { field: "code", hint: "Pass data through inputs instead." });
  }
  if (code.trim() === "") {
    const hint = "Write TypeScript that calls tools as await mcp.server.tool({…}) and returns a value.";
    return fail("TOOL_INVALID_INPUT", "The code is empty.", { reason: "empty", field: "code", hint });
  }
  const refused = refuseNul(code, "The code", "code");
  if (refused !== undefined) return refused;
  if (path.length <= DEPTH_MAX) return succeed(undefined);
  const message = `Capabilities may call each other ${DEPTH_MAX} deep; this is deeper: ${path.map(nameInPath).join(" → ")}.`;
  return fail("TOOL_INVALID_INPUT", message, { reason: "depth_limit" });
}

/**
 * One error for all mistakes: what is forbidden, else the first, gives its details; the message has a line for each.
 */
function refuse(faults: readonly CodeFault[]): ToolResult<never> {
  const { error, place } = faults.find((fault) => fault.error.code === "SECURITY_ERROR") ?? faults[0]!;
  const message = faults.map(faultText).join("\n");
  return { success: false, error: { ...error, message, ...(place !== undefined && { place }) } };
}

function faultText({ error, place, in: source }: CodeFault): string {
  const message = source === undefined ? error.message : `In ${source}, ${error.message}`;
  return place === undefined ? message : withPlace(message, place);
}

function byPlace(a: CodeFault, b: CodeFault): number {
  return (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0);
}

function unreadable({ message, reason, hint, ...place }: CodeProblem): CodeFault {
  const { error } = fail("TOOL_INVALID_INPUT", message, {
    reason,
    field: "code",
    ...(hint !== undefined && { hint }),
  });
  return { error, place: placeOf(place) };
}

interface Resolved {
  readonly tools: readonly NamedTool[];
  readonly misses: readonly CodeFault[];
}

/** Looks up every name, all at once, so that all misses are told together. */
async function resolve(
  { directory, bound }: PrepareCodeDeps,
  { uses, namespaces }: Program,
  context: CallContext,
): Promise<Resolved> {
  const distinct = uses.filter((use, at) => uses.findIndex((other) => isSameTool(use, other)) === at);
  const found = await Promise.all(
    distinct.map(async (use) => ({
      use,
      result: await directory.find(use.namespace, use.tool, context, bound),
    })),
  );
  const spaces = await Promise.all(
    namespaces.map(async (use) => ({ use, result: await directory.findNamespace(use.namespace, context) })),
  );
  return {
    tools: found.flatMap(({ use, result }) => (result.success ? [{ use, found: result.data }] : [])),
    misses: await Promise.all(
      [...found, ...spaces].flatMap(({ use, result }) =>
        result.success ? [] : [missOf(directory, use, result.error, context)],
      ),
    ),
  };
}

/**
 * A name that leads nowhere; or one of a tool that is written in another way, as in `mcp.notes__list` or
 * `mcp.callTool("notes__list")`.
 */
async function missOf(
  directory: ToolDirectory,
  use: CodePlace & { readonly namespace: string; readonly tool?: string; readonly given?: string },
  error: ToolError,
  context: CallContext,
): Promise<CodeFault> {
  const place = placeOf(use);
  if (error.code !== "TOOL_NOT_FOUND") return { error, place };
  const { namespace, tool, given } = use;
  const texts = [given, tool === undefined ? namespace : tool.includes("__") ? tool : undefined];
  for (const text of texts) {
    const names = text === undefined ? [] : await directory.respell(text, context);
    if (names.length > 0) return { error: notThroughMcp(names), place };
  }
  const near = error.nearest ?? [];
  // The tool may be there, and only the server be another: one that is near, or any where none is.
  const found = tool === undefined ? [] : await directory.respell(tool, context);
  const meant = found.filter((name) => near.length === 0 || near.some((space) => name.startsWith(space)));
  if (meant.length === 0 || near.some((name) => meant.includes(name))) return { error, place };
  const message = `There is no mcp.${namespace}.${tool}.${didYouMean(meant)}`;
  return { error: { ...error, message, nearest: meant }, place };
}

/** What other programs call their way to a tool; code has no such function. */
const CALLERS = /(?:^|\.)(?:callTool|call_tool|invokeTool|invoke_tool|useTool|use_mcp_tool)$|^tools\.call$/;

/** Calls that lead nowhere because they do not go through `mcp`, each with the name that does. */
async function findStrayCalls(
  directory: ToolDirectory,
  { strays }: Program,
  context: CallContext,
): Promise<CodeFault[]> {
  const faults = await Promise.all(strays.map((stray) => strayFault(directory, stray, context)));
  return faults.filter((fault) => fault !== undefined);
}

async function strayFault(
  directory: ToolDirectory,
  { written, given, ...at }: StrayUse,
  context: CallContext,
): Promise<CodeFault | undefined> {
  const place = placeOf(at);
  const isCaller = CALLERS.test(written);
  const names = await directory.respell(isCaller ? (given ?? "") : written, context);
  if (names.length > 0 || isCaller) return { error: notThroughMcp(names), place };
  const [namespace, tool, ...others] = written.split(".") as [string, ...string[]];
  if (tool === undefined || others.length > 0) return undefined;
  if (!(await directory.findNamespace(namespace, context)).success) return undefined;
  const found = await directory.find(namespace, tool, context);
  return found.success ? undefined : { error: found.error, place };
}

function notThroughMcp(names: readonly string[]): ToolError {
  const calls = names.length === 0 ? ["mcp.<server>.<tool>"] : names;
  const message = `Code calls tools through mcp: await ${calls.map((name) => `${name}({ … })`).join(" or await ")}.`;
  const details = { reason: "unknown_tool", field: "code", nearest: names, hint: NOTHING_HAS_RUN };
  return fail("TOOL_NOT_FOUND", message, details).error;
}

function isSameTool(a: ToolUse, b: ToolUse): boolean {
  return a.namespace === b.namespace && a.tool === b.tool;
}

function findCycles(tools: readonly NamedTool[], path: readonly string[]): CodeFault[] {
  const back = tools.filter(({ found }) => path.includes(found.name));
  return back.map(({ use, found }) => {
    const way = [...path.slice(path.indexOf(found.name)), found.name].map(nameInPath).join(" → ");
    const message = `A capability may not call itself: ${way}.`;
    return { error: fail("TOOL_INVALID_INPUT", message, { reason: "cycle" }).error, place: placeOf(use) };
  });
}

interface Complaints {
  readonly faults: readonly CodeFault[];
  readonly doubts: readonly CodeDoubt[];
}

const NO_COMPLAINTS: Complaints = { faults: [], doubts: [] };

/** A capability that would be refused as soon as the code calls it is told before anything runs. */
async function checkCapabilities(
  { nested }: PrepareCodeDeps,
  tools: readonly NamedTool[],
  path: readonly string[],
  context: CallContext,
): Promise<CodeFault[]> {
  if (nested === undefined) return [];
  const faults: CodeFault[] = [];
  for (const { use, found } of tools) {
    if (!isCapability(found.name) || path.includes(found.name) || nested.isDone(found.name)) continue;
    const { problems } = await nested.checkTool(found.name, path, context);
    faults.push(...problems.map((problem) => ({ ...problem, place: placeOf(use) })));
  }
  return faults;
}

/** `math:sum` for `mcp__math__sum`. */
function nameInPath(exposed: string): string {
  const { namespace, tool } = codeNameOf(exposed);
  return `${namespace}:${tool}`;
}

/** A call that is written out without something that the tool requires cannot be right. */
function findMissing(program: Program, tools: readonly NamedTool[]): CodeFault[] {
  const byKey = new Map(tools.map((tool) => [keyOf(tool.use), tool]));
  return program.uses.flatMap((use) => {
    const tool = byKey.get(keyOf(use));
    if (tool === undefined || use.keys === undefined) return [];
    const names = missingFrom(tool.found.definition.inputSchema, use.keys);
    if (names.length === 0) return [];
    const signature = signatureOfTool(declarationOf(tool));
    const message = `${names.join(", ")} ${names.length === 1 ? "is" : "are"} missing. It is ${signature}.`;
    const details = { reason: "missing_argument", field: "code", signature, hint: NOTHING_HAS_RUN };
    return [{ error: fail("TOOL_INVALID_INPUT", message, details).error, place: placeOf(use) }];
  });
}

async function checkTypes(
  { types, isForRun = false }: PrepareCodeDeps,
  program: Program,
  tools: readonly NamedTool[],
): Promise<Complaints> {
  if (isForRun && tools.length === 0) return NO_COMPLAINTS;
  const declared = new Map(tools.map((tool) => [keyOf(tool.use), declarationOf(tool)]));
  const calls = program.uses.flatMap((use) =>
    use.call === undefined ? [] : [{ ...use.call, signature: signatureOfTool(declared.get(keyOf(use))!) }],
  );
  const verdict = await types.check({
    checked: program.checked,
    declarations: declareTools([...declared.values()]),
    calls,
  });
  if (verdict.kind === "unchecked") return { faults: [], doubts: [{ message: verdict.reason }] };
  const errors = verdict.complaints.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return { faults: errors.map(typeFault), doubts: [] };
  const doubts = verdict.complaints.map((one) => ({ message: complaintText(one), place: placeOf(one) }));
  return { faults: [], doubts };
}

function typeFault(complaint: TypeComplaint): CodeFault {
  const { signature } = complaint;
  const { error } = fail("TOOL_INVALID_INPUT", complaintText(complaint), {
    reason: "type_error",
    field: "code",
    ...(signature !== undefined && { signature }),
    hint: NOTHING_HAS_RUN,
  });
  return { error, place: placeOf(complaint) };
}

function complaintText({ message, signature }: TypeComplaint): string {
  return signature === undefined ? message : `${message} It is ${signature}.`;
}

function declarationOf({ use, found: { definition } }: NamedTool): DeclaredTool {
  const { inputSchema, description } = definition;
  return {
    namespace: use.namespace,
    tool: use.tool,
    inputSchema,
    outputSchema: answerTypeOf(definition),
    description,
  };
}

/** What the guest may see: the tools that it names, as it names them, and the namespaces that it only looks at. */
function grant(program: Program, tools: readonly NamedTool[]): Pick<PreparedCode, "tools" | "functions"> {
  const empty = new Set(program.namespaces.map(({ namespace }) => namespace));
  return {
    tools: [...tools.map(({ found }) => found), ...[...empty].map(() => undefined)],
    functions: [
      ...tools.map(({ use }) => ({ namespace: use.namespace, name: use.tool })),
      ...[...empty].map((namespace) => ({ namespace, name: null })),
    ],
  };
}

function keyOf({ namespace, tool }: ToolUse): string {
  return JSON.stringify([namespace, tool]);
}

function withPlace(message: string, { line, column, text }: CodePlace): string {
  return `Line ${line}, column ${column}: ${message}${text === "" ? "" : ` [${text}]`}`;
}

function placeOf({ line, column, text }: CodePlace): CodePlace {
  return { line, column, text };
}
