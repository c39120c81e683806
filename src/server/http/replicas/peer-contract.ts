/** What the endpoints know of other replicas. What talks to them is loaded only where there are any. */
import type { HttpCall } from "../http-call.ts";

/** On a request between replicas: who it is for, and that a replica has sent it. */
export const FORWARDED_HEADER = "repertoire-forwarded";
/** On its answer: which replica has given it. */
export const REPLICA_HEADER = "repertoire-replica";
/** On an answer between replicas: the session is not here, and the row says where it may be. */
export const SESSION_HEADER = "repertoire-session";
export const SESSION_GONE = "gone";

/**
 * - `answered`: the client has its answer, or will get it.
 * - `gone`: the replica is there, and what was asked for is not.
 * - `dead`: there is no such replica any more.
 */
export type Forwarding = "answered" | "gone" | "dead";

export interface Peering {
  readonly ownId: string;
  /** Requests that other replicas have answered, since the start. */
  readonly forwardedCount: number;
  forward(call: HttpCall, replica: string, body?: Buffer): Promise<Forwarding>;
  close(): void;
}
