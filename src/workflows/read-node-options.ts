/** What a node says beside its parameters: batch, retry, approval. */
import type { Json } from "../core/json.ts";
import {
  choiceField,
  fieldOf,
  integerField,
  kindOf,
  openObject,
  textField,
  type ObjectReader,
} from "./object-reader.ts";
import { isTemplateOrMalformed } from "./read-fields.ts";
import {
  BATCH_CONCURRENCY_MAX,
  BATCH_DEFAULTS,
  BATCH_ITEM_COUNT_MAX,
  RETRY_COUNT_MAX,
  RETRY_DEFAULTS,
  RETRY_DELAY_MS_MAX,
  RETRY_LONGEST_DELAY_MS_MAX,
  type Batch,
  type Retry,
  type WorkflowNode,
} from "./workflow.ts";

const BATCH_KEYS = ["items", "concurrency", "on_error"];
const RETRY_KEYS = ["max", "delay_ms", "max_delay_ms"];

/** A batch whose items are wrong stays a batch, because its parameters may use the item. */
export function readBatch(node: ObjectReader): Batch | undefined {
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

export function readRetry(node: ObjectReader): Retry | undefined {
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

export function readApproval(node: ObjectReader): WorkflowNode["approval"] {
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
