import { once } from "node:events";
import { createServer, request, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { startBearerProxy } from "./bearer-proxy.ts";

const TOKEN = "t".repeat(8);

async function startTarget(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp/one`;
}

async function startPair(listener: RequestListener) {
  const target = await startTarget(listener);
  const proxy = await startBearerProxy(target, TOKEN);
  onTestFinished(() => proxy.close());
  return { target: new URL(target), proxy: new URL(proxy.url) };
}

test("a request arrives with the token, its body and its path", async () => {
  const seen: string[] = [];
  const { proxy } = await startPair((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url} ${incoming.headers.authorization}`);
    response.writeHead(418, { "mcp-session-id": "s" });
    incoming.pipe(response);
  });
  const response = await fetch(proxy, { method: "POST", body: "hello" });
  expect(await response.text()).toBe("hello");
  expect([response.status, response.headers.get("mcp-session-id")]).toEqual([418, "s"]);
  expect(seen).toEqual([`POST /mcp/one Bearer ${TOKEN}`]);
});

test("a request that names the proxy names the server, and a foreign name passes as it is", async () => {
  const { target, proxy } = await startPair((incoming, response) => {
    response.end(`${incoming.headers.host} ${incoming.headers.origin}`);
  });
  const ask = async (host: string): Promise<string> => {
    const outgoing = request(proxy, { headers: { host, origin: `http://${host}` } }).end();
    const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
    return (await answer.toArray()).join("");
  };
  expect(await ask(proxy.host)).toBe(`${target.host} http://${target.host}`);
  expect(await ask("evil.example.com")).toBe("evil.example.com http://evil.example.com");
});

test("the head of an event stream passes before its first event, and the end of the client ends it", async () => {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const { proxy } = await startPair((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    response.once("close", resolve);
  });
  const leaving = new AbortController();
  const response = await fetch(proxy, { signal: leaving.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  leaving.abort();
  await ended;
});
