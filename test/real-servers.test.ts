/** Real servers from npm, as processes: what a client sees through the gateway is what it sees directly. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, INITIALIZE, startGateway, type Era } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const require = createRequire(import.meta.url);

function entryOf(name: string): string {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), "dist/index.js");
}

const EVERYTHING = { command: process.execPath, args: [entryOf("server-everything")] };

type Capabilities = NonNullable<ConstructorParameters<typeof Client>[1]>["capabilities"];

async function connectDirect(capabilities: Capabilities = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities });
  await client.connect(new StdioClientTransport({ ...EVERYTHING, stderr: "ignore" }));
  onTestFinished(() => client.close());
  return client;
}

async function connectThrough(
  servers: Record<string, object>,
  exposure = "full",
  era: Era = "2025-11-25",
  capabilities: Capabilities = {},
) {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  writeFileSync(file, JSON.stringify({ mcpServers: servers, exposure }));
  return connect(era, { folder, args: ["--config", file], capabilities });
}

/** Of links, and of resources that are in the answer. */
function linksIn({ content }: { readonly content?: unknown }): string[] {
  const blocks = content as { type: string; uri?: string; resource?: { uri: string } }[];
  return blocks.flatMap(({ uri, resource }) => uri ?? resource?.uri ?? []);
}

