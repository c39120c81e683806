/** What changed, on a real store: by this process and by others. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { openSqliteStore } from "../store/sqlite/sqlite-store.ts";
import { openApp, type Change } from "../app/app.ts";
import { openConfigSource } from "../secrets/inputs.ts";
import { silentLog } from "../core/log.ts";
import { createLog } from "../telemetry/log.ts";
import { createChanges } from "./changes.ts";

const COUNTER = join(import.meta.dirname, "../../test/fixtures/counter-server.mjs");

async function open() {
  const folder = temporaryFolder();
  const configPath = join(folder, "repertoire.json");
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const counter = { command: process.execPath, args: [COUNTER, join(folder, "effects")] };
  writeFileSync(configPath, JSON.stringify({ mcpServers: { counter } }));
  const opened = await openConfigSource({ configPath, home, isWatched: false });
  if (!opened.ok) throw new Error("the config is broken");
  const log = createLog({ level: "silent", secrets: [] });
  const app = await openApp({ config: opened.source, log });
  onTestFinished(async () => {
    opened.source.close();
    await app.close();
    await log.close();
  });
  const changes = createChanges({ app, config: opened.source, place: { configPath, home } }, silentLog, 1e9);
  const heard: Change[] = [];
  const stop = changes.subscribe((change) => heard.push(change));
  onTestFinished(stop);
  await changes.tick();
  /** What is told of a topic by the next look. */
  const next = async (topic: string) => {
    heard.length = 0;
    await changes.tick();
    return heard.filter((change) => change.topic === topic);
  };
  return { app, home, next, heard };
}

it("tells nothing of what was there before, and nothing while nothing changes", async () => {
  const { next, heard } = await open();
  await next("runs");
  expect(heard).toEqual([]);
});

it("tells of a run and its calls, and of the inbox with it", async () => {
  const { app, next } = await open();
  const answer = await app.gateway.callTool("execute", { code: "return await mcp.counter.add({ n: 1 })" });
  const { run_id: id } = answer.structuredContent as { run_id: string };
  expect(await next("runs")).toMatchObject([{ topic: "runs", id, owner: null }]);
});

it("tells of what another process has saved", async () => {
  const { home, next } = await open();
  const other = await openSqliteStore({ home });
  onTestFinished(() => other.close());
  await other.capabilities.save({
    scope: { org: "local", project: "default" },
    namespace: "math",
    action: "sum",
    kind: "code",
    description: "Adds.",
    author: "ada",
    source: "return 1",
    inputSchema: { type: "object" },
  });
  expect(await next("library")).toMatchObject([{ topic: "library", id: "*" }]);
  expect(await next("library")).toEqual([]);
});
