/**
 * The results of the nodes of a run, and the parameters that are filled in from them. A large result is not held in
 * memory: it is read back from the journal where it is needed.
 */
import type { ToolError } from "../../core/errors.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { INLINE_RESULT_BYTES_MAX, type RunStore } from "../../core/store.ts";
import type { Seal } from "../journal/seal.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { fillTemplates, type MissingTemplate } from "../../workflows/template.ts";
import { BATCH_ITEM_COUNT_MAX, type WorkflowNode } from "../../workflows/workflow.ts";
import type { PreparedWorkflow } from "../prepare/prepare-workflow.ts";

/** How a node ended. The hash covers everything that its result depends on. */
export type NodeEnd =
  | { readonly kind: "done"; readonly value: NodeValue; readonly hash: string }
  | {
      readonly kind: "failed";
      readonly error: ToolError;
      readonly hash: string;
      readonly isHandled: boolean;
      readonly seq?: number;
    }
  | { readonly kind: "skipped" };

export type NodeValue = () => Promise<Json>;

export interface ValueDeps {
  readonly store: RunStore;
  readonly seal: Seal;
  readonly runId: string;
}

export function keepValue({ store, seal, runId }: ValueDeps, key: string, value: Json): NodeValue {
  if (Buffer.byteLength(JSON.stringify(value)) <= INLINE_RESULT_BYTES_MAX)
    return () => Promise.resolve(value);
  return async () => seal.open((await store.stepResult(runId, key)) ?? null);
}

/** What templates see of a failure that is handled: `${node.error.message}`. */
export function errorValue({ code, message, reason }: ToolError): JsonObject {
  return { error: { code, message, ...(reason !== undefined && { reason }) } };
}

/** The parameters of a node with their templates filled in: once, or for each item of a batch. */
export function fillNode(
  prepared: PreparedWorkflow,
  node: WorkflowNode,
  roots: ReadonlyMap<string, Json>,
): ToolResult<{ label: string; params: JsonObject }[]> {
  if (node.batch === undefined) {
    const params = fillParams(prepared, node, roots);
    return params.success ? succeed([{ label: node.id, params: params.data }]) : params;
  }
  const items = fillItems(node, roots);
  if (!items.success) return items;
  const filled: { label: string; params: JsonObject }[] = [];
  for (const [index, item] of items.data.entries()) {
    const params = fillParams(prepared, node, new Map([...roots, ["item", item], ["index", index]]));
    if (!params.success) return params;
    filled.push({ label: `${node.id}[${index}]`, params: params.data });
  }
  return succeed(filled);
}

function fillParams(
  prepared: PreparedWorkflow,
  node: WorkflowNode,
  roots: ReadonlyMap<string, Json>,
): ToolResult<JsonObject> {
  const raw = prepared.rawParams(node.type);
  const [asWritten, templated] = partition(node.params, raw);
  const filled = fillTemplates(templated, `${node.id}.params`, roots);
  if (!filled.ok) return unfilled(node.id, filled.missing);
  return succeed({ ...(filled.value as JsonObject), ...asWritten });
}

function partition(params: JsonObject, raw: readonly string[]): [JsonObject, JsonObject] {
  const entries = Object.entries(params);
  const pick = (isRaw: boolean) => Object.fromEntries(entries.filter(([key]) => raw.includes(key) === isRaw));
  return [pick(true), pick(false)];
}

function fillItems(node: WorkflowNode, roots: ReadonlyMap<string, Json>): ToolResult<readonly Json[]> {
  const filled = fillTemplates(node.batch!.items, `${node.id}.batch.items`, roots);
  if (!filled.ok) return unfilled(node.id, filled.missing);
  if (!Array.isArray(filled.value)) {
    return fail("TOOL_INVALID_INPUT", `${node.id}: batch.items is not a list.`, { reason: "template_error" });
  }
  if (filled.value.length > BATCH_ITEM_COUNT_MAX) {
    const message = `${node.id}: batch has ${filled.value.length} items; the limit is ${BATCH_ITEM_COUNT_MAX}.`;
    return fail("TOOL_INVALID_INPUT", message, {
      reason: "batch_limit",
      hint: "Work through them in several runs.",
    });
  }
  return succeed(filled.value as readonly Json[]);
}

export function unfilled(id: string, missing: readonly MissingTemplate[]): ToolResult<never> {
  const lines = missing.map(({ text, found, available }) => {
    const there = available.length === 0 ? "there is nothing" : `there are ${available.join(", ")}`;
    return `${text}: ${found === "" ? "nothing is there" : `${found} is there, and in it ${there}`}`;
  });
  return fail("TOOL_INVALID_INPUT", `template_error: ${id} cannot be filled in. ${lines.join("; ")}.`, {
    reason: "template_error",
    missing: missing.map(({ text }) => text),
  });
}
