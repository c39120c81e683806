/**
 * What flows into a run and out of it. A run that has read something that anybody may have written, and something private,
 * and is about to send something out, is how injected text steals data. Each part alone is harmless; with `trust: "ask"` the
 * three together have a person asked, whatever the rules allow.
 *
 * What a server says of itself may only lower trust: that a tool is closed to the world counts for an approved server alone.
 */
import type { GuardedCall } from "../core/guard.ts";
import { CAPABILITIES_ID } from "../core/names.ts";
import type { CapabilityUses, DecidingRule, Effect } from "../core/rule.ts";
import type { RunFlow, ToolDefinition } from "../core/tool.ts";
import { compilePatterns } from "../text/glob.ts";

/** What a tool brings into a run, and whether it takes something out. */
export interface FlowLabels {
  /** Anybody may have written what it answers. */
  readonly isUntrusted: boolean;
  readonly isPrivate: boolean;
  readonly sends: boolean;
}

export type LabelsOf = (call: Omit<GuardedCall, "args">) => FlowLabels;

export interface FlowDeps {
  readonly isApproved: (server: string, tool: ToolDefinition) => boolean;
  readonly effectOf: (call: GuardedCall) => Effect;
  /** A tool as it is listed now, by exposed name. */
  readonly find: (tool: string) => FoundTool | undefined;
  /** What the config says of a server's tools. The same object for as long as the config is the same. */
  readonly marksOf: (server: string) => ServerMarks | undefined;
}

interface FoundTool {
  readonly source: { readonly id: string };
  readonly definition: ToolDefinition;
}

/** Patterns are those of the server's own names. */
interface ServerMarks {
  readonly isPrivate: boolean;
  readonly private?: readonly string[];
  readonly sends?: readonly string[];
}

const NOTHING: FlowLabels = { isUntrusted: false, isPrivate: false, sends: false };
const OUTSIDE: FlowLabels = { isUntrusted: true, isPrivate: false, sends: true };

/** Built-in nodes that reach beyond this machine, or may. */
const OUTSIDE_NODES: ReadonlySet<string> = new Set(["http", "shell"]);

export function createLabels(deps: FlowDeps): LabelsOf {
  function ofTool(
    call: Omit<GuardedCall, "args">,
    source: string,
    tool: ToolDefinition | undefined,
  ): FlowLabels {
    const { isPrivate = false, private: secret, sends } = deps.marksOf(source) ?? {};
    const has = (patterns: readonly string[] | undefined) =>
      patterns !== undefined && tool !== undefined && compilePatterns(patterns)(tool.name);
    const isClosed = tool?.annotations?.openWorldHint === false && deps.isApproved(source, tool);
    const isChange = call.kind === "tool" && deps.effectOf({ ...call, args: {} }) !== "read";
    return {
      isUntrusted: !isClosed,
      isPrivate: isPrivate || has(secret),
      sends: has(sends) || (!isClosed && isChange),
    };
  }

  return (call) => {
    if (call.kind === "node") return OUTSIDE_NODES.has(call.name) ? OUTSIDE : NOTHING;
    const found = call.source === undefined ? deps.find(call.name) : undefined;
    const { source = found?.source.id, definition = found?.definition } = call;
    // What a capability calls is labelled call by call.
    if (source === CAPABILITIES_ID) return NOTHING;
    // A tool that is not there any more may have been anything.
    if (source === undefined) return { ...NOTHING, isUntrusted: true };
    return ofTool({ ...call, source, definition }, source, definition);
  };
}

/** Puts into a run's flow what an answer has brought. */
export function noteFlow(labelsOf: LabelsOf, call: GuardedCall, flow: RunFlow): void {
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

// ── what is known before a run ──────────────────────────────────────────────────────────────────────────────────────

/** More than any capability uses, all levels taken together. */
const USED_COUNT_MAX = 1_000;

/**
 * What is said when something is saved that reads private and untrusted things and sends: from what it uses, itself and
 * through other capabilities. Undefined where one of the three is missing.
 */
export function findFlowWarning(
  labelsOf: LabelsOf,
  usesOf: (capability: string) => CapabilityUses | undefined,
  uses: CapabilityUses,
): string | undefined {
  const [untrusted, secret, sends] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const note = (kind: GuardedCall["kind"], name: string): void => {
    const labels = labelsOf({ kind, name });
    if (labels.isUntrusted) untrusted.add(name);
    if (labels.isPrivate) secret.add(name);
    if (labels.sends) sends.add(name);
  };
  const seen = new Set<string>();
  const waiting = [uses];
  for (let next = waiting.pop(); next !== undefined && seen.size < USED_COUNT_MAX; next = waiting.pop()) {
    for (const { type } of next.nodes) note("node", type);
    for (const tool of next.tools) {
      if (seen.has(tool)) continue;
      seen.add(tool);
      note("tool", tool);
      const inner = usesOf(tool);
      if (inner !== undefined) waiting.push(inner);
    }
  }
  if ([untrusted, secret, sends].some(({ size }) => size === 0)) return undefined;
  return (
    `It reads what is private (${namesOf(secret)}) and what anybody may have written (${namesOf(untrusted)}), and can ` +
    `send (${namesOf(sends)}). With trust "ask", a run of it asks a person before it sends.`
  );
}
