/** What both drawings say about a node beside its id and type. */
import type { WorkflowInput, WorkflowNode } from "../workflow.ts";

/** Short marks, in the order in which they take effect. */
export function marksOf({ batch, retry, approval, onError }: WorkflowNode): string[] {
  return [
    ...(approval === undefined ? [] : ["approval"]),
    ...(batch === undefined ? [] : [`batch, ${batch.concurrency} at a time`]),
    ...(batch?.onError === "continue" ? ["failed items are passed over"] : []),
    ...(retry === undefined ? [] : [`retry ${retry.max}`]),
    ...(onError === "continue" ? ["goes on after a failure"] : []),
  ];
}

/** `limit: integer, optional`. */
export function inputLabel(name: string, input: WorkflowInput): string {
  const marks = [input.isRequired ? [] : ["optional"], input.isSensitive ? ["sensitive"] : []].flat();
  return [`${name}: ${input.type}`, ...marks].join(", ");
}
