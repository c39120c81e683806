/**
 * Writes down what happens to tools, what is decided and what is refused: a definition that changed or went, something
 * kept or removed, a call that the config or a rule denies. A tool that is new is not a change. Entries are written one
 * after another after the work that they describe; one that cannot be written is logged and does not stop it.
 *
 * The actor is who did it: the principal of the call, or the person at this machine (`local:NAME`). `gateway` is only
 * what the gateway does by itself.
 */
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { NO_SECRETS, type Redactors } from "../text/redactors.ts";
import type { Audit } from "../core/store.ts";
import type { RegistryEvent } from "../core/registry-event.ts";
import type { DecidingRule, Effect } from "../core/rule.ts";
import type { CallContext } from "../core/tool.ts";
import { Mutex } from "../timing/mutex.ts";

/** Who did it: a caller, or the gateway by itself. */
type AuditActor = Pick<CallContext, "principal"> | typeof GATEWAY;

/** What the rules decided about a call: `call.refused`, `call.asked`. */
interface AuditedDecision {
  readonly action: string;
  /** By exposed name, the type of a node, or the exposed URI. */
  readonly tool: string;
  readonly rule: Pick<DecidingRule, "id" | "name">;
  readonly effect: Effect;
  /** As the call log has it. */
  readonly argsDigest?: string;
  readonly details?: JsonObject;
}

export interface AuditTrail {
  recordEvent(event: RegistryEvent): void;
  recordDenial(context: CallContext, tool: string, details: JsonObject): void;
  recordDecision(context: CallContext, decision: AuditedDecision): void;
  /** What was kept, renamed or removed. */
  recordChange(actor: AuditActor, action: string, subject: string, details: JsonObject): void;
  /** Resolves when everything that was recorded is on disk. */
  settle(): Promise<void>;
}

export const GATEWAY = "gateway";

export interface AuditTrailDeps {
  readonly audit: Audit;
  readonly log: Log;
  readonly redactors?: Pick<Redactors, "current">;
  /** The name of the person at this machine. */
  readonly person: () => string;
}

/** The person at this machine, as the audit trail names them. */
export function actorOfPerson(person: string): string {
  return `local:${person}`;
}

export function createAuditTrail({ audit, log, redactors = NO_SECRETS, person }: AuditTrailDeps): AuditTrail {
  const writes = new Mutex();

  function append(actor: string, action: string, subject: string, details: JsonObject): void {
    const entry = redactors.current().value({ subject, details }) as { subject: string; details: JsonObject };
    writes
      .run(() => audit.append({ actor, action, ...entry }))
      .catch((error: unknown) => log.error("audit.failed", { action, subject, error }));
  }

  function nameOf(actor: AuditActor): string {
    return actor === GATEWAY ? GATEWAY : (actor.principal?.id ?? actorOfPerson(person()));
  }

  return {
    recordEvent(event) {
      if (event.kind !== "capability.tool.updated" && event.kind !== "capability.tool.removed") return;
      const { kind, server, name, hash, previousHash } = event;
      append(GATEWAY, kind, name, { server, hash, ...(previousHash === undefined ? {} : { previousHash }) });
    },
    recordDenial: (context, tool, details) => append(nameOf(context), "tool.denied", tool, details),
    recordDecision(context, { action, tool, rule, effect, argsDigest, details }) {
      append(nameOf(context), action, tool, {
        ...details,
        rule: rule.name,
        ruleId: rule.id,
        effect,
        ...(argsDigest !== undefined && { argsDigest }),
        ...(context.runId !== undefined && { runId: context.runId }),
        traceId: context.traceId,
      });
    },
    recordChange: (actor, action, subject, details) => append(nameOf(actor), action, subject, details),
    settle: () => writes.settle(),
  };
}
