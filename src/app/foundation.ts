/** What every half of the gateway needs: the store, the secrets, the audit trail and telemetry. */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import type { CallContext } from "../core/tool.ts";
import { findPlatformProblem } from "../process/platform.ts";
import { createReplica } from "../runs/replicas/replica.ts";
import { createCallsUnderWay } from "../runs/journal/under-way.ts";
import { createKnownSecrets } from "../secrets/secrets.ts";
import { actorOfPerson, createAuditTrail } from "../telemetry/audit-trail.ts";
import { createRedactors } from "../text/redactors.ts";
import { openSecretsOf, openTokensOf, secretsOfEnvironment } from "./access.ts";
import { openConfiguredStore } from "./store/configured-store.ts";
import type { AppOptions } from "./contract.ts";
import { createRevisionWatch } from "./store/revision-watch.ts";
import { openWatching } from "./watching.ts";

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

export async function openFoundation({ config, log, serves, storeWaitMs }: AppOptions) {
  const platformProblem = findPlatformProblem();
  if (platformProblem !== undefined) log.warn("platform.unsupported", { problem: platformProblem });
  const { home } = config.current();
  const knownSecrets = createKnownSecrets(config, secretsOfEnvironment());
  const redactors = createRedactors(knownSecrets.all);
  const store = await openConfiguredStore(config.current(), storeWaitMs);
  const replica = createReplica({ store: store.replicas, log });
  // What a command runs is what makes it an owner; until then it only looks.
  await (serves === undefined ? replica.look() : replica.begin());
  return {
    config,
    log,
    serves,
    home,
    store,
    /** Begins with a process that serves. */
    revisions: createRevisionWatch({ revisions: store.revisions, log }),
    replica,
    redactors,
    /** What is stored as a secret is known as one from then on. */
    secrets: knownSecrets.watch(openSecretsOf({ home, store, log, replica })),
    tokens: openTokensOf({ home, store }),
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
