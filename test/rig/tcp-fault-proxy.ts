/** A TCP proxy on loopback that delays, cuts and resets what passes through it; its faults may change while it runs. */
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface TcpFaults {
  /** Each chunk waits so long, in both directions. */
  latencyMs?: number | undefined;
  /** Both sides are reset once so many bytes have passed in this connection, in both directions together. */
  resetAfterBytes?: number | undefined;
  /** Chunks are cut into pieces of this size, with a pause after each so that they arrive apart. */
  sliceBytes?: number | undefined;
  /** Nothing passes any more and nothing ends: a peer that lost its power. What came meanwhile is lost. */
  halfOpen?: boolean | undefined;
  /** New connections are reset at once. */
  refuse?: boolean | undefined;
}

export interface FaultProxy {
  readonly port: number;
  readonly faults: TcpFaults;
  /** All connections since the start, the refused ones too. */
  connectionCount(): number;
  close(): Promise<void>;
}

/** Two writes in less time may arrive as one. */
const SLICE_PAUSE_MS = 2;

export async function createFaultProxy(options: {
  target: { host: string; port: number };
  faults?: TcpFaults;
}): Promise<FaultProxy> {
  const faults: TcpFaults = { ...options.faults };
  const open = new Set<Socket>();
  let connectionCount = 0;

  const server = createServer({ allowHalfOpen: true }, (client) => {
    connectionCount++;
    // A reset needs no handler of its own: its close event follows.
    client.on("error", () => {});
    if (faults.refuse) return void client.resetAndDestroy();
    const target = connect({ ...options.target, allowHalfOpen: true });
    target.on("error", () => client.resetAndDestroy());
    const meter = { bytes: 0 };
    relay(client, target, faults, meter);
    relay(target, client, faults, meter);
    for (const socket of [client, target]) {
      socket.setNoDelay(true);
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    faults,
    connectionCount: () => connectionCount,
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Moves one direction, chunk after chunk; the source is read no faster than the faults let it pass. */
function relay(from: Socket, to: Socket, faults: TcpFaults, meter: { bytes: number }): void {
  async function pump(): Promise<void> {
    for await (const chunk of from) await pass(chunk as Buffer);
    if (!faults.halfOpen) to.end();
  }

  async function pass(chunk: Buffer): Promise<void> {
    if (faults.latencyMs) await sleep(faults.latencyMs);
    const size = faults.sliceBytes ?? chunk.length;
    for (let start = 0; start < chunk.length; start += size) {
      if (faults.halfOpen) return;
      const left = (faults.resetAfterBytes ?? Infinity) - meter.bytes;
      const slice = chunk.subarray(start, start + Math.min(size, Math.max(0, left)));
      meter.bytes += slice.length;
      await put(to, slice);
      if (meter.bytes >= (faults.resetAfterBytes ?? Infinity)) return reset(from, to);
      if (faults.sliceBytes !== undefined) await sleep(SLICE_PAUSE_MS);
    }
  }

  // A source that is torn away takes the other side with it, unless the other side must not notice.
  pump().catch(() => {
    if (!faults.halfOpen) to.destroy();
  });
}

function put(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}

function reset(...sockets: Socket[]): void {
  for (const socket of sockets) socket.resetAndDestroy();
}
