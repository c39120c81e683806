/** The nodes of a workflow's text. A node without an id or a type is left out; its id still counts as declared. */
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import { checkRootName } from "./declared-name.ts";
import {
  fieldOf,
  kindOf,
  openObject,
  requiredTextField,
  choiceField,
  integerField,
  textField,
  type ObjectReader,
} from "./object-reader.ts";
import {
  NODE_COUNT_MAX,
  BATCH_CONCURRENCY_MAX,
  BATCH_DEFAULTS,
  BATCH_ITEM_COUNT_MAX,
  RETRY_COUNT_MAX,
  RETRY_DEFAULTS,
  RETRY_DELAY_MS_MAX,
  RETRY_LONGEST_DELAY_MS_MAX,
  type WorkflowNode,
  type Batch,
  type Retry,
} from "./workflow.ts";
import { isTemplateOrMalformed } from "./read-fields.ts";

const NODE_KEYS = ["id", "type", "params", "batch", "retry", "on_error", "approval"];

export interface ReadNodes {
  readonly nodes: readonly WorkflowNode[];
  /** The place of each node in the text. */
  readonly indexes: ReadonlyMap<string, number>;
  /** Where a failure leads, from `on_error`. */
  readonly routes: readonly { readonly from: string; readonly to: string; readonly index: number }[];
}

export function readNodes(top: ObjectReader, inputNames: ReadonlySet<string>): ReadNodes {
  const nodes: WorkflowNode[] = [];
  const indexes = new Map<string, number>();
  const routes: { from: string; to: string; index: number }[] = [];
  for (const [index, value] of listOfNodes(top).entries()) {
    const object = openObject(value, ["nodes", index], NODE_KEYS, top.problems);
    if (object === undefined) continue;
    const id = readId(object, inputNames, indexes);
    const read = readNode(object, id ?? "");
    if (id === undefined) continue;
    indexes.set(id, index);
    if (read.type === undefined) continue;
    nodes.push({ ...read.node, id, type: read.type });
    if (read.route !== undefined) routes.push({ from: id, to: read.route, index });
  }
  return { nodes, indexes, routes };
}

/** All ids in the text, also of wrong nodes. */
export function idsUnder(top: ObjectReader): readonly string[] {
  const nodes = fieldOf(top, "nodes");
  if (!Array.isArray(nodes)) return [];
  return (nodes as readonly Json[])
    .map((node) => (isJsonObject(node) && Object.hasOwn(node, "id") ? node["id"] : undefined))
    .filter((id) => typeof id === "string");
}

function listOfNodes(top: ObjectReader): readonly Json[] {
  const value = fieldOf(top, "nodes");
  if (!Array.isArray(value) || value.length === 0) {
    const is = Array.isArray(value) ? "empty" : kindOf(value);
    const message = `"nodes" must be a list with at least one node, and is ${is}.`;
    top.problems.add(["nodes"], message, 'Write "nodes": [{"id": …, "type": …, "params": {…}}].');
    return [];
  }
  const nodes = value as readonly Json[];
  if (nodes.length > NODE_COUNT_MAX) {
    const message = `there are ${nodes.length} nodes; the limit is ${NODE_COUNT_MAX}.`;
    top.problems.add(["nodes"], message, "Move some into a workflow of their own, and call it from a node.");
  }
  return nodes.slice(0, NODE_COUNT_MAX);
}

function readId(
  object: ObjectReader,
  inputNames: ReadonlySet<string>,
  indexes: ReadonlyMap<string, number>,
): string | undefined {
  const id = requiredTextField(object, "id", '"a_name_of_its_own"');
  const path = [...object.path, "id"];
  if (id === undefined || !checkRootName(id, path, object.problems, "value")) return undefined;
  const first = indexes.get(id);
  if (first !== undefined) {
    const message = `the id ${id} is taken by nodes[${first}].`;
    object.problems.add(path, message, "Give each node an id of its own.");
    return undefined;
  }
  if (inputNames.has(id)) {
    const message = `${id} is the name of an input, so a template could not tell the two apart.`;
    object.problems.add(path, message, "Rename the node or the input.");
  }
  return id;
}

function readNode(
  object: ObjectReader,
  id: string,
): { node: Omit<WorkflowNode, "id" | "type">; type: string | undefined; route: string | undefined } {
  const type = requiredTextField(object, "type", '"server__tool", or a built-in such as "code"');
  const batch = readBatch(object);
  const retry = readRetry(object);
  const approval = readApproval(object);
  const { onError, route } = readOnError(object, id);
  const node = {
    params: readParams(object),
    batch,
    retry,
    onError,
    approval,
  };
  return { node, type, route };
}

