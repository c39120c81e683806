/**
 * What `browse_components` tells of a component. An answer is read by a model, whole, and each token of it is paid for
 * in every later request of the conversation: the best hits have what code needs to call them, the others a short line,
 * and what they have no room for is asked for by name. Every text is bounded, and hits that would make the answer too
 * long are left out and counted.
 */
import * as z from "zod";
import type { JsonObject } from "../../core/json.ts";
import { codeNameOf, displayNameOf, toolNameOf } from "../../core/names.ts";
import type { CurrentCapability } from "../../core/store.ts";
import type { Effect } from "../../core/rule.ts";
import { answerTypeOf, type Component, type ToolDefinition, type ToolView } from "../../core/tool.ts";
import { makeVisible } from "../../text/visible-text.ts";
import { signatureOf, typeOf } from "../../registry/signature.ts";
import { cut, lineOf } from "../../text/cut.ts";

/** About 16,000 tokens: twenty real tools in full detail. */
export const ANSWER_BYTES_MAX = 64 * 1024;
/** A schema that leaves no room for any other hit is not shown: the signature is. */
const FULL_NODE_BYTES_MAX = 32 * 1024;
/**
 * So many of the best hits have their signature. With five, code can be written from the answer; the others are there
 * to be asked for by name, and cost a third.
 */
export const HEAD_COUNT = 5;
/** A line of one of the best; `detail: "full"` has the rest. */
const LINE_LENGTH_MAX = 160;
/** Of the others: as much as it takes to tell them apart. */
const SHORT_LINE_LENGTH_MAX = 90;
const PARAMETER_LINE_LENGTH_MAX = 120;
const PARAMETERS_MAX = 60;
const TYPE_LENGTH_MAX = 300;
/** 19 of 20 real signatures are shorter; the whole one is in `detail: "full"`. */
const SIGNATURE_LENGTH_MAX = 600;
const FULL_SIGNATURE_LENGTH_MAX = 2_000;

/** How much of a hit is shown. */
type Detail = "full" | "head" | "short";

/** Where a built-in node type takes the place of a server. */
export const BUILT_IN = "built_in";

const parameter = z.object({
  key: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string(),
});

export const shownNode = z.object({
  /** The name to call, or to use as a node's type. */
  type: z.string(),
  /** Where a profile calls it something else. */
  tool: z.string().optional(),
  server: z.string().optional(),
  signature: z.string().optional(),
  description: z.string(),
  /** Where the config or the server says so. */
  effect: z.enum(["read", "destroy"]).optional(),
  inputs: z.array(parameter).optional(),
  outputs: z.array(parameter).optional(),
  input_schema: z.looseObject({}).optional(),
  output_schema: z.looseObject({}).optional(),
});
export type ShownNode = z.output<typeof shownNode>;

export const shownWorkflow = z.object({
  name: z.string(),
  tool: z.string(),
  signature: z.string().optional(),
  description: z.string(),
});
export type ShownWorkflow = z.output<typeof shownWorkflow>;

/** What the hits are shown with. */
export interface Showing {
  readonly view: ToolView | undefined;
  readonly isFull: boolean;
  /** How many of the first have their signature, where it is fewer than there is room for. */
  readonly headCount?: number;
  /** What a call is said to do. */
  readonly effectOf?: ((component: Component) => Effect | undefined) | undefined;
}

/** Best first: those at the head with what code needs, the others in a line. */
export function showNodes(components: readonly Component[], showing: Showing): ShownNode[] {
  return components.map((component, rank) => showNode(component, detailAt(rank, showing), showing));
}

export function showWorkflows(
  kept: readonly CurrentCapability[],
  { view, isFull }: Pick<Showing, "view" | "isFull">,
): ShownWorkflow[] {
  return kept.map((item, rank) => showWorkflow(item, detailAt(rank, { isFull }), view));
}