describe("server-everything", () => {
  it("has the same tools, schemas and all, under its prefix", async () => {
    const direct = await (await connectDirect()).listTools();
    const { client } = await connectThrough({ everything: EVERYTHING });
    const { tools } = await client.listTools();
    const through = tools.filter((tool) => tool.name.startsWith("everything__"));
    const expected = direct.tools.map((tool) => ({ ...tool, name: `everything__${tool.name}` }));
    expect(through).toEqual(expected.sort((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it("answers the same to calls, with every kind of content", async () => {
    const direct = await connectDirect();
    const { client } = await connectThrough({ everything: EVERYTHING });
    const calls: [string, Record<string, unknown>][] = [
      ["echo", { message: "héllo 😀" }],
      ["get-sum", { a: 2, b: 3 }],
      ["get-tiny-image", {}],
      ["get-annotated-message", { messageType: "error", includeImage: true }],
      ["get-structured-content", { location: "Chicago" }],
    ];
    for (const [name, args] of calls) {
      const expected = await direct.callTool({ name, arguments: args });
      const actual = await client.callTool({ name: `everything__${name}`, arguments: args });
      expect(withoutTimes(actual)).toEqual(withoutTimes(expected));
    }
  });

  it.each([
    ["get-resource-links", { count: 5 }],
    ["get-resource-reference", { resourceType: "Text", resourceId: 1 }],
  ])("gives links that the same client reads back through the gateway: %s", async (name, args) => {
    const direct = await connectDirect();
    const { client } = await connectThrough({ everything: EVERYTHING });
    const expected = linksIn(await direct.callTool({ name, arguments: args }));
    const actual = linksIn(await client.callTool({ name: `everything__${name}`, arguments: args }));
    expect(actual).toEqual(expected.map((uri) => `repertoire://server/everything/${uri}`));
    expect(actual.length).toBeGreaterThan(0);
    for (const [at, uri] of actual.entries()) {
      const { contents } = await client.readResource({ uri });
      expect(contents).toMatchObject([{ uri, mimeType: expect.any(String) }]);
      const own = await client.readResource({ uri: expected[at]! });
      expect(own.contents).toMatchObject([{ uri: expected[at] }]);
    }
  });

  it("gives the same links to code, and in prompts", async () => {
    const { client } = await connectThrough({ everything: EVERYTHING });
    const code = "return await mcp.everything.get_resource_links({ count: 2 });";
    const { structuredContent } = await client.callTool({ name: "execute", arguments: { code } });
    const { outputs } = structuredContent as { outputs: unknown };
    const args = { resourceType: "Text", resourceId: "1" };
    const prompt = await client.getPrompt({ name: "everything__resource-prompt", arguments: args });
    const links = [
      ...linksIn({ content: outputs }),
      ...linksIn({ content: prompt.messages.map(({ content }) => content) }),
    ];
    expect(links).toHaveLength(3);
    for (const uri of links) {
      expect(uri).toMatch(/^repertoire:\/\/server\/everything\/demo:/);
      expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
    }
  });

  it("gives its own words for an error", async () => {
    const direct = await connectDirect();
    const { client } = await connectThrough({ everything: EVERYTHING });
    const expected = await direct.callTool({ name: "get-sum", arguments: { a: "x" } });
    const actual = await client.callTool({ name: "everything__get-sum", arguments: { a: "x" } });
    expect(expected.isError).toBe(true);
    expect(actual).toEqual(expected);
  });

  it("reports progress, in order and before the answer", async () => {
    // Raw lines: the SDK's client loses progress that arrives in one piece with the answer.
    const folder = temporaryFolder();
    const file = join(folder, "config.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { everything: EVERYTHING } }));
    const gateway = startGateway({ folder, args: ["--config", file] });
    gateway.send(INITIALIZE);
    const name = "everything__trigger-long-running-operation";
    const params = { name, arguments: { duration: 0.4, steps: 4 }, _meta: { progressToken: "p" } };
    gateway.send({ jsonrpc: "2.0", id: "call", method: "tools/call", params });
    await gateway.answer("call");
    const messages = gateway
      .stdout()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const seen = messages.filter(({ id, method }) => id === "call" || method === "notifications/progress");
    expect(seen.slice(0, 4).map(({ params: note }) => note)).toMatchObject(
      [1, 2, 3, 4].map((progress) => ({ progressToken: "p", progress, total: 4 })),
    );
    expect(seen[4]).toMatchObject({ id: "call", result: { content: [{ type: "text" }] } });
  });

  it("is told when a call is cancelled, and other calls go on", async () => {
    const { client } = await connectThrough({ everything: EVERYTHING });
    const abort = new AbortController();
    const slow = {
      name: "everything__trigger-long-running-operation",
      arguments: { duration: 30, steps: 300 },
    };
    const first = client.callTool(slow, { signal: abort.signal, onprogress: () => abort.abort() });
    const second = client.callTool({ name: "everything__echo", arguments: { message: "still here" } });
    await expect(first).rejects.toThrow();
    expect(await second).toMatchObject({ content: [{ text: "Echo: still here" }] });
  });

  it("has the same resources, templates and prompts, and they can be read", async () => {
    const direct = await connectDirect();
    const { client } = await connectThrough({ everything: EVERYTHING });
    const prefix = "repertoire://server/everything/";
    const expected = (await direct.listResources()).resources;
    const { resources } = await client.listResources();
    expect(resources.map((resource) => resource.uri).sort()).toEqual(
      ["repertoire://runs", ...expected.map(({ uri }) => prefix + uri)].sort(),
    );
    const { uri } = expected[0]!;
    const read = await client.readResource({ uri: prefix + uri });
    const readDirect = await direct.readResource({ uri });
    expect(read.contents[0]).toEqual({ ...readDirect.contents[0], uri: prefix + uri });
    const own = ["repertoire://library/", "repertoire://runs/"];
    const templates = (await client.listResourceTemplates()).resourceTemplates.filter(
      ({ uriTemplate }) => !own.some((start) => uriTemplate.startsWith(start)),
    );
    expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(
      (await direct.listResourceTemplates()).resourceTemplates
        .map(({ uriTemplate }) => prefix + uriTemplate)
        .sort(),
    );
    const prompts = (await direct.listPrompts()).prompts;
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(
      prompts.map(({ name }) => `everything__${name}`).sort(),
    );
    const [prompt] = prompts;
    expect(await client.getPrompt({ name: `everything__${prompt!.name}` })).toEqual(
      await direct.getPrompt({ name: prompt!.name }),
    );
  });

  it("completes arguments of prompts and templates", async () => {
    const direct = await connectDirect();
    const { client } = await connectThrough({ everything: EVERYTHING });
    await client.listPrompts();
    const completion = (name: string) => ({
      ref: { type: "ref/prompt" as const, name },
      argument: { name: "department", value: "E" },
    });
    const expected = await direct.complete(completion("completable-prompt"));
    expect(expected.completion.values.length).toBeGreaterThan(0);
    expect(await client.complete(completion("everything__completable-prompt"))).toEqual(expected);
  });

  it("asks the client for an elicitation, a sample and its roots", async () => {
    const capabilities = { elicitation: {}, sampling: {}, roots: { listChanged: true } };
    const { client } = await connectThrough({ everything: EVERYTHING }, "full", "2025-11-25", capabilities);
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { name: "Ann", check: true },
    }));
    client.setRequestHandler("sampling/createMessage", async () => ({
      role: "assistant" as const,
      model: "scripted",
      content: { type: "text" as const, text: "a sampled answer" },
    }));
    client.setRequestHandler("roots/list", async () => ({
      roots: [{ uri: "file:///a/root", name: "A root" }],
    }));
    // The server adds the tools that need the client once it knows what the client can do, and tells of it.
    let names: string[] = [];
    const read = async () => (names = (await client.listTools()).tools.map((tool) => tool.name));
    client.setNotificationHandler("notifications/tools/list_changed", () => void read());
    await read();
    await eventually("the tools that ask", () => names.includes("everything__trigger-elicitation-request"));
    const textOf = async (name: string, args: Record<string, unknown> = {}) =>
      JSON.stringify(await client.callTool({ name, arguments: args }));
    expect(await textOf("everything__trigger-elicitation-request")).toContain("Ann");
    expect(await textOf("everything__trigger-sampling-request", { prompt: "hi", maxTokens: 10 })).toContain(
      "a sampled answer",
    );
    expect(await textOf("everything__get-roots-list")).toContain("file:///a/root");
  });
});

/** The one thing in the answers that differs from run to run. */
function withoutTimes(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value).replace(/\d{1,2}:\d{2}:\d{2}( [AP]M)?|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME"),
  );
}

describe("several servers at once", () => {
  it("work side by side: files are written, a graph is remembered", async () => {
    const folder = temporaryFolder();
    const files = join(folder, "files");
    mkdirSync(files);
    const { client } = await connectThrough({
      everything: EVERYTHING,
      files: { command: process.execPath, args: [entryOf("server-filesystem"), files] },
      memory: {
        command: process.execPath,
        args: [entryOf("server-memory")],
        env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
      },
    });
    await client.listTools();
    await client.callTool({
      name: "files__write_file",
      arguments: { path: join(files, "a.txt"), content: "hello" },
    });
    expect(readFileSync(join(files, "a.txt"), "utf8")).toBe("hello");
    const entities = [{ name: "Ann", entityType: "person", observations: ["likes tea"] }];
    await client.callTool({ name: "memory__create_entities", arguments: { entities } });
    const found = await client.callTool({ name: "memory__search_nodes", arguments: { query: "tea" } });
    expect(JSON.stringify(found)).toContain("Ann");
    expect(readFileSync(join(folder, "memory.jsonl"), "utf8")).toContain("likes tea");
  });

  it.each([
    ["2025-11-25", ["lean", "auto"]],
    ["2026-07-28", ["full"]],
  ] as const)("can be searched and called in every exposure (%s: %j)", async (era, exposures) => {
    for (const exposure of exposures) {
      const { client } = await connectThrough({ everything: EVERYTHING }, exposure, era);
      const browse = async () =>
        (await client.callTool({ name: "browse_components", arguments: { query: "echo" } }))
          .structuredContent as { pending?: string[] };
      // It answers within a second, whether the server has started by then or not.
      let found = await browse();
      while (found.pending !== undefined) found = await browse();
      expect(found).toMatchObject({
        nodes: expect.arrayContaining([
          expect.objectContaining({
            type: "everything__echo",
            signature: expect.stringContaining("mcp.everything.echo("),
          }),
        ]),
      });
      const answer = await client.callTool({ name: "everything__echo", arguments: { message: exposure } });
      expect(answer.content).toEqual([{ type: "text", text: `Echo: ${exposure}` }]);
    }
  });
});

it.each([
  ["lean", 5],
  ["full", 18],
])("tells of no change that the client cannot see or has seen: %s", async (exposure, toolCount) => {
  const { client } = await connectThrough({ everything: EVERYTHING }, exposure);
  let changeCount = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void changeCount++);
  expect((await client.listTools()).tools).toHaveLength(toolCount);
  await client.callTool({ name: "everything__echo", arguments: { message: "x" } });
  // Longer than a notice is held back.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(changeCount).toBe(0);
});

it("starts no server before it is needed, and lists a server's tools from the cache of an earlier process", async () => {
  const folder = temporaryFolder();
  const started = join(folder, "started");
  const wrapper = join(folder, "wrapper.mjs");
  writeFileSync(
    wrapper,
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(started)}, "x"); await import(${JSON.stringify(entryOf("server-everything"))});`,
  );
  const file = join(folder, "config.json");
  const servers = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`s${i}`, { command: process.execPath, args: [wrapper] }]),
  );
  writeFileSync(file, JSON.stringify({ mcpServers: servers, exposure: "lean" }));
  const startCount = () => {
    try {
      return readFileSync(started, "utf8").length;
    } catch {
      return 0;
    }
  };
  const first = await connect("2025-11-25", { folder, args: ["--config", file] });
  expect((await first.client.listTools()).tools).toHaveLength(5);
  expect((await first.client.listPrompts()).prompts).toEqual([]);
  expect((await first.client.listResources()).resources).toMatchObject([{ uri: "repertoire://runs" }]);
  expect(startCount()).toBe(0);
  await first.client.callTool({ name: "s7__echo", arguments: { message: "x" } });
  expect(startCount()).toBe(1);
  await first.client.close();
  writeFileSync(file, JSON.stringify({ mcpServers: { s7: servers["s7"] }, exposure: "full" }));
  const second = await connect("2025-11-25", { folder, args: ["--config", file] });
  const { tools } = await second.client.listTools();
  expect(tools.map((tool) => tool.name)).toContain("s7__echo");
  expect(startCount()).toBe(1);
});
