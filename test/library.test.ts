/**
 * What was kept, as users get it: two gateway processes of the bundle on one home, a client each, three real servers behind
 * them. The acceptance criteria of the stories carry their numbers.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { runCliHere } from "./fixtures/cli-in-process.ts";
import { connect, type Era } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const entryOf = (name: string) =>
  join(import.meta.dirname, `../node_modules/@modelcontextprotocol/${name}/dist/index.js`);

/** What a tool answered, as a test reads it. */
interface Answered {
  readonly isError: boolean;
  readonly [key: string]: unknown;
}

/** Everything that a client does here. */
interface Agent {
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<Answered>;
  tools(): Promise<string[]>;
}

interface Place {
  readonly folder: string;
  join(era?: Era): Promise<Agent>;
}

function openPlace(config: object = {}): Place {
  const folder = temporaryFolder();
  const files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "main.ts"), "export const one = 1;\n// TODO: two\n");
  const node = (args: string[], env = {}) => ({ command: process.execPath, args, env });
  const mcpServers = {
    everything: node([entryOf("server-everything")]),
    files: node([entryOf("server-filesystem"), files]),
    memory: node([entryOf("server-memory")], { MEMORY_FILE_PATH: join(folder, "memory.jsonl") }),
  };
  const file = join(folder, "servers.json");
  writeFileSync(file, JSON.stringify({ mcpServers, exposure: "lean", ...config }));
  return {
    folder,
    async join(era = "2025-11-25") {
      const { client } = await connect(era, { folder, args: ["--config", file] });
      return {
        client,
        async call(name, args = {}) {
          const { structuredContent, content, isError } = await client.callTool({ name, arguments: args });
          return { isError: isError ?? false, content, ...(structuredContent as object) };
        },
        tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
      };
    },
  };
}

const CAPABILITIES: Readonly<Record<string, { code: string; inputs: object }>> = {
  "code:analyze": {
    code: "const text = await mcp.files.read_text_file({ path: args.file });\nreturn { lines: text.content.split('\\n').length - 1, todos: text.content.split('TODO').length - 1 };",
    inputs: { file: "main.ts" },
  },
  "code:refactor": {
    code: "return (await mcp.code.analyze({ file: args.file })).todos > 0 ? 'first the todos' : 'go on';",
    inputs: { file: "main.ts" },
  },
  "data:transform": {
    code: "return args.rows.map((row) => row * (args.factor ?? 2));",
    inputs: { rows: [1, 2] },
  },
  "notes:remember": {
    code: "await mcp.memory.create_entities({ entities: [{ name: args.name, entityType: 'note', observations: [args.text] }] });\nreturn { remembered: args.name };",
    inputs: { name: "tea", text: "green" },
  },
  "talk:echo": {
    code: "return await mcp.everything.echo({ message: args.message });",
    inputs: { message: "hi" },
  },
};

async function keep(agent: Agent, place: Place, name: string): Promise<Answered> {
  const { code, inputs } = CAPABILITIES[name]!;
  const given = JSON.parse(
    JSON.stringify(inputs).replaceAll("main.ts", join(place.folder, "files/main.ts")),
  ) as object;
  const ran = await agent.call("execute", { code, inputs: given, intent: `Do ${name}` });
  expect({ name, error: ran["error"] }).toEqual({ name, error: undefined });
  const saved = await agent.call("save_to_library", {
    draft_name: ran["draft"] as string,
    final_name: name,
    description: `Does ${name}.`,
  });
  expect({ name, error: saved["error"], success: saved["success"] }).toEqual({
    name,
    error: undefined,
    success: true,
  });
  return saved;
}

