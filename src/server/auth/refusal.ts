/**
 * How a request is turned away. What was wrong with its token is logged and never told: answers to guesses are all
 * alike.
 */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Admission, AdmissionRequest, GateOAuth } from "./admission.ts";
import { challengeOf } from "./challenge.ts";
import { createFailureCount, remoteKey } from "./failure-count.ts";
import { metadataUrlOf, usualScopes } from "./resource-metadata.ts";

/** Digits of a token's hash that failures are counted by: enough to tell tokens apart, too few to find one by. */
const COUNTED_DIGITS = 16;

const NO_TOKEN =
  "A token is needed: send the header Authorization: Bearer TOKEN. `repertoire token` shows one on the machine of the gateway.";
const BAD_TOKEN =
  "This token is not accepted: it is unknown, revoked, expired or meant for another recipient. `repertoire token` shows a good one on the machine of the gateway.";

/** Why a token that was shown is no good. */
export interface TokenFailure {
  readonly reason: string;
  /** What `reason` is about, where it is more than this one token. */
  readonly isIssuerAtFault?: boolean;
  /** Of the token, in hex; without it, the header was garbled. */
  readonly digest?: string;
}

export interface RefusalDeps {
  readonly log: Log;
  readonly oauth: GateOAuth | undefined;
  readonly clock: Clock;
}

/** Without a failure no token was shown: that is how clients find out what is needed, and it is not counted. */
export type Refuse = (request: AdmissionRequest, failure?: TokenFailure) => Admission;

export function createRefusal({ log, oauth, clock }: RefusalDeps): Refuse {
  const failures = createFailureCount(clock);
  return (request, failure) => {
    const challenge = challengeOf({
      ...(failure !== undefined && { error: "invalid_token" }),
      ...(oauth !== undefined && {
        scope: usualScopes(oauth.scopes).join(" "),
        resource_metadata: metadataUrlOf(baseOf(request, oauth), request.resource),
      }),
    });
    if (failure === undefined) return { kind: "refused", status: 401, challenge, message: NO_TOKEN };
    const { remote } = request;
    const { retryAfterS, isFirst } = failures.add(keysOf(remote, failure));
    // A caller that keeps failing would fill the log.
    if (retryAfterS === undefined) logFailure(log, remote, failure);
    else if (isFirst) log.warn("auth.failures", { remote, retryAfterS });
    if (retryAfterS === undefined) return { kind: "refused", status: 401, challenge, message: BAD_TOKEN };
    const message = `Too many tokens that are not accepted came from here. Wait ${retryAfterS} s; a token that is good comes in at once.`;
    return { kind: "refused", status: 429, challenge, message, retryAfterS };
  };
}

function keysOf(remote: string, { digest }: TokenFailure): string[] {
  const token = digest === undefined ? [] : [`token ${digest.slice(0, COUNTED_DIGITS)}`];
  return [`remote ${remoteKey(remote)}`, ...token];
}

function logFailure(log: Log, remote: string, { reason, isIssuerAtFault }: TokenFailure): void {
  if (isIssuerAtFault === true) log.error("auth.issuer.failed", { remote, reason });
  else log.info("auth.token.refused", { remote, reason });
}

function baseOf({ base }: AdmissionRequest, { bases }: GateOAuth): string {
  return base !== undefined && bases.includes(base) ? base : bases[0]!;
}
