/** A workflow as a person sees it: its nodes, and what waits for what. Nothing is looked up, so it is also of one that could not run now. */
import type { Json } from "../core/json.ts";
import { readWorkflow } from "./read-workflow.ts";
import { parseTemplateText } from "./template-text.ts";
import { textsIn } from "./template.ts";
import type { WorkflowNode } from "./workflow.ts";

export interface WorkflowOutline {
  readonly nodes: readonly Pick<WorkflowNode, "id" | "type">[];
  /** Of the text, and of what templates read. */
  readonly edges: readonly { readonly from: string; readonly to: string; readonly action?: "error" }[];
}

/** Undefined for a text that is no workflow. */
export function outlineWorkflow(text: string): WorkflowOutline | undefined {
  const read = readWorkflow(text);
  if (read.kind === "unreadable") return undefined;
  const { nodes, edges } = read.workflow;
  const ids = new Set(nodes.map(({ id }) => id));
  const known = new Map<string, WorkflowOutline["edges"][number]>();
  for (const { from, to, action } of edges)
    known.set(`${from} ${to}`, { from, to, ...(action === "error" && { action }) });
  for (const node of nodes)
    for (const from of rootsOf(node)) {
      const isOther = ids.has(from) && from !== node.id && !known.has(`${from} ${node.id}`);
      if (isOther) known.set(`${from} ${node.id}`, { from, to: node.id });
    }
  return { nodes: nodes.map(({ id, type }) => ({ id, type })), edges: [...known.values()] };
}

function rootsOf({ params, batch, approval }: WorkflowNode): string[] {
  const written: Json = [params, batch?.items ?? null, approval?.message ?? null];
  return [...textsIn(written)].flatMap(({ text }) =>
    parseTemplateText(text).flatMap((piece) => ("reference" in piece ? [piece.reference.root] : [])),
  );
}
