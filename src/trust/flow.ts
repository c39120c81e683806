/**
 * What flows into a run and out of it. A run that has read something that anybody may have written, and something private,
 * and is about to send something out, is how injected text steals data. Each part alone is harmless; with `trust: "ask"` the
 * three together have a person asked, whatever the rules allow.
 *
 * What a server says of itself may only lower trust: that a tool is closed to the world counts for an approved server alone.
 */
import type { GuardedCall } from "../core/guard.ts";
import { CAPABILITIES_ID } from "../core/names.ts";
import type { DecidingRule, Effect } from "../core/rule.ts";
import type { CallContext, RunFlow } from "../core/tool.ts";

/** What a tool brings into a run, and whether it takes something out. */
export interface FlowLabels {
  /** Anybody may have written what it answers. */
  readonly isUntrusted: boolean;
  readonly isPrivate: boolean;
  readonly sends: boolean;
}

export type LabelsOf = (call: Omit<GuardedCall, "args">) => FlowLabels;

export interface FlowDeps {
  readonly isApproved: (server: string) => boolean;
  readonly effectOf: (call: GuardedCall) => Effect;
  /** What the config says of a tool of a server, by the name that the server gives it. */
  readonly marksOf: (server: string, tool: string) => Pick<FlowLabels, "isPrivate" | "sends">;
}

const NOTHING: FlowLabels = { isUntrusted: false, isPrivate: false, sends: false };
const OUTSIDE: FlowLabels = { isUntrusted: true, isPrivate: false, sends: true };

/** Built-in nodes that reach beyond this machine, or may. */
const OUTSIDE_NODES: ReadonlySet<string> = new Set(["http", "shell"]);

export function createLabels(deps: FlowDeps): LabelsOf {
  return (call) => {
    const { kind, name, source, definition } = call;
    if (kind === "node") return OUTSIDE_NODES.has(name) ? OUTSIDE : NOTHING;
    // What a capability calls is labelled call by call.
    if (source === undefined || source === CAPABILITIES_ID) return NOTHING;
    const isClosed = definition?.annotations?.openWorldHint === false && deps.isApproved(source);
    const marks = deps.marksOf(source, definition?.name ?? "");
    const isChange = kind === "tool" && deps.effectOf({ ...call, args: {} }) !== "read";
    return {
      isUntrusted: !isClosed,
      isPrivate: marks.isPrivate,
      sends: marks.sends || (!isClosed && isChange),
    };
  };
}

/** Puts into a run's flow what an answer has brought. */
export function noteFlow(labelsOf: LabelsOf, call: GuardedCall, { flow }: CallContext): void {
  if (flow === undefined) return;
  const labels = labelsOf(call);
  if (labels.isUntrusted) flow.untrusted.add(call.name);
  if (labels.isPrivate) flow.private.add(call.name);
}

/** The rule by which a person is asked, where a run that has read both is about to send. */
export function findFlowRule(labelsOf: LabelsOf, call: GuardedCall, flow: RunFlow): DecidingRule | undefined {
  if (flow.untrusted.size === 0 || flow.private.size === 0 || !labelsOf(call).sends) return undefined;
  const why =
    `This run has read ${namesOf(flow.private)} (private) and ${namesOf(flow.untrusted)} ` +
    "(anybody may have written that), and would send something out.";
  return { id: FLOW_RULE_ID, name: 'flow (trust: "ask")', why };
}

const FLOW_RULE_ID = "flow";
const NAMED_MAX = 3;

function namesOf(tools: ReadonlySet<string>): string {
  const names = [...tools].sort();
  const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : "";
  return `${names.slice(0, NAMED_MAX).join(", ")}${more}`;
}
