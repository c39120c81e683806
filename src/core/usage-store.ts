/** What was done in a time, in numbers: a contract, as in store.ts. Everything is counted from rows that are there anyway. */
import type { Scope } from "./names.ts";
import type { RunKind } from "./store.ts";

export interface UsageRange {
  readonly scope: Scope;
  /** From this time on. */
  readonly since: number;
  /** Buckets of this length, counted from 0 at `bucketFrom`, which is no later than `since`. */
  readonly bucketFrom: number;
  readonly bucketMs: number;
  /** Only what this principal did. */
  readonly owner?: string | undefined;
  /** Only what was done through this profile. */
  readonly profile?: string | undefined;
  /** What this client did spared no model anything: it is a person's. */
  readonly personalClient: string;
}

/** What calls made inside runs brought, and what of it came back to a client. */
interface InnerCalls {
  /** Conversations of clients in which something ran. A client without sessions has one a day. */
  readonly conversationCount: number;
  /** Runs that a client started. */
  readonly runCount: number;
  /** Calls of servers' tools that they made; one that was answered from the journal is not made. */
  readonly callCount: number;
  /** Of the results of these calls. */
  readonly resultBytes: number;
  /** Of what the runs returned. */
  readonly returnedBytes: number;
}

export interface Usage {
  /** Runs that no other run started. What goes on from another run is the same execution. */
  readonly runs: Readonly<Record<RunKind, number>>;
  /** Clients' calls of servers' tools, as the call log has them; of every scope. */
  readonly plainCallCount: number;
  /** How often each capability was used, also from within other runs. */
  readonly uses: readonly {
    readonly bucket: number;
    readonly capabilityId: string;
    readonly count: number;
  }[];
  /** Capabilities that were saved first in each bucket, also those that were removed since. */
  readonly saved: readonly { readonly bucket: number; readonly count: number }[];
  readonly library: {
    readonly count: number;
    /** Those of code whose current version has an example. */
    readonly exampleCount: number;
  };
  readonly inner: InnerCalls;
}

export interface UsageStore {
  /** Reads what lies in the range, and nothing before it. */
  read(range: UsageRange): Promise<Usage>;
}
