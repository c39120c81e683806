import { createServer } from "node:net";

/** Below those that the system gives to outgoing connections: none of them takes it while its owner does not listen. */
const [PORT_MIN, PORT_MAX] = [20_000, 32_000];

/** A port of loopback for what stops listening and listens on it again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  return promise;
}
