/**
 * Writes down what happens to tools and what is refused: a definition that changed or went, something kept or removed,
 * a call that the config denies. A tool that is new is not a change. Entries are written one after another after the
 * work that they describe; one that cannot be written is logged and does not stop it.
 */
import type { JsonObject } from "../core/json.ts";
import type { Log } from "../core/log.ts";
import { NO_SECRETS, type Redactors } from "../text/redactors.ts";
import type { Audit } from "../core/store.ts";
import type { RegistryEvent } from "../core/registry-event.ts";
import { Mutex } from "../timing/mutex.ts";

export interface AuditTrail {
  recordEvent(event: RegistryEvent): void;
  recordDenial(tool: string, details: JsonObject): void;
  /** What was kept, renamed or removed. */
  recordChange(action: string, subject: string, details: JsonObject): void;
  /** Resolves when everything that was recorded is on disk. */
  settle(): Promise<void>;
}

const ACTOR = "gateway";

export function createAuditTrail(
  audit: Audit,
  log: Log,
  redactors: Pick<Redactors, "current"> = NO_SECRETS,
): AuditTrail {
  const writes = new Mutex();

  function append(action: string, subject: string, details: JsonObject): void {
    const entry = redactors.current().value({ subject, details }) as { subject: string; details: JsonObject };
    writes
      .run(() => audit.append({ actor: ACTOR, action, ...entry }))
      .catch((error: unknown) => log.error("audit.failed", { action, subject, error }));
  }

  return {
    recordEvent(event) {
      if (event.kind !== "capability.tool.updated" && event.kind !== "capability.tool.removed") return;
      const { kind, server, name, hash, previousHash } = event;
      append(kind, name, { server, hash, ...(previousHash === undefined ? {} : { previousHash }) });
    },
    recordDenial: (tool, details) => append("tool.denied", tool, details),
    recordChange: append,
    settle: () => writes.settle(),
  };
}
