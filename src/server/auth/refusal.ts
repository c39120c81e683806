/**
 * How a request is turned away. What was wrong with its token is logged and never told: answers to guesses are all
 * alike. That a token of ours has expired is told, because whoever shows it has it.
 */
import { isIPv6 } from "node:net";
import { type Clock, systemClock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { Admission, AdmissionRequest, GateOAuth } from "./admission.ts";
import { challengeOf } from "./challenge.ts";
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
  /** Of a token of our own that is on record and was good until then. */
  readonly expiredAt?: string;
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
      ...(failure?.expiredAt !== undefined && { error_description: "The token has expired." }),
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
    if (retryAfterS === undefined)
      return { kind: "refused", status: 401, challenge, message: messageFor(failure) };
    const message = `Too many tokens that are not accepted came from here. Wait ${retryAfterS} s; a token that is good comes in at once.`;
    return { kind: "refused", status: 429, challenge, message, retryAfterS };
  };
}

function messageFor({ expiredAt }: TokenFailure): string {
  if (expiredAt === undefined) return BAD_TOKEN;
  return (
    `This token has expired, at ${expiredAt}. ` +
    "A new one with the same limits is made on the machine of the gateway with: repertoire token rotate NAME --expires 30d"
  );
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

export const FAILURE_COUNT_MAX = 10;
export const FAILURE_WINDOW_MS = 60_000;
/** A caller with more addresses than this gets more tries; the memory of the gateway stays bounded. */
const TRACKED_MAX = 4_096;

/**
 * Slows down guessing: a caller that fails too often within a minute is told to wait. It only ever concerns failures,
 * so no caller can lock out the owner of a token by failing beside them.
 */
interface FailureCount {
  /** Counts one more for each of these keys. */
  add(keys: readonly string[]): CountedFailure;
}

interface CountedFailure {
  /** How long to wait, where one of the keys has failed too often. */
  readonly retryAfterS?: number;
  /** Whether that is news. */
  readonly isFirst: boolean;
}

interface Window {
  readonly endsAtMs: number;
  count: number;
}

export function createFailureCount(
  clock: Clock = systemClock,
  trackedMax: number = TRACKED_MAX,
): FailureCount {
  /** The oldest window is first. */
  const windows = new Map<string, Window>();

  function windowOf(key: string, nowMs: number): Window {
    const known = windows.get(key);
    if (known !== undefined && known.endsAtMs > nowMs) return known;
    windows.delete(key);
    const opened = { endsAtMs: nowMs + FAILURE_WINDOW_MS, count: 0 };
    windows.set(key, opened);
    if (windows.size > trackedMax) windows.delete(windows.keys().next().value!);
    return opened;
  }

  return {
    add(keys) {
      const nowMs = clock.elapsed();
      const counted = keys.map((key) => windowOf(key, nowMs));
      for (const window of counted) window.count++;
      const over = counted.filter((window) => window.count > FAILURE_COUNT_MAX);
      if (over.length === 0) return { isFirst: false };
      const waitMs = Math.max(...over.map((window) => window.endsAtMs)) - nowMs;
      const isFirst = over.every((window) => window.count === FAILURE_COUNT_MAX + 1);
      return { retryAfterS: Math.max(1, Math.ceil(waitMs / 1000)), isFirst };
    },
  };
}

/** Who an address means: with IPv6 one subscriber has a whole /64, so that is counted as one. */
export function remoteKey(remote: string): string {
  const [address = ""] = remote.toLowerCase().split("%");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  if (mapped !== null) return mapped[1]!;
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? [] : Array<string>(8 - front.length - back.length).fill("0");
  const groups = [...front, ...zeros, ...back].map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.slice(0, 4).join(":")}::/64`;
}
