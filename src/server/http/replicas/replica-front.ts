/** What a listener has beside its endpoints where other gateways use the same store. */
import type { IncomingMessage } from "node:http";
import type { Clock } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import type { SharedStore } from "../mcp-endpoint.ts";
import { createPeerDoor, type PeerDoor } from "./peer-door.ts";
import { createPeering } from "./peering.ts";
import type { Peers } from "./replica-book.ts";

/** What of a shared store the gateway over HTTP works with. */
export interface ReplicaDeps extends Pick<SharedStore, "sessions" | "heldAt"> {
  readonly peers: Peers;
  /** For what replicas say to each other. */
  readonly key: () => Promise<Buffer>;
  readonly clock?: Clock;
  /** How long a replica that cannot be reached is waited for. */
  readonly waitMs?: number;
}

export interface ReplicaFront {
  readonly shared: SharedStore;
  readonly door: PeerDoor;
  readonly adoptedCount: number;
}

export function createReplicaFront(
  deps: ReplicaDeps,
  { log, proven }: { readonly log: Log; readonly proven: (request: IncomingMessage) => void },
): ReplicaFront {
  const { peers, sessions, heldAt } = deps;
  let adoptedCount = 0;
  const refused = (reason: string): void => log.info("peer.refused", { reason });
  return {
    shared: { peering: createPeering({ ...deps, log }), sessions, heldAt, adopted: () => adoptedCount++ },
    door: createPeerDoor({ ...deps, ownId: peers.ownId, proven, refused }),
    get adoptedCount() {
      return adoptedCount;
    },
  };
}
