/**
 * The session that a request belongs to. One of this replica is in memory, and finding it asks nobody. Any other id names
 * the replica that made it:
 *
 * - That replica lives: the request goes there.
 * - It does not have the session any more: the row says who has adopted it, and the request goes there.
 * - It is dead, or gives the session up because it is ending: the session is adopted here from its row. Of several
 *   replicas that try, one wins, and the others pass their requests on to it.
 *
 * For a principal or a profile that the session is not of, it does not exist.
 */
import { SESSION_NOT_FOUND } from "../../core/rpc-codes.ts";
import type { StoredSession } from "../../core/replica-store.ts";
import { createLru } from "../../timing/lru.ts";
import { headerOf, type HttpCall } from "./http-call.ts";
import { replicaOf, type KeptSessions } from "./kept-sessions.ts";
import { SESSION_GONE, SESSION_HEADER, type Peering } from "./replicas/peer-contract.ts";
import { replyError } from "./reply.ts";
import type { HttpSession } from "./session.ts";
import type { Sessions } from "./sessions.ts";

/** What a session is where there are other replicas. */
export interface SharedSessions {
  readonly peering: Peering;
  readonly kept: KeptSessions;
  /** Sessions that were adopted here, since the start. */
  readonly adopted: () => void;
}

export interface SessionFinderDeps {
  readonly sessions: Sessions;
  readonly shared: SharedSessions | undefined;
  /** Goes on with a session from its row; undefined where the principal has no place for one more. */
  readonly adopt: (id: string, row: StoredSession, call: HttpCall) => Promise<HttpSession | undefined>;
}

export interface SessionFinder {
  /** Undefined when the answer has been given already. */
  require(call: HttpCall, body?: Buffer): HttpSession | undefined | Promise<HttpSession | undefined>;
}

/** Sessions that another replica has than the one that made their id, as far as this one was told. */
const MOVED_COUNT_MAX = 10_000;
/** The replica that made it, the one that adopted it, and the one that adopted it from that. */
const HOP_COUNT_MAX = 4;

export function createSessionFinder({ sessions, shared, adopt }: SessionFinderDeps): SessionFinder {
  const moved = createLru<string>({ countMax: MOVED_COUNT_MAX, sizeMax: MOVED_COUNT_MAX });
  const adopting = new Map<string, Promise<HttpSession | undefined>>();

  /** One adoption serves all requests that came for the session. It is told to those that another replica passes on too. */
  function adoptOnce(id: string, row: StoredSession, call: HttpCall, { kept }: SharedSessions) {
    const here = sessions.find(id, call.principal);
    if (here !== undefined) return here;
    const begin = async (): Promise<HttpSession | undefined> =>
      (await kept.adopt(row)) ? adopt(id, row, call) : undefined;
    const begun = adopting.get(id) ?? begin().finally(() => adopting.delete(id));
    adopting.set(id, begun);
    return begun;
  }

  async function findElsewhere(
    call: HttpCall,
    id: string,
    body: Buffer | undefined,
    others: SharedSessions,
  ): Promise<HttpSession | undefined> {
    const { peering, kept } = others;
    await adopting.get(id);
    for (let hop = 0; hop < HOP_COUNT_MAX; hop++) {
      const here = sessions.find(id, call.principal);
      if (here !== undefined) return here;
      // A request that was passed on goes no further.
      if (call.isForwarded === true) break;
      const owner = moved.get(id) ?? replicaOf(id);
      if (owner === undefined) break;
      if (owner !== peering.ownId && (await peering.forward(call, owner, body)) === "answered")
        return undefined;
      const row = await kept.find(id, call.principal);
      if (row === undefined) break;
      moved.set(id, row.replica, 1);
      if (row.replica !== owner && row.replica !== peering.ownId) continue;
      const session = await adoptOnce(id, row, call, others);
      if (session !== undefined) moved.remove(id);
      if (session !== undefined || call.response.headersSent) return session;
    }
    return refuse(call);
  }

  return {
    require(call, body) {
      const id = headerOf(call, "mcp-session-id");
      if (id === undefined) {
        const message =
          "The header Mcp-Session-Id is missing: send initialize first, and the id that it answers with each request.";
        replyError(call.response, { status: 400, message });
        return undefined;
      }
      const session = sessions.find(id, call.principal);
      if (session !== undefined) return session;
      if (shared === undefined || sessions.has(id) || replicaOf(id) === undefined) return refuse(call);
      return findElsewhere(call, id, body, shared);
    },
  };
}

function refuse({ response, isForwarded }: HttpCall): undefined {
  const message = "There is no such session any more: send initialize to open a new one.";
  const headers: Record<string, string> = isForwarded === true ? { [SESSION_HEADER]: SESSION_GONE } : {};
  replyError(response, { status: 404, code: SESSION_NOT_FOUND, message, headers });
  return undefined;
}
