/** Who asks, over HTTP: what they may do, and under which name they are known in logs, audit and fair queues. */
import type { Effect } from "./rule.ts";

export const PERMISSIONS = ["read", "call", "write", "admin"] as const;

/**
 * `read` lists and reads, `call` also runs tools and code, `write` changes the library and decides on approvals, `admin`
 * everything else, such as metrics. None contains another: a token lists what it may do.
 */
export type Permission = (typeof PERMISSIONS)[number];

/** Who calls where there is no principal: the person at this machine. */
export const LOCAL = "local";

export interface Principal {
  /** Never changes for the same person or token: `token:laptop`, `oauth:<issuer>#<subject>`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly permissions: ReadonlySet<Permission>;
  /** The profiles that it may come in by, and nothing else; without it, every one, and the gateway without a profile. */
  readonly profiles?: ReadonlySet<string>;
  /** The effects that its calls may have; without it, all. */
  readonly effects?: ReadonlySet<Effect>;
  /** Patterns of the tools that it may call, by exposed name; without it, all. */
  readonly tools?: readonly string[];
  /** Aborted when the token is revoked, rotated or has expired: streams end, and runs make no further calls. */
  readonly revoked: AbortSignal;
}

/**
 * Whose runs and drafts somebody may see: a token with limits beside its permissions sees those that it made itself, and
 * for it there are no others. Undefined means everybody's.
 */
export function ownerSeenBy(principal: Principal | undefined): string | undefined {
  const { profiles, effects, tools, id } = principal ?? {};
  return profiles === undefined && effects === undefined && tools === undefined ? undefined : id;
}

/** Whether somebody may decide what a run asks a person. Without a principal it is the person at this machine. */
export function mayDecide(principal: Principal | undefined): boolean {
  return principal?.permissions.has("write") !== false;
}
