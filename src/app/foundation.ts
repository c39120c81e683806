/** What every half of the gateway needs: the store, the secrets, the audit trail and telemetry. */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import type { CallContext } from "../core/tool.ts";
import { findPlatformProblem } from "../process/platform.ts";
import { createCallsUnderWay } from "../runs/journal/under-way.ts";
import { createKnownSecrets, openSecretStore } from "../secrets/secrets.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { actorOfPerson, createAuditTrail } from "../telemetry/audit-trail.ts";
import { createRedactors } from "../text/redactors.ts";
import type { AppOptions } from "./contract.ts";
import { openWatching } from "./watching.ts";

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

export async function openFoundation({ config, log, serves }: AppOptions) {
  const platformProblem = findPlatformProblem();
  if (platformProblem !== undefined) log.warn("platform.unsupported", { problem: platformProblem });
  const { home } = config.current();
  const knownSecrets = createKnownSecrets(config);
  const redactors = createRedactors(knownSecrets.all);
  const store = await openSqliteStore({ home });
  return {
    config,
    log,
    serves,
    home,
    store,
    redactors,
    /** What is stored as a secret is known as one from then on. */
    secrets: knownSecrets.watch(openSecretStore({ home })),
    trail: createAuditTrail({ audit: store.audit, log, redactors, person: authorName }),
    watching: await openWatching({ config, log, serves }),
    calls: createCallsUnderWay(),
    scope: () => config.current().scope,
  };
}

/** The context of a request that the process makes by itself. */
export const ownContext = (): CallContext => ({
  traceId: randomUUID(),
  signal: new AbortController().signal,
});

/** The user of this system, as the audit trail names them. */
export function localActor(): string {
  return actorOfPerson(authorName());
}

/** Who saves a capability: the user of this system, as it calls them. */
export function authorName(): string {
  try {
    return userInfo().username;
  } catch {
    return "local";
  }
}
