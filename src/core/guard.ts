/**
 * The guard: every call of a tool, a built-in node, a prompt or a resource passes it, whoever makes the call: a client,
 * code, a capability or a workflow. The rules decide (`trust/rule-set.ts`): the first that matches.
 */
import type { ToolError } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { ToolResult } from "./result.ts";
import type { Decision } from "./rule.ts";
import type { CallContext, ToolDefinition } from "./tool.ts";

/** A call as the rules see it. */
export interface GuardedCall {
  readonly kind: "tool" | "node" | "prompt" | "resource";
  /** The exposed name of a tool or prompt, the type of a node, or the exposed URI of a resource. */
  readonly name: string;
  /** The id of the server or other source that answers it; a node has none. */
  readonly source?: string;
  /** As it is listed now; a question about the call is bound to it. */
  readonly definition?: ToolDefinition | undefined;
  readonly args: JsonObject;
}

/** A call that was made or refused, for the call log and the audit trail. */
export interface PassedCall {
  readonly call: GuardedCall;
  readonly context: CallContext;
  readonly decision: Decision;
  readonly result: ToolResult<unknown>;
  readonly elapsedMs: number;
}

const REFUSAL_REASONS: ReadonlySet<string | undefined> = new Set(["refused", "not_approved"]);

/** Whether the rules refused a call. The guard has it on record. */
export function isRefusal({ code, reason }: Pick<ToolError, "code" | "reason">): boolean {
  return code === "SECURITY_ERROR" && REFUSAL_REASONS.has(reason);
}

/** Whether a call was denied by anything but the rules, for those who put that on record. */
export function isDenial(error: Pick<ToolError, "code" | "reason">): boolean {
  return error.code === "SECURITY_ERROR" && !isRefusal(error);
}

export interface Guard {
  /** A call was answered, also from the journal: what its answer brings into the run is noted in `context.flow`. */
  observe(call: GuardedCall, context: CallContext): void;
  /** What the rules say of a call. Nothing is counted, and nothing is put on record. */
  decide(call: GuardedCall, context: CallContext): Promise<Decision>;
  /**
   * What a yes is bound to: principal, profile, tool with its definition, arguments and rule. Of another call it is
   * another text.
   */
  bindingOf(call: GuardedCall, decision: Decision, context: CallContext): string;
  /**
   * Makes a call, if it may be made: a refused call fails, one that needs a person's yes fails without it, and so does
   * one over a limit. It is put on record, whatever comes of it. Never throws for anything but what `make` throws.
   */
  pass<T>(
    call: GuardedCall,
    context: CallContext,
    make: (context: CallContext) => Promise<ToolResult<T>>,
  ): Promise<ToolResult<T>>;
}

/** The reason of a failure that means: a person must be asked first, and nothing was made or put on record. */
export const NOT_APPROVED = "not_approved";

/** Where nothing is guarded: tests, and replays against recorded answers. */
export const NO_GUARD: Guard = {
  decide: () => Promise.resolve({ do: "allow", effect: "destroy", rule: { id: "none", name: "no rules" } }),
  observe: () => {},
  bindingOf: () => "",
  pass: (_call, context, make) => make(context),
};
