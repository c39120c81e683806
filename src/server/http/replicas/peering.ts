/**
 * Requests that belong to another replica: to the one that has the session, or that holds the call. The whole request is
 * passed on to it and its answer is passed back as it comes, streams too; the client's close ends the request there.
 *
 * What is sent, and to whom. The address of a replica is a row of the store. By the time it is used, another program may
 * listen there: addresses of containers are given out again within seconds. The request carries a token, and often what a
 * person has typed, so nothing of it may reach that program. Asking first who listens there would tell about that moment
 * and that connection only. So the request is never readable on its way: it is sealed under a key of the store
 * (peer-seal.ts), and whether the other side can open it is the proof. A stranger receives bytes that it can neither read
 * nor use at the replica that they were meant for later, and its answer, which lacks the proof, never reaches the client.
 *
 * - A forwarded request is never forwarded again: the other replica serves it, or says that it is not its own. So there
 *   are no loops, whatever the rows say.
 * - The other replica checks the client's token and its permissions again; Host and Origin are about the address that the
 *   client used, and were checked there. The answer is as readable on the network as any over the same protocol.
 * - A replica that cannot be reached is waited for until it is back or dead. The body, which is the request, is sent when
 *   the other side asks for it: over a connection that ends before that, as kept ones do when their replica ends, nothing
 *   has happened. What was sent is not sent twice: the client is told that its outcome is not known.
 */
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock, type Clock } from "../../../core/clock.ts";
import type { Log } from "../../../core/log.ts";
import { BEAT_MS, DEAD_AFTER_MS, type SeenReplica } from "../../../core/replica-store.ts";
import { REQUEST_FAILED } from "../../../core/rpc-codes.ts";
import { createAddressRule } from "../../../net/address-policy.ts";
import { kindOfAddress } from "../../../net/addresses.ts";
import { createHttpClient } from "../../../net/http-client.ts";
import { countStream } from "../event-stream.ts";
import { goneSignal, type HttpCall } from "../http-call.ts";
import { SOCKET_COUNT_MAX } from "../limits.ts";
import { makeForwardedHeader, readProof, sealRequest } from "./peer-seal.ts";
import {
  FORWARDED_HEADER,
  REPLICA_HEADER,
  SESSION_GONE,
  SESSION_HEADER,
  type Forwarding,
  type Peering,
} from "./peer-contract.ts";
import { createReplicaBook, isDeadSilent, isDeadUnreached, type Peers } from "./replica-book.ts";
import { replyError, replyJson } from "../reply.ts";

export interface PeeringDeps {
  readonly peers: Peers;
  /** Of the store, for what replicas say to each other. */
  readonly key: () => Promise<Buffer>;
  readonly log: Log;
  readonly clock?: Clock;
  /** How long a replica that cannot be reached is waited for. */
  readonly waitMs?: number;
}

/** Replicas are near each other. */
const CONNECT_MS = 2_000;
/** A row that is so old is of a replica that has left, or was killed long ago: nothing is sent to its address any more. */
const GONE_MS = 60 * 60_000;
/** Between two attempts to reach a replica. */
const AGAIN_MS = 250;
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // Not of one connection, but wrong once the body was read and sealed.
  "content-length",
  "expect",
]);

