/** When a gateway over HTTP asks servers what they have, and what its clients then see. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { connectClient } from "./rig/edge-client.ts";
import { linesOf } from "./rig/evil-process.ts";
import { openHttpGateway } from "./rig/http-gateway.ts";

const SLOW = join(import.meta.dirname, "fixtures/slow-server.mjs");

/** Two servers of one tool, which are up a moment after their start. */
function openPlace() {
  const folder = temporaryFolder();
  const starts = (id: string) => linesOf(join(folder, id)).length;
  const serverOf = (id: string) => ({
    command: process.execPath,
    args: [SLOW],
    env: { STARTS: join(folder, id), READY_MS: "100" },
  });
  return { starts, mcpServers: { a: serverOf("a"), b: serverOf("b") } };
}

async function namesFor(gateway: Awaited<ReturnType<typeof openHttpGateway>>): Promise<string[]> {
  const client = await connectClient("first", gateway.url, gateway.headers);
  return (await client.listTools()).tools.map(({ name }) => name);
}

it("asks servers of which nothing is known before a client is there, once for all clients", async () => {
  const { starts, mcpServers } = openPlace();
  const first = await openHttpGateway({ config: { mcpServers } });
  await eventually("both starts", () => starts("a") === 1 && starts("b") === 1, 30_000);
  const names = await namesFor(first);
  expect(await namesFor(first)).toEqual(names);
  expect([starts("a"), starts("b")]).toEqual([1, 1]);
});

it("asks only those that auto decides by", async () => {
  const { starts, mcpServers } = openPlace();
  const profiles = { some: { servers: ["b"], exposure: "auto" } };
  const gateway = await openHttpGateway({ config: { mcpServers, exposure: "lean", profiles } });
  await eventually("the start", () => starts("b") === 1, 30_000);
  expect(await namesFor(gateway)).toHaveLength(5);
  expect(starts("a")).toBe(0);
});
