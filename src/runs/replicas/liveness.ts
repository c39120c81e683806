/**
 * Whether the owner of a run still lives. The one place that knows both rules: a process of this machine and namespace is
 * looked for among its processes; on a store of several machines, its row as a replica says when it was last seen.
 */
import type { ClaimGrounds } from "../../core/store.ts";
import { createOwner, isGone } from "../journal/owner.ts";

export interface Liveness {
  /** What this process is called in the leases of its runs. */
  readonly owner: string;
  /**
   * What it is called while it takes a run over to write its end. It is no replica, so a claim that was lost half way ends
   * with its short lease, and not with this process.
   */
  readonly settler: string;
  /** Whether processes of other machines own runs too. */
  readonly isShared: boolean;
  /** This process is going to own a run, or to wait for one: from now on it says that it lives. */
  begin(): Promise<void>;
  /** Whether the owner is known to be gone, as far as this process has seen. Where nothing can be known, it is not. */
  isGone(owner: string): boolean;
  /** Whether the owner has not been seen for a while; it waits until it is seen, or is late. It need not be gone. */
  isSilent(owner: string): Promise<boolean>;
  /** Why this process may take over a run of this owner. The store decides. */
  groundsFor(owner: string | null): ClaimGrounds;
}

/** For a store of one machine. */
export function createLocalLiveness(owner: string = createOwner()): Liveness {
  return {
    owner,
    settler: owner,
    isShared: false,
    begin: () => Promise.resolve(),
    isGone,
    isSilent: async (other) => isGone(other),
    groundsFor: (other) => (other !== null && isGone(other) ? { gone: other } : {}),
  };
}