/** A workflow can use what is built in, code cannot. */
export function showBuiltIns(definitions: readonly ToolDefinition[], isFull: boolean): ShownNode[] {
  return definitions.map((definition, rank) => {
    const component = { name: definition.name, source: BUILT_IN, definition };
    const node = showNode(component, detailAt(rank, { isFull }), { view: undefined, isFull });
    if (node.signature === undefined) return node;
    const inputs = parametersOf(definition.inputSchema);
    const fields = inputs.map(({ key, type, required }) => `${key}${required ? "" : "?"}: ${type}`);
    const signature = `{ "type": "${definition.name}", "params": { ${fields.join(", ")} } }`;
    return { ...node, signature: cutVisible(signature, FULL_SIGNATURE_LENGTH_MAX) };
  });
}

function detailAt(rank: number, { isFull, headCount = HEAD_COUNT }: Omit<Showing, "view">): Detail {
  if (isFull) return "full";
  return rank < headCount ? "head" : "short";
}

/** As a profile shows it; code and workflows use its exposed name all the same. */
function showNode(component: Component, detail: Detail, { view, effectOf }: Showing): ShownNode {
  const { name, source, definition } = component;
  const tool = view?.nameOf(name) ?? name;
  const effect = effectOf?.(component);
  const description = view?.descriptionOf(name) ?? definition.description ?? "";
  const named = { type: name, ...(tool !== name && { tool }) };
  // What writes is the usual case.
  const said = effect === undefined || effect === "write" ? {} : { effect };
  if (detail === "short")
    return { ...named, description: lineIn(description, SHORT_LINE_LENGTH_MAX), ...said };
  const signature = signatureIn(component, detail);
  if (detail === "head")
    return {
      ...named,
      server: source,
      signature,
      description: lineIn(description, LINE_LENGTH_MAX),
      ...said,
    };
  return withSchemas({ ...named, server: source, signature, description, ...said }, definition);
}

function signatureIn({ name, definition }: Component, detail: Detail): string {
  const { namespace, tool } = codeNameOf(name);
  const signature = signatureOf(namespace, tool, definition.inputSchema, answerTypeOf(definition));
  return cutVisible(signature, detail === "full" ? FULL_SIGNATURE_LENGTH_MAX : SIGNATURE_LENGTH_MAX);
}

function withSchemas(node: ShownNode, { inputSchema, outputSchema }: ToolDefinition): ShownNode {
  const told = { ...node, inputs: parametersOf(inputSchema), outputs: parametersOf(outputSchema ?? {}) };
  const full = { ...told, input_schema: inputSchema, ...(outputSchema && { output_schema: outputSchema }) };
  return sizeOf(full) > FULL_NODE_BYTES_MAX ? told : full;
}

function showWorkflow(
  { capability, version }: CurrentCapability,
  detail: Detail,
  view: ToolView | undefined,
): ShownWorkflow {
  const { namespace, action } = capability;
  const name = toolNameOf(capability);
  const lengthMax = detail === "short" ? SHORT_LINE_LENGTH_MAX : LINE_LENGTH_MAX;
  const signature = signatureOf(namespace, action, version.inputSchema, version.outputSchema ?? undefined);
  return {
    name: displayNameOf(capability),
    tool: view?.nameOf(name) ?? name,
    ...(detail !== "short" && { signature: cutVisible(signature, FULL_SIGNATURE_LENGTH_MAX) }),
    description: view?.descriptionOf(name) ?? lineIn(capability.description, lengthMax),
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
    description: lineIn(descriptionOf(value), PARAMETER_LINE_LENGTH_MAX),
  }));
}

function descriptionOf(schema: unknown): string {
  const isObject = typeof schema === "object" && schema !== null && "description" in schema;
  return isObject && typeof schema.description === "string" ? schema.description : "";
}

function lineIn(text: string, lengthMax: number): string {
  return cutVisible(lineOf(text, lengthMax), lengthMax);
}

function cutVisible(text: string, lengthMax: number): string {
  return cut(makeVisible(text), lengthMax);
}
