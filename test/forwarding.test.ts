/** What passes through beside tool calls, for clients and servers of both eras, on the rig's well-behaved server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { connect, ERAS, type Era } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";
import { evilCommand, linesOf } from "./rig/evil-process.ts";
import type { EvilScript } from "./rig/evil-script.ts";

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
    const own = await client.readResource({ uri: "rig://weather/Rome" });
    expect(own.contents[0]).toEqual({ ...contents[0], uri: "rig://weather/Rome" });
    const template = resourceTemplates.find(({ uriTemplate }) =>
      uriTemplate.startsWith("repertoire://server/"),
    );
    expect(template!.uriTemplate).toBe(`${PREFIX}rig://weather/{city}`);
    const completed = await client.complete({
      ref: { type: "ref/resource", uri: template!.uriTemplate },
      argument: { name: "city", value: "" },
    });
    expect(completed.completion.values.length).toBeGreaterThan(0);
    const ref = { type: "ref/resource" as const, uri: "rig://weather/{city}" };
    expect(await client.complete({ ref, argument: { name: "city", value: "" } })).toEqual(completed);
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

describe.each(ERAS)("a client of %s that listens", (era) => {
  it("hears the server's log", async () => {
    const client = await connectTo(era);
    const messages: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void messages.push(params));
    const call = { name: "rig__log", arguments: { message: "a line" } };
    if (era === "2025-11-25") await client.setLoggingLevel("info");
    const level = era === "2025-11-25" ? {} : { _meta: { "io.modelcontextprotocol/logLevel": "info" } };
    await client.callTool({ ...call, ...level });
    await eventually("the message", () => messages.length > 0);
    expect(JSON.stringify(messages)).toContain("a line");
  });

  it.each([
    ["its exposed URI", `${PREFIX}rig://clock`],
    ["the server's own", "rig://clock"],
  ])("subscribes to a resource by %s and hears of its updates under that", async (_, uri) => {
    const client = await connectTo(era);
    const updated: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void updated.push(params.uri),
    );
    await client.listResources();
    if (era === "2025-11-25") await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    // The server is asked to announce behind the client's back, so the first tick may come too early.
    for (let i = 0; i < 50 && updated.length === 0; i++) {
      await client.callTool({ name: "rig__tick", arguments: {} });
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(new Set(updated)).toEqual(new Set([uri]));
    if (era === "2025-11-25") await client.unsubscribeResource({ uri });
  });
});

describe("a legacy client", () => {
  it("is served by a modern-only server as by any other: log, updates, elicitation", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "config.json");
    const resources = { listChanged: true, subscribe: true };
    const script: EvilScript = {
      era: "modern",
      capabilities: { tools: {}, resources, logging: {} },
      journalFile: join(folder, "journal"),
      rules: [
        {
          tool: "add",
          inputRequired: {
            who: {
              method: "elicitation/create",
              params: { message: "Who?", requestedSchema: { type: "object", properties: {} } },
            },
          },
          nth: 1,
        },
        {
          tool: "echo",
          notify: [{ method: "notifications/message", params: { level: "info", data: "modern words" } }],
        },
        { method: "resources/list", result: { resources: [{ uri: "x://y", name: "y" }] } },
        { method: "resources/templates/list", result: { resourceTemplates: [] } },
      ],
    };
    writeFileSync(file, JSON.stringify({ mcpServers: { evil: evilCommand(script) }, exposure: "full" }));
    const { client } = await connect("2025-11-25", {
      folder,
      args: ["--config", file],
      capabilities: { elicitation: {} },
    });
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: {} }));
    await client.setLoggingLevel("info");
    await client.listResources();
    await client.subscribeResource({ uri: "repertoire://server/evil/x://y" });
    expect(await client.callTool({ name: "evil__add", arguments: { a: 1, b: 2 } })).toMatchObject({
      structuredContent: { sum: 3 },
    });
    const messages: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void messages.push(params));
    await client.callTool({ name: "evil__echo", arguments: { text: "hi" } });
    await eventually("the message", () => messages.length > 0);
    expect(messages).toEqual([{ level: "info", data: "modern words", logger: "evil" }]);
    const journal = linesOf(join(folder, "journal")).join("\n");
    expect(journal).toContain(`"resourceSubscriptions":["x://y"]`);
    expect(journal).toContain(`"io.modelcontextprotocol/logLevel":"info"`);
    expect(journal).toContain(`"inputResponses":{"who":{"action":"accept"`);
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
