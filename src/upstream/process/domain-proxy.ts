/**
 * The only way out of a server whose network is filtered: an HTTP proxy that knows the domains of its config. It takes
 * CONNECT and plain requests; TLS goes through it unread. The server is on the other end of the channel and may send
 * whatever it likes, so nothing is believed but the name of the host that it asks for:
 *
 * - The name must be allowed, and not denied.
 * - It is resolved once, and the socket connects to what was checked. An address of this machine is reached only where
 *   the config names that address, or `localhost`; one of a private network only where it names that very host. So a
 *   name that is allowed by a pattern leads to no service of this machine, whatever its owner makes it resolve to.
 */
import { lookup } from "node:dns/promises";
import {
  createServer as createHttpServer,
  request as requestHttp,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { connect, isIP, type Socket } from "node:net";
import { duplexPair, pipeline, type Duplex } from "node:stream";
import type { Isolation } from "../../process/isolation/isolation.ts";
import type { Log } from "../../core/log.ts";
import { createAddressRule, type Resolve } from "../../net/address-policy.ts";
import { kindOfAddress } from "../../net/addresses.ts";
import { bareName, matchesHost, namesHost } from "../../text/domain-list.ts";

export interface DomainProxyOptions {
  readonly network: Isolation["network"];
  readonly log: Log;
  /** As it is called in the log. */
  readonly server?: string | undefined;
  readonly resolve?: Resolve;
}

/** Connections of one server at once. */
const STREAM_COUNT_MAX = 128;
/** In MB, for one server: what waits in all its connections, each with its window of 64 KiB both ways. */
const SESSION_MEMORY_MAX = 32;
const CONNECT_MS_MAX = 15_000;
/** Names in the log; a server that tries all of them would fill it. */
const LOGGED_COUNT_MAX = 50;

/** Serves one channel until it closes. */
export function serveDomains(channel: Socket, options: DomainProxyOptions): void {
  const door = createDoor(options);
  const proxy = createHttpServer((request, response) => forward(request, response, door));
  proxy.on("connect", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    tunnel(request, socket, head, door);
  });
  proxy.on("clientError", (_error, socket) => socket.destroy());
  const carrier = createHttp2Server({
    settings: { maxConcurrentStreams: STREAM_COUNT_MAX },
    maxSessionMemory: SESSION_MEMORY_MAX,
  });
  carrier.on("stream", (stream, headers) => {
    stream.on("error", () => stream.destroy());
    if (headers[":method"] !== "CONNECT") {
      stream.close();
      return;
    }
    stream.respond({ ":status": 200 });
    // Strings that are written to such a stream together with buffers arrive damaged; the pair makes buffers of all.
    const [near, far] = duplexPair();
    pipeline(stream, far, stream, () => near.destroy());
    proxy.emit("connection", near);
  });
  carrier.on("session", (session) => session.on("error", () => session.destroy()));
  carrier.on("sessionError", () => {});
  carrier.emit("connection", channel);
}

/** Where a request wants to go, or why it may not. */
type Way =
  | { readonly kind: "open"; readonly connect: (port: number) => Socket }
  | { readonly kind: "closed"; readonly why: string };

type Door = (host: string) => Way;

function createDoor({ network, log, server, resolve }: DomainProxyOptions): Door {
  const { allowedDomains, deniedDomains } = network;
  const refused = new Set<string>();
  const refuse = (host: string, why: string): Way => {
    if (refused.size < LOGGED_COUNT_MAX && !refused.has(host)) {
      refused.add(host);
      log.warn("isolation.refused", {
        ...(server !== undefined && { server }),
        host: host.slice(0, 253),
        why,
      });
    }
    return { kind: "closed", why };
  };
  return (written) => {
    const host = bareName(written);
    if (matchesHost(deniedDomains, host)) return refuse(host, "it is in sandbox.network.deniedDomains");
    if (!matchesHost(allowedDomains, host))
      return refuse(host, "it is not in sandbox.network.allowedDomains");
    const isNamed = namesHost(allowedDomains, host);
    const refuses = (address: string): boolean => !mayReach(address, host, isNamed);
    if (isIP(host) !== 0 && refuses(host))
      return refuse(host, "its address is not public, and not named itself");
    const rule = createAddressRule(refuses, resolve ?? resolveName);
    const url = new URL(`http://${isIP(host) === 6 ? `[${host}]` : host}`);
    return {
      kind: "open",
      connect: (port) => {
        const socket = connect({ host, port, lookup: rule.lookupFor(url), autoSelectFamily: true });
        socket.setTimeout(CONNECT_MS_MAX, () => socket.connecting && socket.destroy(new Error("timeout")));
        return socket;
      },
    };
  };
}

