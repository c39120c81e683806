import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { UNREAD_MS } from "./limits.ts";
import { replyText } from "./reply.ts";

/** The response of one request whose client reads nothing. */
async function openResponse(): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => resolve(response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const request = get({ port: (server.address() as AddressInfo).port }, (response) => response.pause());
  request.on("error", () => {});
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return promise;
}

it("T061: a large answer that nobody takes is not kept for ever, and a small one costs no timer", async () => {
  const small = await openResponse();
  replyText(small, 200, "x");
  expect(small.socket?.timeout ?? 0).toBe(0);
  const large = await openResponse();
  replyText(large, 200, "x".repeat(1024 * 1024));
  expect(large.socket?.timeout).toBe(UNREAD_MS);
});
