/** A gateway on a shared database that is told to end, as a balancer in front of it sees it. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { startReplicas } from "./rig/replicas.ts";
import { temporaryDatabase } from "./rig/shared-postgres.ts";

const COUNTER = join(import.meta.dirname, "fixtures/counter-server.mjs");

test.skipIf(process.platform === "win32")(
  "says that it takes nothing more before it stops listening, so that a balancer hears it",
  async () => {
    const url = await temporaryDatabase();
    const counter = { command: process.execPath, args: [COUNTER, join(temporaryFolder(), "effects.jsonl")] };
    const replicas = await startReplicas({ count: 1, config: { mcpServers: { counter } }, urlOf: () => url });
    onTestFinished(() => replicas.close());
    const [only] = replicas.members;
    const ready = (): Promise<number> =>
      fetch(new URL("/health/ready", only!.url), { headers: { Connection: "close" } }).then(
        ({ status }) => status,
        () => 0,
      );
    expect(await ready()).toBe(200);
    const ending = only!.end();
    const seen = new Set<number>();
    while (!only!.isOver()) seen.add(await ready());
    await ending;
    expect(seen).toContain(503);
  },
);