function readParams(object: ObjectReader): JsonObject {
  const params = fieldOf(object, "params") ?? {};
  if (isJsonObject(params)) return params;
  const message = `"params" must be an object, and is ${kindOf(params)}.`;
  object.problems.add([...object.path, "params"], message, 'Write {"name": value} for each parameter.');
  return {};
}

/** Any word but the two that are fixed names a node. */
function readOnError(object: ObjectReader, id: string): { onError: WorkflowNode["onError"]; route?: string } {
  const value = fieldOf(object, "on_error") ?? "fail";
  if (value === "fail" || value === "continue") return { onError: value };
  const path = [...object.path, "on_error"];
  const fix = 'Write "fail", "continue", or the id of the node that handles the failure.';
  if (typeof value === "string" && value !== id) return { onError: "route", route: value };
  const message =
    value === id ? "a node cannot handle its own failure." : `must be a text, and is ${kindOf(value)}.`;
  object.problems.add(path, message, fix);
  return { onError: "fail" };
}

/** What a node may say beside its parameters, besides its approval. */
const BATCH_KEYS = ["items", "concurrency", "on_error"];
const RETRY_KEYS = ["max", "delay_ms", "max_delay_ms"];

/** A batch whose items are wrong stays a batch, because its parameters may use the item. */
function readBatch(node: ObjectReader): Batch | undefined {
  const object = openOption(node, "batch", BATCH_KEYS);
  if (object === undefined) return undefined;
  return {
    items: readItems(object),
    concurrency:
      integerField(object, "concurrency", { min: 1, max: BATCH_CONCURRENCY_MAX }) ??
      BATCH_DEFAULTS.concurrency,
    onError: choiceField(object, "on_error", ["fail", "continue"]) ?? BATCH_DEFAULTS.onError,
  };
}

function readItems(object: ObjectReader): Batch["items"] {
  const items = fieldOf(object, "items");
  const path = [...object.path, "items"];
  if (typeof items === "string" && isTemplateOrMalformed(items)) return items;
  if (!Array.isArray(items)) {
    const is = typeof items === "string" ? "another text" : kindOf(items);
    const message = `"items" must be a list or one template that gives a list, and is ${is}.`;
    object.problems.add(path, message, 'Write "items": "${node.list}" or "items": […].');
    return [];
  }
  if (items.length > BATCH_ITEM_COUNT_MAX) {
    const message = `there are ${items.length} items; the limit is ${BATCH_ITEM_COUNT_MAX}.`;
    object.problems.add(path, message, "Split the list over several nodes.");
  }
  return items as readonly Json[];
}

function readRetry(node: ObjectReader): Retry | undefined {
  const object = openOption(node, "retry", RETRY_KEYS);
  if (object === undefined) return undefined;
  const max = integerField(object, "max", { min: 1, max: RETRY_COUNT_MAX });
  const delayMs = integerField(object, "delay_ms", { min: 0, max: RETRY_DELAY_MS_MAX });
  const maxDelayMs = integerField(object, "max_delay_ms", { min: 0, max: RETRY_LONGEST_DELAY_MS_MAX });
  if (fieldOf(object, "max") === undefined) {
    const fix = `Add "max": how many further attempts, from 1 to ${RETRY_COUNT_MAX}.`;
    object.problems.add([...object.path, "max"], '"max" is missing.', fix);
  }
  if (max === undefined) return undefined;
  return {
    max,
    delayMs: delayMs ?? RETRY_DEFAULTS.delayMs,
    maxDelayMs: maxDelayMs ?? RETRY_DEFAULTS.maxDelayMs,
  };
}

function readApproval(node: ObjectReader): WorkflowNode["approval"] {
  const value = fieldOf(node, "approval");
  if (value === true) return {};
  if (typeof value === "boolean") {
    const path = [...node.path, "approval"];
    node.problems.add(
      path,
      "must be true or an object, and is false.",
      'Remove "approval": none is the default.',
    );
    return undefined;
  }
  const object = openOption(node, "approval", ["message"]);
  if (object === undefined) return undefined;
  const message = textField(object, "message");
  return message === undefined ? {} : { message };
}

function openOption(node: ObjectReader, key: string, keys: readonly string[]): ObjectReader | undefined {
  const value = fieldOf(node, key);
  return value === undefined ? undefined : openObject(value, [...node.path, key], keys, node.problems);
}
