import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A server on the loopback that keeps what it was sent; gone when the test is. */
export async function listen(
  answer: (response: ServerResponse, request: SeenRequest) => void,
  host = "127.0.0.1",
): Promise<{ origin: string; port: number; seen: SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const server = createServer((message, response) => {
    void readAll(message).then((body) => {
      const request = {
        method: message.method ?? "",
        url: message.url ?? "",
        headers: message.headers,
        body,
      };
      seen.push(request);
      return answer(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://${host}:${port}`, port, seen };
}

async function readAll(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
