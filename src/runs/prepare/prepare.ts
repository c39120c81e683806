/**
 * The whole of what would run, checked before the first effect: a source, the code in its nodes, and everything that it
 * starts by name, down to the depth at which a run would stop.
 *
 * One preparation checks each named source once, and again only where it lies deeper than before, because then it may
 * be too deep. It goes one source after the other: a source that is being checked lies on the path, so a cycle is found
 * and never waited for. Drafts are read fresh by the run, so it prepares each source again when it starts it; what was
 * read and checked before is in the caches of the analysis and of the type check.
 */
import type { ToolResult } from "../../core/result.ts";
import type { Step } from "../../core/store.ts";
import type { CallContext } from "../../core/tool.ts";
import { pathNameOf, type RunSource } from "../run.ts";
import { isNodeKey, labelOf } from "../workflow/labels.ts";
import {
  cycleError,
  titleOf,
  type NestedProblem,
  type NestedCheck,
  type CheckedNested,
} from "./nested-check.ts";
import {
  checkCode,
  prepareCode,
  type CheckedCode,
  type CodeFault,
  type PreparedCode,
  type PrepareCodeDeps,
} from "./prepare-code.ts";
import {
  checkWorkflow,
  prepareWorkflow,
  problemText,
  type PreparedWorkflow,
  type PrepareWorkflowDeps,
  type RefusedWorkflow,
} from "./prepare-workflow.ts";
import type { Bound } from "./tool-directory.ts";

export type PrepareDeps = Omit<PrepareCodeDeps & PrepareWorkflowDeps, "below" | "bound" | "isForRun"> & {
  readonly findSource: (name: string, context: CallContext) => Promise<ToolResult<RunSource>>;
};

/** Labels of nodes, and tools called in code, that a run which goes on has done already. */
export type DoneSteps = ReadonlySet<string>;

export function doneSteps(steps: readonly Step[]): DoneSteps {
  const done = steps.filter(({ status }) => status === "succeeded");
  return new Set(done.map(({ key, tool }) => (isNodeKey(key) ? labelOf(key) : tool)));
}

interface WholeCode extends Pick<PrepareCodeDeps, "isForRun"> {
  /** The tools that it was saved with. */
  readonly bound?: Bound;
  /** What a run that is resumed has done already. */
  readonly done?: DoneSteps;
}

export function prepareWholeCode(
  deps: PrepareDeps,
  code: string,
  path: readonly string[],
  context: CallContext,
  { bound, done, isForRun }: WholeCode = {},
): Promise<ToolResult<PreparedCode>> {
  const nested = createNestedCheck(deps, done);
  return prepareCode({ ...deps, bound, nested, isForRun: isForRun === true }, code, path, context);
}

/** The same with each mistake by itself. */
export function checkWholeCode(
  deps: PrepareDeps,
  code: string,
  path: readonly string[],
  context: CallContext,
): Promise<CheckedCode> {
  return checkCode({ ...deps, bound: undefined, nested: createNestedCheck(deps) }, code, path, context);
}

export function prepareWholeWorkflow(
  deps: PrepareDeps,
  text: string,
  path: readonly string[],
  context: CallContext,
  { bound, done }: { readonly bound?: Bound; readonly done?: DoneSteps } = {},
): Promise<ToolResult<PreparedWorkflow>> {
  return prepareWorkflow({ ...deps, bound, nested: createNestedCheck(deps, done) }, text, path, context);
}

function createNestedCheck(deps: PrepareDeps, done: DoneSteps = new Set()): NestedCheck {
  const checked = new Map<string, { readonly depth: number; readonly result: CheckedNested }>();
  // What lies below something that is started now is not what the run had done.
  const nested: NestedCheck = { checkNamed, checkTool, isDone: () => false };
  return { ...nested, isDone: (label) => done.has(label) };

  async function checkNamed(name: string, path: readonly string[], context: CallContext) {
    const found = await deps.findSource(name, context);
    return found.success ? checkSource(found.data, path, context) : { problems: [{ error: found.error }] };
  }

  /** The registry has it; what has no source to read is left to the run. */
  async function checkTool(tool: string, path: readonly string[], context: CallContext) {
    const found = await deps.findSource(tool, context);
    return found.success ? checkSource(found.data, path, context) : { problems: [] };
  }

  async function checkSource(
    source: RunSource,
    path: readonly string[],
    context: CallContext,
  ): Promise<CheckedNested> {
    const tool = pathNameOf(source) ?? "";
    if (path.includes(tool)) return { problems: [{ error: cycleError(path, tool) }] };
    const key = `${tool}@${source.capability?.version ?? "draft"}`;
    const known = checked.get(key);
    // Its mistakes were told where it was met first.
    if (known !== undefined && known.depth >= path.length) return { ...known.result, problems: [] };
    const result = await checkText(source, titleOf(tool), [...path, tool], context);
    checked.set(key, { depth: path.length, result });
    return known === undefined ? result : { ...result, problems: result.problems.filter(isDepth) };
  }

  async function checkText(
    { kind, source, uses: bound }: RunSource,
    title: string,
    path: readonly string[],
    context: CallContext,
  ): Promise<CheckedNested> {
    if (kind === "code") {
      const code = await checkCode({ ...deps, bound, nested }, source, path, context);
      return { problems: code.ok ? [] : code.faults.map((fault) => ofFault(fault, title)) };
    }
    const workflow = await checkWorkflow({ ...deps, bound, nested }, source, path, context);
    if (workflow.ok) return { problems: [], inputSchema: workflow.prepared.inputSchema };
    return { problems: ofRefusal(workflow, title) };
  }
}

function isDepth({ error }: NestedProblem): boolean {
  return error.reason === "depth_limit";
}

/** A mistake further down keeps the name of the source that has it. */
function ofFault({ error, place, in: deeper }: CodeFault, title: string): NestedProblem {
  if (deeper !== undefined || place === undefined) return { error, in: deeper ?? title };
  const message = `line ${place.line}, column ${place.column}: ${error.message}`;
  return { error: { ...error, message }, in: title };
}

function ofRefusal({ error, problems }: RefusedWorkflow, title: string): NestedProblem[] {
  if (problems.length === 0) return [{ error, in: title }];
  return problems.map((problem) => {
    const { in: deeper = title, reason } = problem;
    const { hint: _all, problems: _problems, ...told } = error;
    const message = deeper === title ? problemText(problem) : problem.message;
    return { error: { ...told, message, ...(reason !== undefined && { reason }) }, in: deeper };
  });
}
