/** What the command line prints with --json is what the API answers: one function makes both. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openApp } from "../src/app/app.ts";
import { CONTRACT, type AnswerOf } from "../src/operator/contract/contract.ts";
import type { Handler } from "../src/operator/operator.ts";
import type { RouteName } from "../src/operator/routes.ts";
import { runHandlers } from "../src/operator/runs/runs.ts";
import { localViewer } from "../src/operator/viewer.ts";
import { openConfigSource } from "../src/secrets/inputs.ts";
import { createLog } from "../src/telemetry/log.ts";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { SERVER } from "./fixtures/workflow-place.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

type RunRoute = keyof typeof runHandlers & RouteName;

/** A home in which the command line and a gateway of this process work by turns. */
async function openTwins() {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const configPath = join(folder, "repertoire.json");
  const box = { command: process.execPath, args: [SERVER, join(folder, "effects.jsonl")] };
  const rules = [{ tool: "box__add", do: "ask" }];
  writeFileSync(configPath, JSON.stringify({ mcpServers: { box }, rules }));
  const place = ["--config", configPath, "--home", home];
  const cli = async (...args: string[]): Promise<unknown> =>
    JSON.parse((await runCliHere([...args, ...place, "--json"], { folder })).stdout);

  async function ask<Name extends RunRoute>(name: Name, params = {}, query = {}): Promise<AnswerOf<Name>> {
    const opened = await openConfigSource({ configPath, home });
    if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
    const log = createLog({ level: "silent", secrets: [] });
    const app = await openApp({ config: opened.source, log });
    const close = async () => {
      opened.source.close();
      await app.close();
      await log.close();
    };
    onTestFinished(close);
    const viewer = localViewer(app, { signal: new AbortController().signal });
    const asked = { params, query: CONTRACT[name].query.parse(query), body: {} };
    const handle = runHandlers[name] as unknown as Handler<RouteName>;
    const deps = { app, config: opened.source, place: { configPath, home } };
    const answer = await handle(deps, viewer, asked as never);
    await close();
    if (!answer.success) throw new Error(JSON.stringify(answer.error));
    return JSON.parse(JSON.stringify(answer.data)) as AnswerOf<Name>;
  }

  return {
    cli,
    ask,
    run: async (code: string): Promise<string> => {
      writeFileSync(join(folder, "code.ts"), code);
      const { run_id: id } = (await cli("run", join(folder, "code.ts"))) as { run_id: string };
      return id;
    },
  };
}

it("runs, show, inbox, calls and status print what the API answers", async () => {
  const { cli, ask, run } = await openTwins();
  const counted = await run("// Count\nawait mcp.box.count({}); return 1");
  await run("await mcp.box.count({}); throw new Error('no')");
  await run("await mcp.box.add({ text: 'a' })");
  const listed = await ask("listRuns");
  expect(listed.runs.map(({ status }) => status)).toEqual(["paused", "failed", "succeeded"]);
  expect(await cli("runs")).toEqual(listed);
  expect(
    await cli("runs", "--status", "failed", "--tool", "box__*", "--kind", "code", "--since", "1h"),
  ).toEqual(await ask("listRuns", {}, { status: "failed", tool: "box__*", kind: "code", since: "1h" }));
  for (const { run_id: id } of listed.runs)
    expect(await cli("show", id)).toEqual(await ask("getTrace", { run: id }));
  const inbox = await ask("listInbox");
  expect(inbox.items).toMatchObject([{ kind: "approval" }]);
  expect(await cli("inbox")).toEqual(inbox);
  const calls = await ask("listCalls");
  expect(calls.calls.length).toBeGreaterThanOrEqual(3);
  expect(await cli("calls")).toEqual(calls);
  expect(await cli("calls", "--run", counted, "--outcome", "ok")).toEqual(
    await ask("listCalls", {}, { run: counted, outcome: "ok" }),
  );
  const status = await ask("getStatus");
  expect(status).toMatchObject({ waiting: [{ kind: "approval", count: 1 }], library_count: 0 });
  expect(await cli("status")).toEqual(status);
});

it("cancel and approve print what the API answers", async () => {
  const { cli, ask, run } = await openTwins();
  const first = await run("await mcp.box.add({ text: 'a' })");
  expect(await cli("cancel", first)).toEqual({ run_id: first, status: "cancelled" });
  const second = await run("await mcp.box.add({ text: 'b' })");
  const { items } = await ask("listInbox");
  const [item] = items;
  expect(items).toMatchObject([{ subject: second }]);
  expect(await cli("approve", second, "--question", item!.question!, "--yes")).toEqual({
    run_id: second,
    node: "box__add",
    question: item!.question,
    approved: true,
  });
});
