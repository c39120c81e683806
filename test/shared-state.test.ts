/** Two gateways with homes of their own on one PostgreSQL: what one does, the other has. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openApp } from "../src/app/app.ts";
import { isJsonObject, type JsonObject } from "../src/core/json.ts";
import { openConfigSource } from "../src/secrets/inputs.ts";
import { createLog } from "../src/telemetry/log.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { contextOf, createFixtureSource, toolOf } from "./fixtures/tool-source.ts";
import { useDatabase } from "./rig/shared-postgres.ts";

const database = useDatabase();

async function openGateway(content: object = {}) {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const configPath = join(folder, "repertoire.json");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(configPath, JSON.stringify({ ...content, store: { url: database.url } }));
  const opened = await openConfigSource({ configPath, home });
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const log = createLog({ level: "silent", secrets: [] });
  const app = await openApp({ config: opened.source, log, serves: "http" });
  onTestFinished(async () => {
    opened.source.close();
    await app.close();
    await log.close();
  });
  const call = async (name: string, args: JsonObject): Promise<JsonObject> => {
    const { structuredContent } = await app.gateway.callTool(name, args, contextOf());
    return isJsonObject(structuredContent) ? structuredContent : {};
  };
  return { app, home, call };
}

it("keeps the draft of a run through the other gateway, and leaves nothing in the homes", async () => {
  const [one, two] = [await openGateway(), await openGateway()];
  for (let i = 0; i < 3; i++) {
    const { draft } = await one.call("execute", { code: `return ${i} + 1`, intent: "add one" });
    const saved = await two.call("save_to_library", {
      draft_name: draft!,
      final_name: `math:add_${i}`,
      description: "Adds one.",
    });
    expect(saved).toMatchObject({ success: true });
  }
  expect(await one.app.drafts.names()).toEqual([]);
  expect(readdirSync(one.home)).not.toContain("drafts");
});

it("reads a file of its own home after the database, and leaves it there", async () => {
  const { app, home, call } = await openGateway();
  mkdirSync(join(home, "drafts"));
  writeFileSync(join(home, "drafts/by-hand.ts"), "return 7");
  expect(await call("execute", { name: "by-hand" })).toMatchObject({ outputs: 7 });
  const final = { draft_name: "by-hand", final_name: "math:seven", description: "Seven." };
  expect(await call("save_to_library", final)).toMatchObject({ success: true });
  expect(await app.drafts.names()).toContain("by-hand");
});

it("lists at one what the other reads of a server, and tells its clients", async () => {
  const [one, two] = [await openGateway(), await openGateway()];
  const sources = [one, two].map(({ app }) => {
    const source = createFixtureSource("notes", [toolOf("add")]);
    app.registry.add(source, { configHash: "c" });
    return source;
  });
  const names = ({ app }: typeof one) => app.registry.catalogue().components.map(({ name }) => name);
  const told: number[] = [];
  two.app.registry.changed(() => told.push(performance.now()));
  const changedAt = performance.now();
  await one.app.registry.refresh("notes", contextOf());
  await expect.poll(() => told.length, { timeout: 20_000 }).toBe(1);
  // What a busy machine adds is not the gateway's: the figure is for people, the list is what counts.
  console.info(`list_changed at the other gateway after ${Math.round(told[0]! - changedAt)} ms`);
  expect(names(two)).toEqual(["notes__add"]);
  sources[0]!.tools = [toolOf("add"), toolOf("find")];
  await one.app.registry.refresh("notes", contextOf());
  await expect.poll(() => told.length, { timeout: 20_000 }).toBe(2);
  expect(names(two)).toEqual(names(one));
  expect(sources[1]!.listCount).toBe(0);
});

it("refuses NUL before the database does", async () => {
  const { call } = await openGateway();
  expect(await call("execute", { code: "return '\0'" })).toMatchObject({
    error: { reason: "nul_character" },
  });
  expect(await call("execute", { code: "return args.t", inputs: { t: "a\0" } })).toMatchObject({
    outputs: "a\0",
  });
});
