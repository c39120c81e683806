/**
 * The node types that the executor performs itself, because they steer the run. Each is described for the authors of
 * workflows.
 */
import type { JsonObject } from "../core/json.ts";
import type { ToolAnnotations, ToolDefinition } from "../core/tool.ts";

/** A run that waits longer has been forgotten by its caller. */
export const WAIT_MS_MAX = 30 * 24 * 60 * 60 * 1_000;

interface ControlNode {
  readonly definition: ToolDefinition;
  /** Parameters that are taken as they are written. */
  readonly rawParams: readonly string[];
}

const HARMLESS: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
/** What it does is decided by what it calls. */
const UNKNOWN_REACH: ToolAnnotations = { readOnlyHint: false, openWorldHint: true };

function objectOf(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...more, additionalProperties: false };
}

const CODE: ToolDefinition = {
  name: "code",
  description:
    "Runs TypeScript in the sandbox; what the code returns is the result of the node. The code is taken as written: no template in " +
    "it is filled in, so ${…} in it is its own. Pass values in through `inputs`, where templates work.",
  inputSchema: objectOf(
    {
      code: {
        type: "string",
        minLength: 1,
        description: "TypeScript with top-level await and return; tools are await mcp.server.tool({…}).",
      },
      inputs: {
        type: "object",
        description: 'What the code sees as `args`, such as {"rows": "${fetch.rows}"}.',
      },
    },
    { required: ["code"] },
  ),
  annotations: UNKNOWN_REACH,
};

const WORKFLOW: ToolDefinition = {
  name: "workflow",
  description:
    "Runs another workflow as one node; its outputs are the result of the node. A workflow cannot call itself.",
  inputSchema: objectOf(
    {
      name: { type: "string", minLength: 1, description: "The name of a draft or of a kept workflow." },
      inputs: { type: "object", description: "The inputs of that workflow, by name." },
    },
    { required: ["name"] },
  ),
  annotations: UNKNOWN_REACH,
};

const WAIT: ToolDefinition = {
  name: "wait",
  description: "Waits before the nodes after it run. Give either `ms` or `until`.",
  inputSchema: objectOf(
    {
      ms: {
        type: "integer",
        minimum: 0,
        maximum: WAIT_MS_MAX,
        description: "How long, in milliseconds; at most 30 days.",
      },
      until: {
        type: "string",
        format: "date-time",
        description: "When to go on, as an ISO 8601 time with its zone, such as 2030-01-31T08:00:00Z.",
      },
    },
    { oneOf: [{ required: ["ms"] }, { required: ["until"] }] },
  ),
  annotations: HARMLESS,
};

const APPROVE: ToolDefinition = {
  name: "approve",
  description:
    "Stops until a person approves; if the person refuses, the node fails. Use it before what cannot be undone. To guard a single " +
    'node, "approval": true on that node is shorter.',
  inputSchema: objectOf(
    {
      message: { type: "string", minLength: 1, description: "What the person is asked." },
      details: { description: "Anything that helps to decide; it is shown below the message." },
    },
    { required: ["message"] },
  ),
  outputSchema: objectOf(
    {
      approved: { const: true, description: "Always true: a refusal is a failure." },
      by: { type: "string", description: "Who approved." },
      at: { type: "string", format: "date-time", description: "When." },
    },
    { required: ["approved", "by", "at"] },
  ),
  annotations: HARMLESS,
};

/** Every control node; code alone has a parameter that is full of braces of its own. */
export const CONTROL_NODES: readonly ControlNode[] = [
  { definition: CODE, rawParams: ["code"] },
  { definition: WORKFLOW, rawParams: [] },
  { definition: WAIT, rawParams: [] },
  { definition: APPROVE, rawParams: [] },
];
