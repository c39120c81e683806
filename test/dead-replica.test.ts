/** Two gateways on one database that are on different machines, as far as they can tell: one is killed in a run. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import type { Store } from "../src/core/store.ts";
import { openPostgresStore } from "../src/store/postgres/postgres-store.ts";
import { BIN, environmentOf, INITIALIZE } from "./fixtures/gateway-process.ts";
import { eventuallyAsync, temporaryFolder } from "./fixtures/temporary.ts";
import { useDatabase } from "./rig/shared-postgres.ts";

const database = useDatabase();
/** Far beyond what it takes, also on a busy machine. */
const PATIENCE_MS = 90_000;
/** It takes this long until a gateway calls another dead, and a little more. */
const SETTLED_MS = 13_000;
const canRename = spawnSync("unshare", ["--uts", "hostname", "replica"]).status === 0;
const CODE =
  'const said = await mcp.scripted.touch({ n: 1 }); await mcp.scripted.wait({ key: "go" }); return said';

/** A gateway over stdio that believes to be on this host. */
function startOn(host: string, folder: string) {
  const inside = ["sh", "-c", 'hostname "$0" && exec "$@"', host, process.execPath, BIN, "serve"];
  const child = spawn("unshare", ["--uts", ...inside], {
    cwd: folder,
    env: environmentOf(folder, { REPERTOIRE_DATABASE_URL: database.url }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on("error", () => {});
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  send(INITIALIZE);
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const answers = (): Record<string, unknown>[] =>
    stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    kill: () => child.kill("SIGKILL"),
    execute: (id: string, args: object) =>
      send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "execute", arguments: args } }),
    answer: (id: string) =>
      eventuallyAsync(
        `the answer to ${id} (${stderr})`,
        async () => answers().find((message) => message["id"] === id),
        PATIENCE_MS,
      ),
  };
}

function hasLived(store: Store, count: number): Promise<unknown> {
  const isReady = async () => {
    const replicas = await store.replicas.list();
    return (
      replicas.filter(({ startedAt }) => Date.now() - startedAt > SETTLED_MS).length === count || undefined
    );
  };
  return eventuallyAsync(`${count} replicas`, isReady, PATIENCE_MS);
}

it.skipIf(!canRename)(
  "goes on at another gateway, in one call, with the run of one that was killed",
  async () => {
    const folder = temporaryFolder();
    const log = join(folder, "heard.jsonl");
    const scripted = {
      command: process.execPath,
      args: [join(import.meta.dirname, "rig/scripted-server.mjs"), log],
    };
    mkdirSync(join(folder, "config/repertoire"), { recursive: true });
    writeFileSync(
      join(folder, "config/repertoire/repertoire.json"),
      JSON.stringify({ mcpServers: { scripted }, sandbox: { timeoutMs: 300_000 } }),
    );
    const store = await openPostgresStore({ url: database.url });
    onTestFinished(() => store.close());
    const [killed, other] = [startOn("machine-one", folder), startOn("machine-two", folder)];
    await hasLived(store, 2);
    const places = (await store.replicas.list()).map(({ place }) => place.split("/")[0]);
    expect(new Set(places)).toEqual(new Set(["machine-one", "machine-two"]));
    killed.execute("run", { code: CODE });
    const run = await eventuallyAsync(
      "the first step",
      async () => {
        const [newest] = await store.runs.list(DEFAULT_SCOPE, { limit: 1 });
        return newest?.stepCount === 1 && heard(log).includes('"wait"') ? newest : undefined;
      },
      PATIENCE_MS,
    );
    killed.kill();
    other.execute("resume", { resume: run.id });
    writeFileSync(`${log}.go`, "");
    const { result } = (await other.answer("resume")) as { result: { structuredContent: object } };
    expect(result.structuredContent).toMatchObject({ success: true, resumed_from: run.id });
    expect(await store.runs.find(run.id)).toMatchObject({
      status: "failed",
      fence: 2,
      error: { reason: "interrupted" },
    });
    expect(heard(log).match(/"name":"touch"/g)).toHaveLength(1);
  },
  2 * PATIENCE_MS,
);

function heard(log: string): string {
  return existsSync(log) ? readFileSync(log, "utf8") : "";
}