describe("story 13.3 and ADR-052, on three real servers, five capabilities, two clients and two gateways", () => {
  it("AC1 to AC7", async () => {
    const place = openPlace();
    const [first, second] = [await place.join(), await place.join("2026-07-28")];
    const changes: string[] = [];
    const third = await place.join();
    third.client.setNotificationHandler("notifications/tools/list_changed", () => void changes.push("tools"));
    await third.tools();
    for (const name of Object.keys(CAPABILITIES)) await keep(first, place, name);

    // AC7: the very next list of another process has them, and its client is told.
    const expected = Object.keys(CAPABILITIES).map((name) => `mcp__${name.replace(":", "__")}`);
    const listed = (await second.client.listTools()).tools;
    // AC1 and AC6: meta-tools and capabilities in one list, in its order.
    expect(listed.map((tool) => tool.name)).toEqual([
      "browse_components",
      "list_library",
      "describe_workflow",
      "execute",
      "save_to_library",
      ...expected.sort(),
    ]);
    await eventually("list_changed", () => changes.length > 0);

    // AC4: the input schema is the capability's own, inferred from its code, its tools and its run.
    expect(listed.find((tool) => tool.name === "mcp__code__analyze")).toMatchObject({
      description: "Does code:analyze.",
      inputSchema: { type: "object", required: ["file"], properties: { file: { type: "string" } } },
      outputSchema: { type: "object", properties: { lines: {}, todos: {} } },
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(listed.find((tool) => tool.name === "mcp__data__transform")).toMatchObject({
      inputSchema: { required: ["rows"], properties: { rows: { type: "array" } } },
    });

    // AC2: called from another client, its code runs in the sandbox and the answer is MCP's.
    const file = join(place.folder, "files/main.ts");
    const answer = await second.client.callTool({ name: "mcp__code__analyze", arguments: { file } });
    expect(answer).toMatchObject({
      content: [{ type: "text", text: '{"lines":2,"todos":1}' }],
      structuredContent: { lines: 2, todos: 1 },
    });
    // ADR-052: a capability is called in code like a server's tool, and calls others.
    expect(
      await second.call("execute", {
        code: "return await mcp.code.refactor({ file: args.f })",
        inputs: { f: file },
      }),
    ).toMatchObject({
      outputs: "first the todos",
    });

    // AC3: what is not there, and what is not right, are answers.
    expect(await second.call("mcp__code__nothing")).toMatchObject({
      isError: true,
      error: { code: "TOOL_NOT_FOUND", message: "Capability not found: mcp__code__nothing" },
    });
    expect(await second.call("mcp__code__analyze", { fil: "x" })).toMatchObject({
      isError: true,
      error: { code: "TOOL_INVALID_INPUT" },
    });
    expect(await second.call("mcp__Bad__name")).toMatchObject({
      error: { message: "Invalid tool name format" },
    });

    // AC5: uses are counted, failures too.
    expect(await second.call("mcp__code__analyze", { file: "/etc/passwd" })).toMatchObject({ isError: true });
    const { items } = await first.call("list_library", { pattern: "code:analyze" });
    // Two calls of other capabilities, one of a client, and one that failed.
    expect(items).toMatchObject([{ name: "code:analyze", usage_count: 4, success_count: 3 }]);
    expect(await first.call("describe_workflow", { name: "code:analyze" })).toMatchObject({
      statistics: { executions: 4, successes: 3, failures: 1 },
    });
  });
});

describe("keeping a run", () => {
  it("save_as keeps it in the same call, and only if the name is free", async () => {
    const place = openPlace();
    const agent = await place.join();
    const request = { code: "return args.a + 1;", inputs: { a: 1 }, intent: "Add one", save_as: "math:next" };
    expect(await agent.call("execute", request)).toMatchObject({
      outputs: 2,
      saved: { tool: "mcp__math__next", version: 1, input_schema: { required: ["a"] } },
    });
    expect(await agent.call("mcp__math__next", { a: 41 })).toMatchObject({ content: [{ text: "42" }] });
    expect(await agent.call("execute", { ...request, code: "return 5;" })).toMatchObject({
      isError: true,
      error: { reason: "taken", field: "save_as" },
    });
  });

  it("offers written-out values as inputs, changes nothing, and tests what it kept offline", async () => {
    const place = openPlace();
    const agent = await place.join();
    const code = "return await mcp.everything.echo({ message: 'good morning' });";
    const { draft } = await agent.call("execute", { code });
    const saved = await agent.call("save_to_library", {
      draft_name: draft as string,
      final_name: "talk:greet",
      description: "Greets.",
    });
    expect(saved).toMatchObject({
      possible_inputs: [{ parameter: "message", value: "good morning", line: 1 }],
      input_schema: { properties: {} },
    });
    expect(await agent.call("describe_workflow", { name: "talk:greet" })).toMatchObject({ source: code });
    await agent.client.close();
    // Without any server configured: the example answers for them.
    const tested = await runCliHere(["test", "talk:greet", "--json"], { folder: place.folder });
    expect({ status: tested.status, stderr: tested.stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(tested.stdout)).toMatchObject({ passed: 1, failed: 0, skipped: 0 });
  });

  it("heals after a crash between saving and removing the draft, and when the answer was lost", async () => {
    const place = openPlace();
    const agent = await place.join();
    const code = "return 7;";
    const { draft } = await agent.call("execute", { code });
    const request = { draft_name: draft as string, final_name: "math:seven", description: "Seven." };
    expect(await agent.call("save_to_library", request)).toMatchObject({ success: true, version: 1 });
    expect(await agent.call("save_to_library", request)).toMatchObject({ success: true, version: 1 });
    writeFileSync(join(place.folder, "home/drafts", `${draft as string}.ts`), code);
    expect(await agent.call("save_to_library", request)).toMatchObject({ success: true, version: 1 });
    expect(await agent.call("execute", { name: draft as string })).toMatchObject({
      error: { code: "TOOL_NOT_FOUND" },
    });
  });
});

describe("many at once", () => {
  it("eighty calls of one capability from two processes are counted exactly, and do not mix", async () => {
    const place = openPlace();
    const agents = [await place.join(), await place.join()];
    const [first] = agents;
    await first!.call("execute", {
      code: "return { mine: args.n, again: await mcp.everything.echo({ message: String(args.n) }) };",
      inputs: { n: 1 },
      save_as: "math:mirror",
    });
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, n) => agents[n % 2]!.call("mcp__math__mirror", { n })),
    );
    expect(answers.map(({ mine, again }) => [mine, again])).toEqual(
      Array.from({ length: 80 }, (_, n) => [n, `Echo: ${n}`]),
    );
    const { items } = await first!.call("list_library");
    expect(items).toMatchObject([{ usage_count: 80, success_count: 80 }]);
  });
});