export function createPeering(deps: PeeringDeps): Peering {
  const { peers, key, log, clock = systemClock, waitMs = DEAD_AFTER_MS } = deps;
  const book = createReplicaBook(peers, () => clock.elapsed());
  const client = createHttpClient({
    // The row says where; it never leads to the services of a cloud that answer on link-local addresses.
    policy: createAddressRule((address) => kindOfAddress(address) === "special"),
    connectMs: CONNECT_MS,
    // Each stream of a client has a connection of its own.
    socketsMax: SOCKET_COUNT_MAX,
  });
  let forwardedCount = 0;

  /** Sends the request once. `unreached` means that the replica has not seen it, or may see it again. */
  async function send(
    call: HttpCall,
    seen: SeenReplica,
    body: Buffer,
    gone: AbortSignal,
  ): Promise<Forwarding | "unreached"> {
    if (seen.url === null || !URL.canParse(seen.url)) return "unreached";
    const secret = await key();
    const header = makeForwardedHeader(secret, seen.id, clock.now());
    const { method = "GET", url: target = call.path, rawHeaders } = call.request;
    const request = { method, target, rawHeaders: endToEnd(rawHeaders), body };
    const ending = new AbortController();
    const watch = setInterval(() => void endIfDead(seen.id, ending), BEAT_MS);
    watch.unref();
    const outcome = await client.open(
      {
        url: new URL(call.path, seen.url),
        method: "POST",
        headers: new Map([
          ["content-type", "application/octet-stream"],
          [FORWARDED_HEADER, header],
        ]),
        body: sealRequest(secret, header, request),
      },
      { signal: AbortSignal.any([gone, ending.signal]) },
    );
    if (outcome.kind !== "opened") {
      clearInterval(watch);
      if (gone.aborted) return "answered";
      const code = outcome.kind === "broken" ? outcome.code : outcome.kind;
      log.info("peer.unreached", { replica: seen.id, url: seen.url, code });
      const isSent = outcome.kind !== "refused" && outcome.sent;
      return isSent && !canRepeat(call) ? tellUnknown(call) : "unreached";
    }
    const { message } = outcome;
    message.once("close", () => clearInterval(watch));
    const answerer = readProof(secret, header, message.headers[REPLICA_HEADER]);
    if (answerer === seen.id && message.headers[SESSION_HEADER] !== SESSION_GONE) {
      forwardedCount++;
      call.forwardedTo = seen.id;
      relay(message, call);
      return "answered";
    }
    message.destroy();
    if (answerer === seen.id) return "gone";
    log.warn("peer.stranger", { replica: seen.id, url: seen.url, answerer });
    // A later replica at the same address proves that the earlier one has ended.
    return answerer === undefined ? "unreached" : "dead";
  }

  /** A replica that is stopped, or whose machine has gone, keeps its connections and says nothing. */
  async function endIfDead(id: string, ending: AbortController): Promise<void> {
    const isDead = await book.find(id).then(isDeadSilent, () => false);
    if (isDead) ending.abort(new Error("the replica is dead"));
  }

  return {
    ownId: peers.ownId,
    get forwardedCount() {
      return forwardedCount;
    },
    async forward(call, replica, body = Buffer.alloc(0)) {
      const gone = goneSignal(call);
      const until = clock.elapsed() + waitMs;
      for (;;) {
        const seen = await book.find(replica);
        if (seen === undefined || seen.ageMs > GONE_MS) return "dead";
        const outcome = await send(call, seen, body, gone);
        if (outcome !== "unreached") return outcome;
        if (isDeadUnreached(seen)) return "dead";
        if (clock.elapsed() >= until) return tellUnreached(call, seen, log);
        await delay(AGAIN_MS, undefined, { signal: gone }).catch(() => {});
        if (gone.aborted) return "answered";
      }
    },
    close: () => client.close(),
  };
}

/** Names and values of a message, without what is about one connection and what only replicas say. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, at) => isEndToEnd(rawHeaders[at - (at % 2)]!.toLowerCase()));
}

function isEndToEnd(name: string): boolean {
  return !HOP_BY_HOP.has(name) && !name.startsWith("repertoire-");
}

/** Streams, notifications, answers and the end of a session do the same the second time. */
function canRepeat({ requestId }: HttpCall): boolean {
  return requestId === undefined;
}

function relay(message: IncomingMessage, { response }: HttpCall): void {
  const headers = Object.entries(message.headersDistinct).filter(([name]) => isEndToEnd(name));
  const length = message.headers["content-length"];
  response.writeHead(message.statusCode ?? 502, {
    ...Object.fromEntries(headers),
    ...(length !== undefined && { "content-length": length }),
  });
  response.flushHeaders();
  if (message.headers["content-type"]?.startsWith("text/event-stream") === true) countStream(response);
  // What ends before it is whole ends for the client in the same way.
  message.once("close", () => {
    if (!message.complete) response.destroy();
  });
  message.on("error", () => response.destroy());
  response.once("close", () => message.destroy());
  message.pipe(response);
}

/** With status 200: a balancer might send a request again that failed with another one. */
function tellUnknown({ response, requestId }: HttpCall): "answered" {
  const message =
    "The replica that this request belongs to ended before it answered; the request may have taken effect.";
  const error = { code: REQUEST_FAILED, message, data: { mayHaveHappened: true } };
  replyJson(response, 200, { jsonrpc: "2.0", id: requestId, error });
  return "answered";
}

function tellUnreached({ response, requestId }: HttpCall, { id, url }: SeenReplica, log: Log): "answered" {
  log.warn("peer.away", { replica: id, url });
  const message =
    "The replica that this request belongs to is alive and cannot be reached from here. Try again in a moment. " +
    "Operators: REPERTOIRE_REPLICA_URL of each replica must be an address at which the others reach it.";
  replyError(response, { status: 503, message, id: requestId ?? null, headers: { "Retry-After": "2" } });
  return "answered";
}
