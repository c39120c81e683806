/**
 * Asks a person before a call of a run, where a rule says so. The question is a step of the run with the status
 * `waiting`, and the run pauses there: nothing stays open, its time stands still, and a process that dies loses nothing.
 *
 * A yes is for one call. Its key has everything that the guard binds it to, so for any other call there is no yes on
 * record and the person is asked again. It is spent in the store before the call is sent: a process that dies in between
 * leaves a call that was not made and a yes that is used up, and the person is asked again. It is good until the question
 * expires.
 */
import { createHmac } from "node:crypto";
import { crashPoint } from "../process/crash-point.ts";
import type { Guard, GuardedCall } from "../core/guard.ts";
import { isJsonObject, type JsonObject } from "../core/json.ts";
import { fail, type ToolResult } from "../core/result.ts";
import type { Decision, Permit } from "../core/rule.ts";
import type { SealStore, Step } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import { LOCAL, mayDecide } from "../core/principal.ts";
import { QUESTION_TOOL } from "./journal/journal.ts";
import type { RunContext } from "./run-context.ts";
import { approvalRequired } from "./workflow/pause.ts";
import { nodeKey } from "./workflow/labels.ts";

export interface GuardedCallDeps {
  readonly guard: Guard;
  readonly spend: SealStore["spend"];
  /** How long a question can be answered, and its answer used. */
  readonly approvalMs: () => number;
  readonly clock: { now(): number };
  /** A person is asked. */
  readonly recordAsked: (call: GuardedCall, decision: Decision, context: CallContext) => void;
}

/** A call that may be made, with the yes that it needed; or why it is not made now. */
export type Clearance =
  | { readonly kind: "clear"; readonly permit?: Permit }
  | { readonly kind: "stopped"; readonly result: ToolResult<never> };

/** Decides on a call of a run, before it is put on record as sent. */
export async function clearCall(
  deps: GuardedCallDeps,
  runContext: RunContext,
  stepKey: string,
  call: GuardedCall,
): Promise<Clearance> {
  const context = runContext.callerContext;
  const decision = await deps.guard.decide(call, context);
  if (decision.do === "allow") return { kind: "clear" };
  // The guard refuses it in its own words, and puts it on record.
  if (decision.do === "refuse") return stopped(await deps.guard.pass(call, context, notMade));
  return askFor(deps, runContext, stepKey, call, decision);
}

async function askFor(
  deps: GuardedCallDeps,
  runContext: RunContext,
  stepKey: string,
  call: GuardedCall,
  decision: Decision,
): Promise<Clearance> {
  const { journal, callerContext: context } = runContext;
  const binding = deps.guard.bindingOf(call, decision, context);
  for (let round = 1; ; round++) {
    const key = questionKey(runContext, call.name, [stepKey, binding, round]);
    const recorded = journal.recorded(key);
    if (recorded?.status === "failed") return stopped(denied(call.name));
    if (recorded === undefined) return ask(deps, runContext, key, call, decision);
    if (await use(deps, recorded)) return { kind: "clear", permit: { binding, by: approverOf(recorded) } };
  }
}

/** The same call for the n-th time has another step; the same question after its yes was used has another round. */
function questionKey({ seed }: RunContext, name: string, asked: readonly (string | number)[]): string {
  return nodeKey(`${name}?`, createHmac("sha256", seed).update(JSON.stringify(asked)).digest("hex"));
}

/** False for a yes that has expired or was used. */
async function use({ spend, clock }: GuardedCallDeps, step: Step): Promise<boolean> {
  const expiresAt = step.args["expires_at"];
  if (typeof expiresAt !== "number" || expiresAt <= clock.now()) return false;
  const isFirst = await spend(`approval ${step.fromRunId ?? step.runId} ${step.key}`, expiresAt);
  if (isFirst) crashPoint("approval.spent");
  return isFirst;
}

function approverOf({ result }: Step): string {
  return isJsonObject(result) && typeof result["by"] === "string" ? result["by"] : "";
}

async function ask(
  deps: GuardedCallDeps,
  runContext: RunContext,
  key: string,
  call: GuardedCall,
  decision: Decision,
): Promise<Clearance> {
  const { journal, callerContext: context } = runContext;
  const message = messageOf(call, decision);
  const args = {
    message,
    details: detailsOf(call, decision, context),
    expires_at: deps.clock.now() + deps.approvalMs(),
  };
  if (!(await journal.ask({ key, tool: QUESTION_TOOL, args }))) {
    return stopped(fail("CANCELLED", "The run had ended."));
  }
  crashPoint("approval.asked");
  deps.recordAsked(call, decision, { ...context, runId: (await runContext.begin()).id });
  return stopped(approvalRequired(call.name, message, mayDecide(context.principal)));
}

function messageOf({ name }: GuardedCall, { effect, rule }: Decision): string {
  const why = rule.why === undefined ? "" : ` ${rule.why}`;
  return `May ${name} be called? It can ${EFFECT_WORDS[effect]}. Asked by ${rule.name}.${why}`;
}

const EFFECT_WORDS = {
  read: "read",
  write: "change something",
  destroy: "change or delete something",
} as const;

/** Everything that the yes is bound to, as the person sees it. */
function detailsOf(call: GuardedCall, { effect, rule }: Decision, context: CallContext): JsonObject {
  const { principal, view, clientName } = context;
  return {
    type: call.name,
    params: call.args,
    effect,
    rule: rule.name,
    who: principal?.id ?? LOCAL,
    ...(clientName !== undefined && { client: clientName }),
    ...(view !== undefined && { profile: view.profile }),
  };
}

function denied(name: string): ToolResult<never> {
  return fail("TOOL_EXECUTION_FAILED", `denied: ${name} was not approved.`, {
    reason: "denied",
    hint: "Nothing of it was done. Ask what should be different before you try again.",
  });
}

function stopped(result: ToolResult<never>): Clearance {
  return { kind: "stopped", result };
}

const notMade = (): Promise<ToolResult<never>> =>
  Promise.resolve(fail("CANCELLED", "The rules have changed. Call it again."));
