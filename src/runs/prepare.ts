/**
 * From text to something that can run: parsed, every name in it resolved, and its types checked. All of it happens before
 * anything runs, and a mistake is told with its place, the nearest names and the right signature.
 */
import type { CodePlace } from "../core/errors.ts";
import { codeNameOf } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import { missingFrom } from "../core/schema-type.ts";
import type { CallContext } from "../core/tool.ts";
import type { CodeAnalysis, CodeProblem, Program, ToolUse } from "../sandbox/analysis.ts";
import { declareTools, signatureOfTool, type DeclaredTool } from "../sandbox/declarations.ts";
import { CODE_BYTES_MAX, DEPTH_MAX } from "../sandbox/limits.ts";
import type { GuestFunction } from "../sandbox/sandbox.ts";
import type { TypeCheck, TypeComplaint } from "../sandbox/type-check.ts";
import { checkGranted } from "./prepare-granted.ts";
import type { FoundTool, ToolDirectory } from "./tool-directory.ts";

export interface Prepared {
  readonly program: Program;
  /** In the order of `functions`; none for a namespace that is only named. */
  readonly tools: readonly (FoundTool | undefined)[];
  readonly functions: readonly GuestFunction[];
  readonly warnings: readonly string[];
}

export interface PrepareParts {
  readonly analysis: CodeAnalysis;
  readonly types: TypeCheck;
  readonly directory: ToolDirectory;
  /** Starts what runs code that can be read, where it does not run yet. */
  readonly warmNext: () => void;
}

const NOTHING_HAS_RUN = "Nothing has run. Correct the call and execute again.";

/** A tool as the code writes its name. */
interface NamedTool {
  readonly use: ToolUse;
  readonly found: FoundTool;
}

/** Refuses code for what is known before it is read. */
function checkBeforeReading(code: string, path: readonly string[]): ToolResult<void> {
  const bytes = Buffer.byteLength(code);
  if (bytes > CODE_BYTES_MAX) {
    const message = `The code has ${bytes} bytes; the limit is ${CODE_BYTES_MAX}.`;
    return fail("TOOL_INVALID_INPUT", message, { field: "code", hint: "Pass data through inputs instead." });
  }
  if (path.length <= DEPTH_MAX) return succeed(undefined);
  const message = `Capabilities may call each other ${DEPTH_MAX} deep; this is deeper: ${path.map(nameInPath).join(" → ")}.`;
  return fail("TOOL_INVALID_INPUT", message, { reason: "depth_limit" });
}

export async function prepare(
  parts: PrepareParts,
  code: string,
  path: readonly string[],
  context: CallContext,
): Promise<ToolResult<Prepared>> {
  const checked = checkBeforeReading(code, path);
  if (!checked.success) return checked;
  const granted = checkGranted(path, context);
  if (!granted.success) return granted;
  const analysis = await parts.analysis.analyse(code);
  if (analysis.kind === "refused") return refuseCode(analysis.problems);
  const { program } = analysis;
  // While its names are looked up, what the code needs next starts.
  parts.warmNext();
  // What only capabilities may use is there for them.
  const resolved = await resolve(parts.directory, program, { ...context, path });
  if (!resolved.success) return resolved;
  const cycle = findCycle(resolved.data, path);
  if (cycle !== undefined) return cycle;
  const missing = findMissing(program, resolved.data);
  if (missing !== undefined) return missing;
  const types = await checkTypes(parts.types, program, resolved.data);
  if (!types.success) return types;
  return succeed({ program, ...grant(program, resolved.data), warnings: types.data });
}

function refuseCode(problems: readonly CodeProblem[]): ToolResult<never> {
  const first = problems[0]!;
  const message = problems.map((problem) => withPlace(problem.message, problem)).join("\n");
  return fail("TOOL_INVALID_INPUT", message, {
    reason: first.reason,
    field: "code",
    place: placeOf(first),
    ...(first.hint !== undefined && { hint: first.hint }),
  });
}

