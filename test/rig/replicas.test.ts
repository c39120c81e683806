import { expect, onTestFinished, test } from "vitest";
import { eventually, temporaryFolder } from "../fixtures/temporary.ts";
import { join } from "node:path";
import { connectHttp } from "./http-process.ts";
import { canNameHosts, startReplicas } from "./replicas.ts";
import { temporaryDatabase } from "./shared-postgres.ts";

const COUNTER = join(import.meta.dirname, "../fixtures/counter-server.mjs");

test.skipIf(process.platform === "win32")(
  "gateways share a database behind a balancer, and one of them can be killed",
  async () => {
    const url = await temporaryDatabase();
    const counter = { command: process.execPath, args: [COUNTER, join(temporaryFolder(), "effects.jsonl")] };
    const hasHostNames = canNameHosts();
    const replicas = await startReplicas({
      count: 2,
      config: { mcpServers: { counter } },
      urlOf: () => url,
      hasHostNames,
    });
    onTestFinished(() => replicas.close());
    const { client } = await connectHttp("2026-07-28", replicas.balancer.url, replicas.headers);
    onTestFinished(() => client.close());
    const ask = (n: number) => client.callTool({ name: "counter__get", arguments: { n } });
    for (const n of [1, 2]) expect(await ask(n)).toMatchObject({ structuredContent: { double: 2 * n } });
    const [first, second] = replicas.members;
    // The line of a request comes after its answer.
    for (const member of replicas.members)
      await eventually(`a call at ${member.name}`, () => /counter__get|tools\/call/.test(member.log()));
    await first!.end("SIGKILL");
    for (const n of [3, 4]) expect(await ask(n)).toMatchObject({ structuredContent: { double: 2 * n } });
    await first!.start();
    await eventually("the first to be asked again", () => !first!.isOver());
    await second!.end();
    expect(await ask(5)).toMatchObject({ structuredContent: { double: 10 } });
  },
);
