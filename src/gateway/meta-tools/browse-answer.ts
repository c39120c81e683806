/**
 * What `browse_components` tells of a component. An answer is read by a model, whole: every text in it is bounded, a
 * line where a line will do, and hits that would make it too long are left out and counted.
 */
import * as z from "zod";
import type { JsonObject } from "../../core/json.ts";
import { codeNameOf, displayNameOf, toolNameOf } from "../../core/names.ts";
import type { CurrentCapability } from "../../core/store.ts";
import type { Component, ToolDefinition, ToolView } from "../../core/tool.ts";
import { makeVisible } from "../../text/visible-text.ts";
import { signatureOf, typeOf } from "../../registry/signature.ts";
import { cut } from "../../text/cut.ts";

/** About 16,000 tokens: twenty real tools in full detail. */
export const ANSWER_BYTES_MAX = 64 * 1024;
/** A schema that leaves no room for any other hit is not shown: the signature is. */
const FULL_NODE_BYTES_MAX = 32 * 1024;
/** As long as a model needs to choose; `detail: "full"` has the rest. */
const LINE_LENGTH_MAX = 240;
const PARAMETER_LINE_LENGTH_MAX = 120;
const PARAMETERS_MAX = 60;
const TYPE_LENGTH_MAX = 300;
const SIGNATURE_LENGTH_MAX = 2_000;

/** Where a built-in node type takes the place of a server. */
export const BUILT_IN = "built_in";

const parameter = z.object({
  key: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string(),
});

export const shownNode = z.object({
  type: z.string().describe("The name to call or to use as a node's type."),
  // Where a profile calls it something else.
  tool: z.string().optional(),
  description: z.string(),
  server: z.string(),
  inputs: z.array(parameter),
  outputs: z.array(parameter),
  signature: z.string().describe("The TypeScript signature that code calls."),
  input_schema: z.looseObject({}).optional(),
  output_schema: z.looseObject({}).optional(),
});
export type ShownNode = z.output<typeof shownNode>;

export const shownWorkflow = z.object({
  name: z.string(),
  tool: z.string(),
  description: z.string(),
  signature: z.string(),
});
export type ShownWorkflow = z.output<typeof shownWorkflow>;

function showNode(component: Pick<Component, "name" | "source" | "definition">, isFull: boolean): ShownNode {
  const { name, source, definition } = component;
  const { namespace, tool } = codeNameOf(name);
  const { description = "", inputSchema, outputSchema } = definition;
  const node = {
    type: name,
    description: isFull ? description : lineOf(description, LINE_LENGTH_MAX),
    server: source,
    inputs: parametersOf(inputSchema),
    outputs: parametersOf(outputSchema ?? {}),
    signature: cutVisible(signatureOf(namespace, tool, inputSchema, outputSchema), SIGNATURE_LENGTH_MAX),
  };
  if (!isFull) return node;
  const full = { ...node, input_schema: inputSchema, ...(outputSchema && { output_schema: outputSchema }) };
  return sizeOf(full) > FULL_NODE_BYTES_MAX ? node : full;
}

/** As a profile shows it; code and workflows use its exposed name all the same. */
export function showNodeIn(view: ToolView | undefined, component: Component, isFull: boolean): ShownNode {
  const node = showNode(component, isFull);
  if (view === undefined) return node;
  const name = view.nameOf(component.name);
  const { type, description, ...rest } = node;
  return {
    type,
    ...(name !== type && { tool: name }),
    description: view.descriptionOf(type) ?? description,
    ...rest,
  };
}

/** A workflow can use what is built in, code cannot. */
export function showBuiltIn(definition: ToolDefinition, isFull: boolean): ShownNode {
  const node = showNode({ name: definition.name, source: BUILT_IN, definition }, isFull);
  const fields = node.inputs.map(({ key, type, required }) => `${key}${required ? "" : "?"}: ${type}`);
  return { ...node, signature: `{ "type": "${definition.name}", "params": { ${fields.join(", ")} } }` };
}

export function showWorkflow(
  { capability, version }: CurrentCapability,
  view: ToolView | undefined,
): ShownWorkflow {
  const { namespace, action } = capability;
  const tool = toolNameOf(capability);
  const signature = signatureOf(namespace, action, version.inputSchema, version.outputSchema ?? undefined);
  return {
    name: displayNameOf(capability),
    tool: view?.nameOf(tool) ?? tool,
    description: view?.descriptionOf(tool) ?? lineOf(capability.description, LINE_LENGTH_MAX),
    signature: cutVisible(signature, SIGNATURE_LENGTH_MAX),
  };
}

/** As many as there is room for, the first in any case. */
export function takeWhatFits<T>(items: readonly T[], bytesLeft: number): { taken: T[]; bytesLeft: number } {
  const taken: T[] = [];
  let left = bytesLeft;
  for (const item of items) {
    left -= sizeOf(item);
    if (left < 0 && taken.length > 0) return { taken, bytesLeft: 0 };
    taken.push(item);
  }
  return { taken, bytesLeft: Math.max(0, left) };
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function parametersOf(schema: JsonObject): z.output<typeof parameter>[] {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const properties = Object.entries(schema["properties"] ?? {}).slice(0, PARAMETERS_MAX);
  return properties.map(([key, value]) => ({
    key: makeVisible(key),
    type: cutVisible(typeOf(value, 1), TYPE_LENGTH_MAX),
    required: required.has(key),
    description: lineOf(descriptionOf(value), PARAMETER_LINE_LENGTH_MAX),
  }));
}

function descriptionOf(schema: unknown): string {
  const isObject = typeof schema === "object" && schema !== null && "description" in schema;
  return isObject && typeof schema.description === "string" ? schema.description : "";
}

const SENTENCE_END = /[.!?](?=\s|$)/g;

/** One line, to the end of the last sentence that fits, or cut. */
function lineOf(text: string, lengthMax: number): string {
  const line = text
    .slice(0, lengthMax * 8)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= lengthMax) return line;
  const ends = [...line.slice(0, lengthMax).matchAll(SENTENCE_END)];
  const end = ends.at(-1)?.index;
  return end === undefined ? cutVisible(line, lengthMax) : line.slice(0, end + 1);
}

function cutVisible(text: string, lengthMax: number): string {
  return cut(makeVisible(text), lengthMax);
}