const resolveName: Resolve = (host) => lookup(host, { all: true });

/** `isNamed`: the config has this very host, not only a pattern for it. */
function mayReach(address: string, host: string, isNamed: boolean): boolean {
  const kind = kindOfAddress(address);
  if (kind === "public") return true;
  if (!isNamed) return false;
  return isIP(host) !== 0 || kind === "private" || (kind === "loopback" && host === "localhost");
}

// ── the two kinds of requests ───────────────────────────────────────────────────────────────────────────────────────

function tunnel({ url = "" }: IncomingMessage, socket: Duplex, head: Buffer, door: Door): void {
  socket.on("error", () => socket.destroy());
  const target = parseTarget(`http://${url}`);
  const way = target === undefined ? NOT_A_TARGET : door(target.hostname);
  if (target === undefined || way.kind === "closed") {
    const why = way.kind === "closed" ? way.why : "";
    socket.end(
      `HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${refusal(url, why)}\n`,
    );
    return;
  }
  const out = way.connect(portOf(url, 443));
  let isOpen = false;
  out.once("connect", () => {
    isOpen = true;
    socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.length > 0) out.write(head);
    out.pipe(socket).pipe(out);
  });
  out.on("error", () => {
    if (isOpen) socket.destroy();
    else socket.end("HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n");
  });
  out.on("close", () => isOpen && socket.destroy());
  socket.on("close", () => out.destroy());
}

function forward(request: IncomingMessage, response: ServerResponse, door: Door): void {
  const { url = "", method, headers } = request;
  const target = parseTarget(url);
  const way = target === undefined ? NOT_A_TARGET : door(target.hostname);
  if (target === undefined || way.kind === "closed") {
    const why = way.kind === "closed" ? way.why : "";
    response.writeHead(403, { "content-type": "text/plain", connection: "close" });
    response.end(`${refusal(url, why)}\n`);
    return;
  }
  const out = requestHttp({
    method,
    path: `${target.pathname}${target.search}`,
    headers: { ...withoutHops(headers), host: target.host, connection: "close" },
    createConnection: () => way.connect(Number(target.port || 80)),
  });
  out.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
    answer.pipe(response);
    answer.on("error", () => response.destroy());
  });
  out.on("error", () => (response.headersSent ? response.destroy() : response.writeHead(502).end()));
  response.on("close", () => out.destroy());
  request.pipe(out);
}

const NOT_A_TARGET: Way = { kind: "closed", why: "it is not an address of http or https" };

/** For the server's own log, which is where its author looks. */
function refusal(url: string, why: string): string {
  return `Repertoire does not let this server reach ${url.slice(0, 253)}: ${why}.`;
}

function parseTarget(text: string): URL | undefined {
  const url = URL.parse(text);
  return url?.protocol === "http:" && url.hostname !== "" && url.username === "" ? url : undefined;
}

/** A URL drops the port that its scheme has anyway. */
function portOf(authority: string, otherwise: number): number {
  const port = Number(/:(\d{1,5})$/.exec(authority)?.[1] ?? otherwise);
  return port <= 65_535 ? port : otherwise;
}

const HOPS: ReadonlySet<string> = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/** What is between one program and the next, and no further. */
function withoutHops(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOPS.has(name)));
}
