/**
 * The one validator, for draft, save and execute; it tells all problems at once.
 *
 * It has two halves, because looking up node types is asynchronous and someone else's: `readWorkflow` makes a workflow
 * of the text, and `validateWorkflow` checks it against what was found of its types. Both are pure and never throw.
 */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { didYouMean } from "../text/nearest.ts";
import { quote } from "../text/quote.ts";
import { checkTemplates } from "./check-templates.ts";
import { NO_FINDINGS, type NodeFindings } from "./node-finding.ts";
import type { KnownNodeType } from "./node-type.ts";
import { createPlan, type Plan } from "./plan.ts";
import { arrangeProblems, createProblems, type Problems, type WorkflowProblem } from "./problem.ts";
import type { ReadWorkflow, WorkflowSource } from "./read-workflow.ts";
import type { Workflow, WorkflowNode } from "./workflow.ts";
import { missingFrom, typeText } from "../text/schema-type.ts";
import { SHOWN } from "../text/type-style.ts";
import { cut } from "../text/cut.ts";
import { judgeUndeclared, memberSchema, membersOfSchema, type Members } from "./declared-members.ts";
import { listNames } from "./declared-name.ts";
import { kindOf } from "./object-reader.ts";
import type { Path } from "./place.ts";
import { fillTemplates } from "./template.ts";
import { isOfType } from "./value-type.ts";

export type { KnownNodeType } from "./node-type.ts";
export type { WorkflowProblem } from "./problem.ts";
export { readWorkflow, type ReadWorkflow } from "./read-workflow.ts";
export { nodeTypesOf } from "./workflow.ts";

/** More would not be read. */
const SHOWN_CYCLE_LENGTH_MAX = 20;
/** A longer type is looked up, not read in a sentence. */
const TYPE_LENGTH_MAX = 120;

type Known = Extract<KnownNodeType, { kind: "known" }>;

export type ValidatedWorkflow =
  | {
      readonly ok: true;
      readonly workflow: Workflow;
      readonly plan: Plan;
      /** The inputs that templates use, sorted. */
      readonly templateInputs: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly WorkflowProblem[] };

/**
 * Checks what was read against what is known of the node types that it names, and tells what was found in its nodes
 * with it.
 */
export function validateWorkflow(
  read: ReadWorkflow,
  types: ReadonlyMap<string, KnownNodeType>,
  inNodes: NodeFindings = NO_FINDINGS,
): ValidatedWorkflow {
  if (read.kind === "unreadable") return { ok: false, problems: read.problems };
  const { workflow, source } = read;
  const problems = createProblems(source.locate);
  for (const node of workflow.nodes) {
    const countBefore = problems.count();
    checkNode(node, types.get(node.type), source, problems);
    addFindings(node, inNodes, source, problems, problems.count() > countBefore);
  }
  const { reads, templateInputs } = checkTemplates(workflow, source, types, problems);
  const planned = createPlan(workflow, reads);
  if (!planned.ok) for (const cycle of planned.cycles) addCycle(cycle, source, problems);
  const found = arrangeProblems([...read.problems, ...problems.list()]);
  if (found.length > 0 || !planned.ok) return { ok: false, problems: found };
  return { ok: true, workflow, plan: planned.plan, templateInputs };
}

function checkNode(
  node: WorkflowNode,
  type: KnownNodeType | undefined,
  source: WorkflowSource,
  problems: Problems,
): void {
  const path = ["nodes", source.nodeIndexes.get(node.id)!];
  if (type?.kind === "known") {
    checkParams(node, type, [...path, "params"], problems);
    return;
  }
  const message = type?.message ?? `the node type ${quote(node.type)} is not known.`;
  const names = `Name a tool, a capability or a built-in node type.${didYouMean(type?.nearest ?? [])}`;
  const fix = type?.hint ?? names;
  problems.add(
    [...path, "type"],
    message,
    fix,
    "value",
    type?.isDenied === true ? { denied: node.type } : {},
  );
}

/** A parameter that is told to be wrong already is not told again in the words of the schema. */
function addFindings(
  node: WorkflowNode,
  { findings, workflowInputs }: NodeFindings,
  source: WorkflowSource,
  problems: Problems,
  isTold: boolean,
): void {
  const path = ["nodes", source.nodeIndexes.get(node.id)!];
  for (const finding of findings.get(node.id) ?? []) {
    if (isTold && finding.isBySchema === true) continue;
    const { message, fix, details } = finding;
    problems.add([...path, ...finding.path], message, fix, "value", { node: node.id, ...details });
  }
  const inner = workflowInputs.get(node.id);
  const given = node.params["inputs"] ?? {};
  if (inner === undefined || !isJsonObject(given)) return;
  const type = { kind: "known" as const, inputSchema: inner.inputSchema, rawParams: [] };
  checkParams({ ...node, type: inner.name, params: given }, type, [...path, "params", "inputs"], problems);
}

