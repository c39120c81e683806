/**
 * Requests that another replica passes on to this one: opened here, then handled as if the client had sent them here. The
 * header proves that a replica of the same store has sent it; everything about the client is checked again.
 */
import { IncomingMessage, type ServerResponse } from "node:http";
import { systemClock, type Clock } from "../../../core/clock.ts";
import { BODY_BYTES_MAX, HEADER_BYTES_MAX } from "../limits.ts";
import { FORWARDED_HEADER, REPLICA_HEADER } from "./peer-contract.ts";
import { makeProof, openRequest, readForwardedHeader, SeenIds, type ForwardedRequest } from "./peer-seal.ts";
import { readBytes } from "../read-bytes.ts";
import { refuseAndClose } from "../reply.ts";

export interface PeerDoor {
  /** What the client has sent; undefined where it was no replica that passed it on, and it has been answered. */
  open(request: IncomingMessage, response: ServerResponse): Promise<IncomingMessage | undefined>;
}

export interface PeerDoorDeps {
  readonly ownId: string;
  readonly key: () => Promise<Buffer>;
  /** The header is good: what comes over this socket is from a replica. */
  readonly proven: (request: IncomingMessage) => void;
  readonly refused: (reason: string) => void;
  readonly clock?: Clock;
}

/** A body as large as any, and header lines that quoting has made longer. */
const SEALED_BYTES_MAX = BODY_BYTES_MAX + 4 * HEADER_BYTES_MAX;

export function createPeerDoor({ ownId, key, proven, refused, clock = systemClock }: PeerDoorDeps): PeerDoor {
  const seen = new SeenIds(() => clock.elapsed());

  function refuse(request: IncomingMessage, response: ServerResponse, status: number, reason: string) {
    refused(reason);
    const message = `The header Repertoire-Forwarded is for replicas of this gateway, and this one is refused: ${reason}.`;
    refuseAndClose(request, response, { status, message });
    return undefined;
  }

  return {
    async open(request, response) {
      const header = request.headers[FORWARDED_HEADER];
      const secret = await key();
      const read = readForwardedHeader(secret, typeof header === "string" ? header : "", clock.now());
      if (read.kind === "bad") return refuse(request, response, 403, read.reason);
      response.setHeader(REPLICA_HEADER, makeProof(secret, header as string, ownId));
      // The sender learns from the proof who listens here now.
      if (read.to !== ownId) return refuse(request, response, 421, "it is for another replica");
      if (!seen.add(read.id)) return refuse(request, response, 403, "it came before");
      proven(request);
      const sealed = await readBytes(request, SEALED_BYTES_MAX);
      if (sealed === "gone") return undefined;
      const opened = sealed === "too_large" ? undefined : openRequest(secret, header as string, sealed);
      if (opened === undefined) return refuse(request, response, 403, "its body does not belong to it");
      return messageOf(opened, request);
    },
  };
}

/** The client's request, as it would be had it come over this socket. */
function messageOf(opened: ForwardedRequest, { socket, httpVersion }: IncomingMessage): IncomingMessage {
  const message = new IncomingMessage(socket);
  message.method = opened.method;
  message.url = opened.target;
  message.httpVersion = httpVersion;
  message.rawHeaders = [...opened.rawHeaders];
  message.headersDistinct = distinctOf(opened.rawHeaders);
  message.headers = Object.fromEntries(
    Object.entries(message.headersDistinct).map(([name, values]) => [name, joined(name, values!)]),
  );
  // Its end is known already; one that seems cut would take the socket along.
  message.complete = true;
  message.push(opened.body);
  message.push(null);
  return message;
}

function distinctOf(rawHeaders: readonly string[]): Record<string, string[]> {
  const distinct: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    (distinct[rawHeaders[at]!.toLowerCase()] ??= []).push(rawHeaders[at + 1]!);
  return distinct;
}

/** Of these node keeps the first; the guard refuses a request that has one of them twice. */
const SINGLE: ReadonlySet<string> = new Set([
  "authorization",
  "content-type",
  "host",
  "origin",
  "user-agent",
]);

function joined(name: string, values: string[]): string {
  return SINGLE.has(name) ? values[0]! : values.join(name === "cookie" ? "; " : ", ");
}
