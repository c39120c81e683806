/** Workflows for tests: written as values, read as text, validated against a few node types. */
import type { Json, JsonObject } from "../core/json.ts";
import { CONTROL_NODES } from "./control-nodes.ts";
import type { Plan } from "./plan.ts";
import {
  nodeTypesOf,
  readWorkflow,
  validateWorkflow,
  type KnownNodeType,
  type ValidatedWorkflow,
  type WorkflowProblem,
} from "./validate.ts";
import type { Workflow } from "./workflow.ts";

const ANYTHING: KnownNodeType = { kind: "known", inputSchema: { type: "object" }, rawParams: [] };

const FETCH: KnownNodeType = {
  kind: "known",
  inputSchema: {
    type: "object",
    properties: {
      url: { type: "string" },
      method: { enum: ["GET", "POST"] },
      limit: { type: ["integer", "null"] },
      verbose: { type: "boolean", default: false },
    },
    required: ["url", "verbose"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: { status: { type: "integer" }, body: {} },
    additionalProperties: false,
  },
  rawParams: [],
};

const OPEN: KnownNodeType = {
  kind: "known",
  inputSchema: { type: "object", properties: { channel: { type: "string" } } },
  outputSchema: { type: "object", properties: { message: {} } },
  rawParams: [],
};

const TYPES: ReadonlyMap<string, KnownNodeType> = new Map([
  ["t", ANYTHING],
  ["fetch", FETCH],
  ["open", OPEN],
  ...CONTROL_NODES.map(({ definition, rawParams }): [string, KnownNodeType] => [
    definition.name,
    { kind: "known", inputSchema: definition.inputSchema, outputSchema: definition.outputSchema!, rawParams },
  ]),
]);

/** What a look-up of these names would return. */
function typesFor(workflow: Workflow): ReadonlyMap<string, KnownNodeType> {
  const missing: KnownNodeType = {
    kind: "missing",
    message: "there is no such node type.",
    nearest: ["fetch"],
  };
  return new Map(nodeTypesOf(workflow).map((name) => [name, TYPES.get(name) ?? missing]));
}

export function validateText(text: string): ValidatedWorkflow {
  const read = readWorkflow(text);
  return validateWorkflow(read, read.kind === "read" ? typesFor(read.workflow) : new Map());
}

/** The text of a workflow whose other parts are these. */
export function textOf(parts: JsonObject): string {
  return JSON.stringify({ ir_version: "1.0", nodes: [{ id: "a", type: "t" }], ...parts });
}

export function problemsOf(parts: JsonObject): readonly WorkflowProblem[] {
  const validated = validateText(textOf(parts));
  return validated.ok ? [] : validated.problems;
}

/** Nodes of the type that takes anything. */
export function nodesOf(params: Readonly<Record<string, JsonObject>>): Json[] {
  return Object.entries(params).map(([id, given]) => ({ id, type: "t", params: given }));
}

export function requireValid(parts: JsonObject): {
  workflow: Workflow;
  plan: Plan;
  templateInputs: readonly string[];
} {
  const validated = validateText(textOf(parts));
  if (!validated.ok) throw new Error(JSON.stringify(validated.problems));
  return validated;
}
