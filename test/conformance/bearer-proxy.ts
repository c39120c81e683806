/**
 * The suite cannot send a token. This stands between the two on loopback and adds the Authorization header, and nothing else: bodies
 * pass as streams in both directions, status and headers as they are. Where a request names the proxy itself as its host or origin,
 * it names the server instead, as if it had been sent there; a foreign name passes as it is.
 */
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface BearerProxy {
  /** Where the target is reached with the token. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startBearerProxy(target: string, token: string): Promise<BearerProxy> {
  const to = new URL(target);
  let from = "";
  const server = createServer((incoming, response) => {
    const headers = forwardedHeaders(incoming.rawHeaders, from, to.host, token);
    pass(incoming, response, to, headers);
  });
  // A connection that is closed because it was idle may just be in use for the next request.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  from = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${from}${to.pathname}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function forwardedHeaders(raw: readonly string[], from: string, to: string, token: string): string[] {
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] ?? "";
    const value = raw[index + 1] ?? "";
    if (name.toLowerCase() === "host") headers.push(name, value === from ? to : value);
    else if (name.toLowerCase() === "origin")
      headers.push(name, value === `http://${from}` ? `http://${to}` : value);
    else headers.push(name, value);
  }
  return [...headers, "Authorization", `Bearer ${token}`];
}

function pass(incoming: IncomingMessage, response: ServerResponse, to: URL, headers: string[]): void {
  const { method, url } = incoming;
  // A connection for each request, for the same reason: the other end is the one that closes.
  const target = { host: to.hostname, port: to.port, agent: false };
  const outgoing = request({ ...target, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    // The head of an event stream is an answer of its own: the first event may come much later.
    response.flushHeaders();
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  });
  outgoing.once("error", () => response.destroy());
  // Whoever leaves takes the other with it, as on one connection.
  response.once("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}