function addCycle(cycle: readonly string[], source: WorkflowSource, problems: Problems): void {
  const shown =
    cycle.length <= SHOWN_CYCLE_LENGTH_MAX
      ? cycle
      : [...cycle.slice(0, SHOWN_CYCLE_LENGTH_MAX - 2), "…", cycle.at(-1)!];
  const message = `these nodes wait for each other: ${shown.join(" → ")}.`;
  const fix = `Remove the edge or the template by which ${cycle[0]} waits for ${cycle.at(-2)}.`;
  problems.add(["nodes", source.nodeIndexes.get(cycle[0]!)!], message, fix);
}

/**
 * The parameters of a node against the schema of its type: names, and the types of what has no template. `path` is that
 * of the parameters.
 */
function checkParams(node: WorkflowNode, type: Known, path: Path, problems: Problems): void {
  const members = membersOfSchema(type.inputSchema);
  const given = Object.keys(node.params);
  for (const name of missingFrom(type.inputSchema, given)) {
    const fix = `Add ${quote(name)}: ${shownType(memberSchema(members, name))} to its params.`;
    problems.add([...path, name], `${node.type} needs the parameter ${quote(name)}.`, fix);
  }
  checkOneOf(node, type.inputSchema, path, problems);
  for (const name of given.filter((one) => memberSchema(members, one) !== undefined)) {
    const value = literalOf(node.params[name]!, type.rawParams.includes(name));
    const schema = memberSchema(members, name);
    if (isJsonObject(schema)) checkLiteral(value, schema, [...path, name], problems);
  }
  checkUndeclared(node, members, path, problems);
}

/** A declared name that is given too was not meant by another. */
function checkUndeclared(node: WorkflowNode, members: Members, path: Path, problems: Problems): void {
  const declared = Object.keys(members.properties);
  const free = declared.filter((name) => !Object.hasOwn(node.params, name));
  for (const name of Object.keys(node.params)) {
    if (memberSchema(members, name) !== undefined) continue;
    const { isWrong, near } = judgeUndeclared(name, members.isClosed, free, problems);
    if (!isWrong) continue;
    const instead = didYouMean(near) || ` ${node.type} takes ${listNames(declared)}.`;
    const message = `${node.type} has no parameter ${quote(name)}.`;
    problems.add([...path, name], message, `Remove it or correct its name.${instead}`, "key");
  }
}

/** Alternatives that only name what they require, as in "either `ms` or `until`". */
function checkOneOf(node: WorkflowNode, schema: JsonObject, path: Path, problems: Problems): void {
  const alternatives = requiredAlternatives(schema);
  if (alternatives.length === 0) return;
  const names = listNames(alternatives.map((required) => required.join(" with ")));
  const met = alternatives.filter((required) => required.every((name) => Object.hasOwn(node.params, name)));
  if (met.length === 0) {
    problems.add(path, `${node.type} needs one of ${names}.`, `Add one of ${names} to its params.`);
  } else if (met.length > 1) {
    problems.add(path, `${node.type} takes only one of ${names}.`, `Keep one of ${names}.`);
  }
}

function requiredAlternatives(schema: JsonObject): string[][] {
  const { oneOf } = schema;
  if (!Array.isArray(oneOf)) return [];
  const alternatives = (oneOf as readonly Json[]).map((branch) => {
    const required =
      isJsonObject(branch) && Object.keys(branch).length === 1 ? branch["required"] : undefined;
    return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  });
  return alternatives.every((required) => required.length > 0) ? alternatives : [];
}

/** What the tool will be given, where that is known: undefined for a value with templates. */
function literalOf(value: Json, isRaw: boolean): Json | undefined {
  if (isRaw) return value;
  const filled = fillTemplates(value, "", new Map());
  return filled.ok ? filled.value : undefined;
}

function checkLiteral(value: Json | undefined, schema: JsonObject, path: Path, problems: Problems): void {
  if (value === undefined || (value === null && schema["nullable"] === true)) return;
  const types = [schema["type"]].flat().filter((type) => typeof type === "string");
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    const message = `must be of type ${listNames(types)}, and is ${kindOf(value)}.`;
    problems.add(path, message, `Write a value of type ${shownType(schema)}, or a template that gives one.`);
    return;
  }
  const allowed = schema["enum"];
  const isScalar = value === null || typeof value !== "object";
  if (!isScalar || !Array.isArray(allowed) || allowed.includes(value)) return;
  const texts = allowed.filter((one) => typeof one === "string");
  const meant = typeof value === "string" ? didYouMean(problems.near(value, texts)) : "";
  const choices = listNames(allowed.map((one) => JSON.stringify(one)));
  problems.add(path, "is none of the allowed values.", `Write one of ${choices}.${meant}`);
}

function shownType(schema: Json | undefined): string {
  return cut(typeText(schema, SHOWN), TYPE_LENGTH_MAX);
}
