/**
 * A workflow as it is executed: the checked form of its JSON text, with every default filled in.
 *
 * Names that come from the text are keys of maps and never of plain objects, so that no name can reach a prototype.
 */
import type { Json, JsonObject } from "../core/json.ts";

export const IR_VERSION = "1.0";

/** A person still reads a drawing of this many; a longer process is several workflows. */
export const NODE_COUNT_MAX = 200;
/** Five for each node. Order that comes from templates needs none. */
export const EDGE_COUNT_MAX = 1_000;
/** The form that asks for them, and the arguments of the tool that a workflow becomes, stay readable. */
export const INPUT_COUNT_MAX = 64;
export const OUTPUT_COUNT_MAX = 64;
/** Far above any workflow of the largest size; what is larger holds data, and data belongs in a file or an input. */
export const TEXT_BYTES_MAX = 256 * 1024;
/** Each item is a journalled call. The executor checks it again, because a template may give any list. */
export const BATCH_ITEM_COUNT_MAX = 1_000;
/** Servers are used by others too, and few answer more at a time. */
export const BATCH_CONCURRENCY_MAX = 16;
const BATCH_CONCURRENCY_DEFAULT = 4;
/** With the longest delay these take 50 minutes; what fails that long is not cured by waiting. */
export const RETRY_COUNT_MAX = 10;
export const RETRY_DELAY_MS_MAX = 60_000;
export const RETRY_LONGEST_DELAY_MS_MAX = 300_000;

export const BATCH_DEFAULTS = { concurrency: BATCH_CONCURRENCY_DEFAULT, onError: "fail" } as const;
export const RETRY_DEFAULTS = { delayMs: 1_000, maxDelayMs: 30_000 } as const;

export const INPUT_TYPES = ["string", "number", "integer", "boolean", "object", "array", "any"] as const;
type InputType = (typeof INPUT_TYPES)[number];

export interface Workflow {
  readonly irVersion: typeof IR_VERSION;
  /** Empty where none was given. */
  readonly description: string;
  readonly inputs: ReadonlyMap<string, WorkflowInput>;
  readonly outputs: ReadonlyMap<string, WorkflowOutput>;
  /** In the order of the text. */
  readonly nodes: readonly WorkflowNode[];
  /** Each once, with the routes that `on_error` names as edges of action `error`. */
  readonly edges: readonly WorkflowEdge[];
}

export interface WorkflowInput {
  readonly type: InputType;
  readonly isRequired: boolean;
  readonly default?: Json;
  readonly description: string;
  /** Its value is never stored. */
  readonly isSensitive: boolean;
}

export interface WorkflowOutput {
  /** One template and nothing else. */
  readonly source: string;
  readonly description: string;
}

export interface WorkflowNode {
  readonly id: string;
  readonly type: string;
  /** As written, with templates. */
  readonly params: JsonObject;
  readonly batch?: Batch;
  readonly retry?: Retry;
  /** With `route` the edges of action `error` say where to. */
  readonly onError: "fail" | "continue" | "route";
  readonly approval?: { readonly message?: string };
}

export interface Batch {
  /** One template, or a list that may hold templates. */
  readonly items: string | readonly Json[];
  readonly concurrency: number;
  readonly onError: "fail" | "continue";
}

export interface Retry {
  /** How many further attempts. */
  readonly max: number;
  readonly delayMs: number;
  readonly maxDelayMs: number;
}

export interface WorkflowEdge {
  readonly from: string;
  readonly to: string;
  /** `error`: `to` runs only when `from` failed. */
  readonly action: "success" | "error";
}

/** The types that the workflow's nodes name, each once. */
export function nodeTypesOf(workflow: Workflow): readonly string[] {
  return [...new Set(workflow.nodes.map((node) => node.type))];
}

/** What a caller may give, as the schema of a tool's arguments. */
export function inputSchemaOf(workflow: Workflow): JsonObject {
  const inputs = [...workflow.inputs];
  const required = inputs.filter(([, input]) => input.isRequired).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(inputs.map(([name, input]) => [name, schemaOfInput(input)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function schemaOfInput(input: WorkflowInput): JsonObject {
  return {
    ...(input.type === "any" ? {} : { type: input.type }),
    ...(input.description === "" ? {} : { description: input.description }),
    ...(input.default === undefined ? {} : { default: input.default }),
    ...(input.isSensitive ? { writeOnly: true } : {}),
  };
}

/** The names of what comes out. Their types are those of the nodes, and no node promises them. */
export function outputSchemaOf(workflow: Workflow): JsonObject {
  const properties = [...workflow.outputs].map(([name, { description }]): [string, JsonObject] => [
    name,
    description === "" ? {} : { description },
  ]);
  return { type: "object", properties: Object.fromEntries(properties) };
}
