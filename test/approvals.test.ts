import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BIN, connect, ERAS, type Era } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const FLOW = {
  ir_version: "1.0",
  inputs: { text: { type: "string" } },
  nodes: [
    {
      id: "draft",
      type: "code",
      params: { code: "return args.text.toUpperCase()", inputs: { text: "${text}" } },
    },
    {
      id: "send",
      type: "notes__add",
      params: { text: "${draft}" },
      approval: { message: "Send ${draft}?" },
    },
  ],
  outputs: { notes: { source: "${send}" } },
};

async function openFlow(era: Era, answer: (message: string) => object) {
  const folder = temporaryFolder();
  const drafts = join(folder, "home", "drafts");
  mkdirSync(drafts, { recursive: true, mode: 0o700 });
  writeFileSync(join(drafts, "flow.json"), JSON.stringify(FLOW));
  const notes = { command: process.execPath, args: [BIN, "demo-server"] };
  const config = join(folder, "own.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { notes } }));
  const options = { folder, args: ["--config", config], capabilities: { elicitation: {} } };
  const { client } = await connect(era, options);
  const asked: string[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return answer(params.message) as never;
  });
  const execute = async (input: Record<string, unknown>) =>
    (await client.callTool({ name: "execute", arguments: input })).structuredContent as Record<string, never>;
  return { asked, execute };
}

it.each(ERAS)("a person approves through a client of %s, and sees exactly what is done", async (era) => {
  const { asked, execute } = await openFlow(era, () => ({ action: "accept", content: { approve: true } }));
  const answer = await execute({ name: "flow", inputs: { text: "hello" } });
  expect(answer).toMatchObject({ success: true, outputs: { notes: ["HELLO"] } });
  expect(asked).toEqual([expect.stringContaining("Send HELLO?")]);
  expect(JSON.parse(asked[0]!.split("\n\n")[1]!)).toEqual({ type: "notes__add", params: { text: "HELLO" } });
});

it.each(ERAS)("a person denies through a client of %s, and nothing is done", async (era) => {
  const { execute } = await openFlow(era, () => ({ action: "accept", content: { approve: false } }));
  expect(await execute({ name: "flow", inputs: { text: "hello" } })).toMatchObject({
    success: false,
    error: { reason: "denied" },
  });
  expect(await execute({ code: "return await mcp.notes.list()" })).toMatchObject({ outputs: [] });
});

it.each(ERAS)("a person who does not answer a client of %s leaves the run waiting", async (era) => {
  const { execute } = await openFlow(era, () => ({ action: "cancel" }));
  expect(await execute({ name: "flow", inputs: { text: "hello" } })).toMatchObject({
    success: false,
    error: { reason: "approval_required" },
  });
});
