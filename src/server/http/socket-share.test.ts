import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../../test/fixtures/temporary.ts";
import { principalOf } from "./http.testkit.ts";
import { SocketShare } from "./socket-share.ts";

const STRANGERS_MAX = 5;

/** Real sockets, as the listener sees them. */
async function openSockets(strangerMs = 60_000) {
  const share = new SocketShare(strangerMs, STRANGERS_MAX);
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    accepted.push(socket);
    share.opened(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const clients: Socket[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  /** One after another, so that it is known which is the oldest. */
  async function open(): Promise<Socket> {
    const before = accepted.length;
    const client = connect(port, "127.0.0.1");
    client.on("error", () => {});
    clients.push(client);
    return eventually("the socket", () => accepted[before]);
  }
  return { share, open };
}

it("S18: the oldest socket without a token gives way to the next, and one with a token never does", async () => {
  const { share, open } = await openSockets();
  const known = await open();
  expect(share.admit(known, principalOf("ann"))).toBeUndefined();
  const strangers: Socket[] = [];
  for (let i = 0; i < STRANGERS_MAX + 2; i++) strangers.push(await open());
  expect(share.strangerCount).toBe(STRANGERS_MAX);
  expect(strangers.map(({ destroyed }) => destroyed)).toEqual(strangers.map((_, at) => at < 2));
  expect([known.destroyed, share.knownCount]).toEqual([false, 1]);
});

it("S18: a socket over which no good token comes is closed after its time", async () => {
  const { share, open } = await openSockets(1_000);
  const known = await open();
  share.admit(known, principalOf("ann"));
  const stranger = await open();
  await eventually("the end", () => stranger.destroyed && share.strangerCount === 0);
  expect([known.destroyed, share.knownCount]).toEqual([false, 1]);
});

it("S15: counts each socket once for its principal, until it is closed", async () => {
  const { share, open } = await openSockets();
  const socket = await open();
  for (let i = 0; i < 3; i++) expect(share.admit(socket, principalOf("ann"))).toBeUndefined();
  expect([share.knownCount, share.strangerCount]).toEqual([1, 0]);
  socket.destroy();
  await eventually("the end", () => share.knownCount === 0);
});
