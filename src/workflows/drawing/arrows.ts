/** Which arrows a drawing has: what each node and each output takes from where, and which node waits for which. */
import type { Json } from "../../core/json.ts";
import { CONTROL_NODES } from "../control-nodes.ts";
import type { Plan } from "../plan.ts";
import { findTemplates } from "../template.ts";
import { wholeTemplate } from "../template-text.ts";
import type { Workflow, WorkflowNode } from "../workflow.ts";

export interface Arrow {
  /** Keys of parts. */
  readonly from: string;
  readonly to: string;
  readonly action: "success" | "error";
}

/**
 * The parameters in which `${` is no template. Of a tool none is raw, so the types with such parameters are all known
 * here.
 */
const RAW_PARAMS: ReadonlyMap<string, readonly string[]> = new Map([
  ...CONTROL_NODES.map(({ definition, rawParams }) => [definition.name, rawParams] as const),
  ["shell", ["command"]] as const,
]);

/** The key of a part of the drawing: an input and an output may share a name, and no name is a key by itself. */
export function partKey(kind: "input" | "node" | "output", name: string): string {
  return `${kind} ${name}`;
}

/** Each once, in the order of the text. */
export function arrowsOf(workflow: Workflow, plan: Plan): Arrow[] {
  return [...inputArrows(workflow), ...nodeArrows(plan), ...outputArrows(workflow)];
}

function inputArrows({ nodes, inputs }: Workflow): Arrow[] {
  return nodes.flatMap((node) => {
    const to = partKey("node", node.id);
    return [...rootsOf(node)]
      .filter((root) => inputs.has(root))
      .map((root) => ({ from: partKey("input", root), to, action: "success" }));
  });
}

/** The names that the templates of a node begin with. */
function rootsOf({ type, params, batch, approval }: WorkflowNode): Set<string> {
  const raw = RAW_PARAMS.get(type) ?? [];
  const filled = Object.entries(params).filter(([name]) => !raw.includes(name));
  const values: Json[] = [...filled.map(([, value]) => value), batch?.items ?? [], approval?.message ?? ""];
  return new Set(findTemplates(values, "").uses.map((use) => use.root));
}

function nodeArrows(plan: Plan): Arrow[] {
  return plan.nodes.flatMap(({ node, after, handles }) => {
    const arrow = (id: string, action: Arrow["action"]): Arrow => {
      return { from: partKey("node", id), to: partKey("node", node.id), action };
    };
    return [...after.map((id) => arrow(id, "success")), ...handles.map((id) => arrow(id, "error"))];
  });
}

function outputArrows({ nodes, inputs, outputs }: Workflow): Arrow[] {
  const ids = new Set(nodes.map((node) => node.id));
  return [...outputs].flatMap(([name, { source }]) => {
    const root = wholeTemplate(source)?.root ?? "";
    if (!ids.has(root) && !inputs.has(root)) return [];
    const from = partKey(ids.has(root) ? "node" : "input", root);
    return [{ from, to: partKey("output", name), action: "success" }];
  });
}