describe("resources", () => {
  it("gives what was kept as Markdown pages, with completion", async () => {
    const place = openPlace();
    const agent = await place.join();
    await keep(agent, place, "data:transform");
    const { resourceTemplates } = await agent.client.listResourceTemplates();
    expect(resourceTemplates).toContainEqual(
      expect.objectContaining({ uriTemplate: "repertoire://library/{namespace}/{action}" }),
    );
    const page = await agent.client.readResource({ uri: "repertoire://library/data/transform" });
    expect(page.contents).toMatchObject([
      { mimeType: "text/markdown", text: expect.stringContaining(CAPABILITIES["data:transform"]!.code) },
    ]);
    const complete = (name: string, value: string) =>
      agent.client.complete({
        ref: { type: "ref/resource", uri: "repertoire://library/{namespace}/{action}" },
        argument: { name, value },
      });
    expect((await complete("namespace", "d")).completion.values).toEqual(["data"]);
    expect((await complete("action", "")).completion.values).toEqual(["transform"]);
  });
});

describe("contracts", () => {
  /** A server whose only tool changes when a file says so. */
  const CHANGING = `
    const { existsSync } = require("node:fs");
    const lines = require("node:readline").createInterface({ input: process.stdin });
    const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    lines.on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      const isNew = existsSync(process.argv[1]);
      const properties = isNew ? { city: { type: "string" }, units: { type: "string" } } : { city: { type: "string" } };
      const required = isNew ? ["city", "units"] : ["city"];
      if (method === "initialize") say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "w", version: "1" } });
      else if (method === "tools/list") say(id, { tools: [{ name: "weather", description: "Weather.", inputSchema: { type: "object", properties, required } }] });
      else if (method === "tools/call") say(id, { content: [{ type: "text", text: JSON.stringify({ degrees: 20 }) }] });
      else if (method === "ping") say(id, {});
    });`;

  it("says which tool has changed, how, and whether the code still fits; calls go on with a warning, or are refused", async () => {
    const marker = join(temporaryFolder(), "changed");
    const sky = { command: process.execPath, args: ["-e", CHANGING, marker] };
    const place = openPlace({ mcpServers: { sky } });
    const agent = await place.join();
    await agent.call("execute", {
      code: "return await mcp.sky.weather({ city: args.city });",
      inputs: { city: "Rome" },
      save_as: "trip:weather",
    });
    await agent.client.close();
    writeFileSync(marker, "");
    const check = ["servers", "--check", "--config", join(place.folder, "servers.json")];
    expect(await runCliHere(check, { folder: place.folder })).toMatchObject({ status: 0 });
    const later = await place.join();
    expect(await later.call("list_library")).toMatchObject({ items: [{ changed_tools: ["sky__weather"] }] });
    expect(await later.call("describe_workflow", { name: "trip:weather" })).toMatchObject({
      tools_used: [{ tool: "sky__weather", state: "changed", changes: [expect.stringContaining("units")] }],
      still_valid: false,
      problem: expect.stringContaining("units is missing"),
    });
    const refused = openRefusing(place, sky);
    const strict = await refused.join();
    expect(await strict.call("mcp__trip__weather", { city: "Rome" })).toMatchObject({
      isError: true,
      error: { reason: "contract_changed" },
    });
  });

  function openRefusing(place: Place, sky: object): Pick<Place, "join"> {
    const file = join(place.folder, "strict.json");
    writeFileSync(file, JSON.stringify({ mcpServers: { sky }, library: { changedTools: "refuse" } }));
    return {
      async join() {
        const { client } = await connect("2025-11-25", { folder: place.folder, args: ["--config", file] });
        return {
          client,
          call: async (name, args = {}) => {
            const { structuredContent, isError } = await client.callTool({ name, arguments: args });
            return { isError: isError ?? false, ...(structuredContent as object) };
          },
          tools: async () => [],
        };
      },
    };
  }
});

