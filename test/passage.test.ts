/** What passes through beside tool calls, for clients and servers of both eras, on the rig's well-behaved server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, ERAS, type Era } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const RIG = { command: process.execPath, args: [join(import.meta.dirname, "rig/everything-modern.ts")] };
const PREFIX = "repertoire://server/rig/";

async function connectTo(era: Era) {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { rig: RIG }, exposure: "full" }));
  const { client } = await connect(era, { folder, args: ["--config", file, "--log-level", "error"] });
  return client;
}

describe.each(ERAS)("a client of %s", (era) => {
  it("reads resources and templates, and completes their arguments", async () => {
    const client = await connectTo(era);
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri)).toEqual(
      expect.arrayContaining([`${PREFIX}rig://clock`, `${PREFIX}rig://bytes`]),
    );
    const { contents } = await client.readResource({ uri: `${PREFIX}rig://weather/Rome` });
    expect(contents[0]).toMatchObject({
      uri: `${PREFIX}rig://weather/Rome`,
      text: expect.stringContaining("Rome"),
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    const [template] = resourceTemplates;
    expect(template!.uriTemplate).toBe(`${PREFIX}rig://weather/{city}`);
    const completed = await client.complete({
      ref: { type: "ref/resource", uri: template!.uriTemplate },
      argument: { name: "city", value: "" },
    });
    expect(completed.completion.values.length).toBeGreaterThan(0);
  });

  it("gets prompts with their arguments", async () => {
    const client = await connectTo(era);
    const { prompts } = await client.listPrompts();
    expect(prompts.map((prompt) => prompt.name)).toContain("rig__travel");
    const { messages } = await client.getPrompt({ name: "rig__travel", arguments: { city: "Rome" } });
    expect(JSON.stringify(messages)).toContain("Rome");
  });

  it("T033: cannot read what no server offers, nor any file of the gateway's", async () => {
    const client = await connectTo(era);
    await client.listResources();
    for (const uri of [
      "file:///etc/passwd",
      "repertoire://server/other/rig://clock",
      "repertoire://server/rig/../../etc/passwd",
    ]) {
      await expect(client.readResource({ uri })).rejects.toThrow();
    }
    await expect(client.getPrompt({ name: "rig__travell" })).rejects.toThrow(/Did you mean rig__travel/);
  });

  it("hears that a list has grown, and sees the new tool", async () => {
    const client = await connectTo(era);
    let names: string[] = [];
    const read = async () =>
      (names = (await client.listTools(undefined, { cacheMode: "bypass" })).tools.map((tool) => tool.name));
    client.setNotificationHandler("notifications/tools/list_changed", () => void read());
    if (era === "2026-07-28") await client.listen({ toolsListChanged: true });
    await read();
    const before = names.length;
    await client.callTool({ name: "rig__grow", arguments: {} });
    await eventually("the new tool", () => names.length > before);
  });
});

describe("a legacy client", () => {
  it("subscribes to a resource and hears of its updates, until it leaves", async () => {
    const client = await connectTo("2025-11-25");
    const updated: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void updated.push(params.uri),
    );
    await client.listResources();
    const uri = `${PREFIX}rig://clock`;
    await client.subscribeResource({ uri });
    await client.callTool({ name: "rig__tick", arguments: {} });
    await eventually("the update", () => updated.length > 0);
    expect(new Set(updated)).toEqual(new Set([uri]));
    await client.unsubscribeResource({ uri });
  });

  it("hears the server's log, under the server's name", async () => {
    const client = await connectTo("2025-11-25");
    const messages: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void messages.push(params));
    await client.callTool({ name: "rig__log", arguments: { message: "a line" } });
    await eventually("the message", () => messages.length > 0);
    expect(JSON.stringify(messages)).toContain("a line");
  });
});

describe.each(ERAS)("a client of %s that can be asked", (era) => {
  it("is asked for an elicitation, a sample and its roots", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "config.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { rig: RIG } }));
    const capabilities = { elicitation: {}, sampling: {}, roots: {} };
    const { client } = await connect(era, { folder, args: ["--config", file], capabilities });
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { ok: true, confirm: true },
    }));
    client.setRequestHandler("sampling/createMessage", async () => ({
      role: "assistant" as const,
      model: "scripted",
      content: { type: "text" as const, text: "sampled" },
    }));
    client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///here" }] }));
    const answers = [];
    for (const name of ["rig__confirm", "rig__ask_model", "rig__list_roots"]) {
      const answer = await client.callTool({ name, arguments: { question: "?", prompt: "?", message: "?" } });
      answers.push({ name, isError: answer.isError ?? false, text: JSON.stringify(answer) });
    }
    expect(answers).toMatchObject([{ isError: false }, { isError: false }, { isError: false }]);
    expect(answers[1]!.text).toContain("sampled");
    expect(answers[2]!.text).toContain("file:///here");
  });
});
