/** Every transport, with a real far side: a child process, a server on loopback, and the pair that other tests use. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { endGroupAfterwards } from "../../../test/fixtures/process-group.ts";
import { silentLog } from "../../core/log.ts";
import { startServerProcess } from "../process/server-process.ts";
import { createOpenTransport } from "./open-transport.ts";
import { createTransportPair } from "./transport-pair.testkit.ts";
import { describeTransport } from "./transport.testsuite.ts";

const FAR_SIDE = join(import.meta.dirname, "../../../test/fixtures/transport-server.mjs");
/** The limit of a line and of an answer is 8 MiB. */
const TOO_MANY_BYTES = 9 * 1024 * 1024;

describeTransport("a child process", async () => {
  const transport = startServerProcess({ command: process.execPath, args: [FAR_SIDE, "stdio"], env: {} });
  endGroupAfterwards(transport.pid!);
  onTestFinished(() => transport.close());
  const end = { jsonrpc: "2.0", id: 0, method: "end", params: {} } as const;
  return { transport, tooManyBytes: TOO_MANY_BYTES, endFarSide: () => transport.send(end) };
});

describeTransport("Streamable HTTP", async () => {
  const farSide = spawn(process.execPath, [FAR_SIDE, "http"], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void farSide.kill("SIGKILL"));
  const [line] = (await once(farSide.stdout, "data")) as [Buffer];
  const config = { kind: "http", url: line.toString().trim(), headers: {} } as const;
  const { transport } = await createOpenTransport()(config, silentLog);
  onTestFinished(() => transport.close());
  return { transport, tooManyBytes: TOO_MANY_BYTES };
});

describeTransport("the pair in memory", async () => {
  const [transport, farSide] = createTransportPair();
  farSide.onmessage = ({ id, method, params }) => {
    const { to = 0 } = params as { to?: number };
    if (id === undefined || method === "hang" || method === "babble") return;
    for (let i = 0; i < to; i++) void farSide.send({ jsonrpc: "2.0", method: "n", params: { i } });
    void farSide.send({ jsonrpc: "2.0", id, result: method === "count" ? {} : params });
  };
  return { transport, endFarSide: () => farSide.close() };
});