describe("hidden tools", () => {
  it("a denied tool is not there for clients and code, and capabilities use it where the config says so", async () => {
    const everything = { command: process.execPath, args: [entryOf("server-everything")] };
    const open = openPlace({ mcpServers: { everything } });
    const agent = await open.join();
    await agent.call("execute", {
      code: "return await mcp.everything.echo({ message: 'x' });",
      save_as: "talk:x",
    });
    await agent.client.close();
    const join2 = async (tools: object) => {
      const file = join(open.folder, "hidden.json");
      writeFileSync(file, JSON.stringify({ mcpServers: { everything: { ...everything, tools } } }));
      const { client } = await connect("2025-11-25", { folder: open.folder, args: ["--config", file] });
      return (name: string, args = {}) => client.callTool({ name, arguments: args });
    };
    const hidden = await join2({ deny: ["echo"], exceptCapabilities: true });
    expect(await hidden("everything__echo", { message: "x" })).toMatchObject({ isError: true });
    expect(
      await hidden("execute", { code: "return await mcp.everything.echo({ message: 'x' })" }),
    ).toMatchObject({ isError: true });
    expect(await hidden("mcp__talk__x")).toMatchObject({ content: [{ text: '"Echo: x"' }] });
    const denied = await join2({ deny: ["echo"] });
    expect(await denied("mcp__talk__x")).toMatchObject({ isError: true });
  });
});
