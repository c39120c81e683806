import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually } from "../fixtures/temporary.ts";
import { createFaultProxy, type TcpFaults } from "./tcp-fault-proxy.ts";

/** A proxy in front of a server that sends back what it gets. */
async function startProxy(faults: TcpFaults = {}) {
  const echo = createServer((socket) => {
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  const target = { host: "127.0.0.1", port: (echo.address() as AddressInfo).port };
  const proxy = await createFaultProxy({ target, faults });
  onTestFinished(async () => {
    await proxy.close();
    echo.close();
  });
  return proxy;
}

function dial(port: number) {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  let fate: string | undefined;
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", (error: NodeJS.ErrnoException) => (fate ??= error.code));
  socket.on("close", () => (fate ??= "closed"));
  const text = () => Buffer.concat(chunks).toString();
  return {
    socket,
    chunks,
    text,
    received: (expected: string) => eventually(`"${expected}"`, () => text() === expected),
    fate: () => eventually("the end of the connection", () => fate),
    isOpen: () => fate === undefined,
  };
}

describe("a fault proxy", () => {
  test("passes everything on, the end too, and counts connections", async () => {
    const proxy = await startProxy();
    const line = dial(proxy.port);
    line.socket.end("hello");
    expect(await line.fate()).toBe("closed");
    expect(line.text()).toBe("hello");
    expect(proxy.connectionCount()).toBe(1);
  });

  test("delays, and stops delaying when it is told so", async () => {
    const proxy = await startProxy({ latencyMs: 60 });
    const line = dial(proxy.port);
    const start = performance.now();
    line.socket.write("a");
    await line.received("a");
    // There and back. A timer may fire a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(118);
    proxy.faults.latencyMs = undefined;
    line.socket.write("b");
    await line.received("ab");
  });

  test("slices", async () => {
    const proxy = await startProxy({ sliceBytes: 1 });
    const line = dial(proxy.port);
    line.socket.write("0123456789");
    await line.received("0123456789");
    expect(line.chunks.length).toBeGreaterThan(1);
  });

  test("resets after so many bytes", async () => {
    const proxy = await startProxy({ resetAfterBytes: 14 });
    const line = dial(proxy.port);
    line.socket.write("0123456789");
    expect(await line.fate()).toBe("ECONNRESET");
    expect("0123".startsWith(line.text())).toBe(true);
  });

  test("goes half-open: neither an answer nor an end", async () => {
    const proxy = await startProxy();
    const line = dial(proxy.port);
    line.socket.write("a");
    await line.received("a");
    proxy.faults.halfOpen = true;
    line.socket.write("b");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([line.text(), line.isOpen()]).toEqual(["a", true]);
  });

  test("refuses, and takes connections again later", async () => {
    const proxy = await startProxy({ refuse: true });
    const refused = dial(proxy.port);
    refused.socket.write("a");
    expect(await refused.fate()).toBe("ECONNRESET");
    proxy.faults.refuse = false;
    const line = dial(proxy.port);
    line.socket.write("a");
    await line.received("a");
    expect(proxy.connectionCount()).toBe(2);
  });

  test("resets a client whose server is not there", async () => {
    const proxy = await createFaultProxy({ target: { host: "127.0.0.1", port: 1 } });
    onTestFinished(() => proxy.close());
    expect(await dial(proxy.port).fate()).toBe("ECONNRESET");
  });
});