/** Looks up every name, all at once, so that all misses are told together. */
async function resolve(
  directory: ToolDirectory,
  { uses, namespaces }: Program,
  context: CallContext,
): Promise<ToolResult<NamedTool[]>> {
  const distinct = uses.filter((use, at) => uses.findIndex((other) => isSameTool(use, other)) === at);
  const found = await Promise.all(
    distinct.map(async (use) => ({ use, result: await directory.find(use.namespace, use.tool, context) })),
  );
  const spaces = await Promise.all(
    namespaces.map(async (use) => ({ use, result: await directory.findNamespace(use.namespace, context) })),
  );
  const misses = [...found, ...spaces].flatMap(({ use, result }) =>
    result.success ? [] : [{ use, error: result.error }],
  );
  const [first] = misses;
  if (first === undefined) {
    return succeed(found.flatMap(({ use, result }) => (result.success ? [{ use, found: result.data }] : [])));
  }
  const message = misses.map(({ use, error }) => withPlace(error.message, use)).join("\n");
  return { success: false, error: { ...first.error, message, place: placeOf(first.use) } };
}

function isSameTool(a: ToolUse, b: ToolUse): boolean {
  return a.namespace === b.namespace && a.tool === b.tool;
}

function findCycle(tools: readonly NamedTool[], path: readonly string[]): ToolResult<never> | undefined {
  const back = tools.find(({ found }) => path.includes(found.name));
  if (back === undefined) return undefined;
  const way = [...path.slice(path.indexOf(back.found.name)), back.found.name].map(nameInPath).join(" → ");
  return fail("TOOL_INVALID_INPUT", withPlace(`A capability may not call itself: ${way}.`, back.use), {
    reason: "cycle",
    place: placeOf(back.use),
  });
}

/** `math:sum` for `mcp__math__sum`. */
function nameInPath(exposed: string): string {
  const { namespace, tool } = codeNameOf(exposed);
  return `${namespace}:${tool}`;
}

/** A call that is written out without something that the tool requires cannot be right. */
function findMissing(program: Program, tools: readonly NamedTool[]): ToolResult<never> | undefined {
  const byKey = new Map(tools.map((tool) => [keyOf(tool.use), tool]));
  const wrong = program.uses.flatMap((use) => {
    const tool = byKey.get(keyOf(use))!;
    const names = use.keys === undefined ? [] : missingFrom(tool.found.definition.inputSchema, use.keys);
    return names.length === 0 ? [] : [{ use, names, signature: signatureOfTool(declarationOf(tool)) }];
  });
  const [first] = wrong;
  if (first === undefined) return undefined;
  const message = wrong.map(({ use, names, signature }) => {
    const what = `${names.join(", ")} ${names.length === 1 ? "is" : "are"} missing`;
    return withPlace(`${what}. It is ${signature}.`, use);
  });
  return fail("TOOL_INVALID_INPUT", message.join("\n"), {
    reason: "missing_argument",
    field: "code",
    place: placeOf(first.use),
    signature: first.signature,
    hint: NOTHING_HAS_RUN,
  });
}

async function checkTypes(
  types: TypeCheck,
  program: Program,
  tools: readonly NamedTool[],
): Promise<ToolResult<readonly string[]>> {
  const declared = new Map(tools.map((tool) => [keyOf(tool.use), declarationOf(tool)]));
  const calls = program.uses.flatMap((use) =>
    use.call === undefined ? [] : [{ ...use.call, signature: signatureOfTool(declared.get(keyOf(use))!) }],
  );
  const verdict = await types.check({
    checked: program.checked,
    declarations: declareTools([...declared.values()]),
    calls,
  });
  if (verdict.kind === "unchecked") return succeed([verdict.reason]);
  const errors = verdict.complaints.filter(({ severity }) => severity === "error");
  return errors.length > 0 ? refuseTypes(errors) : succeed(verdict.complaints.map(complaintText));
}

function refuseTypes(errors: readonly TypeComplaint[]): ToolResult<never> {
  const first = errors[0]!;
  return fail("TOOL_INVALID_INPUT", errors.map(complaintText).join("\n"), {
    reason: "type_error",
    field: "code",
    place: placeOf(first),
    ...(first.signature !== undefined && { signature: first.signature }),
    hint: NOTHING_HAS_RUN,
  });
}

function complaintText({ message, signature, ...place }: TypeComplaint): string {
  return withPlace(signature === undefined ? message : `${message} It is ${signature}.`, place);
}

function declarationOf({ use, found: { definition } }: NamedTool): DeclaredTool {
  const { inputSchema, outputSchema, description } = definition;
  return {
    namespace: use.namespace,
    tool: use.tool,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(description !== undefined && { description }),
  };
}

/** What the guest may see: the tools that it names, as it names them, and the namespaces that it only looks at. */
function grant(program: Program, tools: readonly NamedTool[]): Pick<Prepared, "tools" | "functions"> {
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
