import type { CapabilityUses } from "../../core/rule.ts";
import { readWorkflow } from "../../workflows/read-workflow.ts";

/** The nodes of a workflow that call no tool; undefined where it cannot be read. */
export function builtInNodesOf(text: string): CapabilityUses["nodes"] | undefined {
  const read = readWorkflow(text);
  if (read.kind === "unreadable") return undefined;
  return read.workflow.nodes
    .filter(({ type }) => !type.includes("__"))
    .map(({ type, params }) => ({ type, params }));
}
