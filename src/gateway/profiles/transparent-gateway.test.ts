import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { contextOf, createFixtureSource, toolOf } from "../../../test/fixtures/tool-source.ts";
import type { JsonObject } from "../../core/json.ts";
import { silentLog } from "../../core/log.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import { RPC_ERROR, type CallContext, type ListKind, type ToolSource } from "../../core/tool.ts";
import type { Access } from "../../registry/listing.ts";
import { createRegistry } from "../../registry/registry.ts";
import { createUpstreamServer } from "../../upstream/upstream-server.ts";
import type { Gateway, ListMethod } from "../gateway.ts";
import { createHeldCalls } from "../held-calls.ts";
import { useSealedStates } from "../sealed-state.testkit.ts";
import { createTransparentGateway } from "./transparent-gateway.ts";
import { listTools } from "../list-all.ts";
import { pageOf, versionOf } from "../lists.testkit.ts";

const openStates = useSealedStates();

type Answer = (method: string, params: JsonObject, context: CallContext) => ToolResult<JsonObject>;

/** A server in memory that answers as it is told, and remembers what it was asked. */
function openFake(answer: Answer, access: Access = {}) {
  const asked: [string, JsonObject][] = [];
  const listeners = new Set<(what?: ListKind) => void>();
  const source: ToolSource = {
    ...createFixtureSource("one", [toolOf("a")]),
    request: async (method, params, context) => {
      asked.push([method, params]);
      return answer(method, params, context);
    },
    describe: async () =>
      succeed({ ...DESCRIPTION, capabilities: { ...DESCRIPTION.capabilities, tasks: {} } }),
    changed(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const opened = openGateway(source, access);
  return { ...opened, asked, announce: (what?: ListKind) => listeners.forEach((listener) => listener(what)) };
}

/** A server that asks the client for a name during each call, and answers with it. */
function openFakeAsking() {
  const source: ToolSource = {
    ...createFixtureSource("one", []),
    async request(_, __, { client, signal }) {
      const answer = await client!.request("elicitation/create", { message: "Who?" }, signal);
      const { name } = (answer.success ? answer.data["content"] : {}) as { name?: string };
      return succeed({ content: [{ type: "text", text: name ?? "" }] });
    },
  };
  return openGateway(source);
}

const DESCRIPTION = {
  capabilities: { tools: { listChanged: true }, experimental: { x: {} } },
  serverInfo: { name: "one", version: "1", websiteUrl: "https://example.com" },
  instructions: "Use me.",
};

function openGateway(source: ToolSource, access: Access = {}) {
  const registry = createRegistry();
  onTestFinished(() => registry.close());
  registry.add(source, access);
  const heldCalls = createHeldCalls({ states: openStates() });
  onTestFinished(() => heldCalls.close());
  const denied: string[] = [];
  const logged: unknown[] = [];
  const gateway: Gateway = createTransparentGateway({
    registry,
    profile: "front",
    server: source.id,
    configChanged: () => () => {},
    heldCalls,
    denied: (_context, tool) => void denied.push(tool),
    log: { ...silentLog, warn: (_, fields) => logged.push(fields) },
  });
  return { gateway, denied, logged };
}

describe("a list in a transparent profile", () => {
  it.each<[ListMethod, string]>([
    ["tools/list", "tools"],
    ["resources/list", "resources"],
    ["resources/templates/list", "resourceTemplates"],
    ["prompts/list", "prompts"],
  ])("%s is passed page by page, with the client's cursor and every field", async (method, key) => {
    const page = {
      [key]: [
        { name: "a", uri: "x://a", uriTemplate: "x://{a}", inputSchema: { type: "object" }, future: [1] },
      ],
      nextCursor: "two",
      ttlMs: 5,
      cacheScope: "public",
      _meta: { "example.com/x": 1 },
      future: true,
    };
    const { gateway, asked } = openFake(() => succeed(page));
    const params = { cursor: "one", extra: 1, _meta: { progressToken: 1 } };
    const result = await pageOf(gateway, method, params);
    expect(result).toEqual({ success: true, data: page });
    expect(asked).toEqual([[method, { cursor: "one", extra: 1 }]]);
  });

  it("is left as it is where the door would only shorten its texts", async () => {
    const tools = [{ name: "a", description: "d".repeat(9_000), inputSchema: { type: "object" } }];
    const { gateway } = openFake(() => succeed({ tools: tools as never }));
    expect(await pageOf(gateway, "tools/list", {})).toEqual({ success: true, data: { tools } });
  });

  it("B2: has every field as clients can read it, because one that they cannot costs them the list", async () => {
    const tools = [{ name: "a", inputSchema: {}, icons: 5 }, { name: "b" }];
    const { gateway } = openFake(() => succeed({ tools: tools as never }));
    const inputSchema = { type: "object" };
    expect(await pageOf(gateway, "tools/list", {})).toEqual({
      success: true,
      data: {
        tools: [
          { name: "a", inputSchema },
          { name: "b", inputSchema },
        ],
      },
    });
  });

  it("T095: hides nothing from a person: what does not show is written out", async () => {
    const plain = { name: "b", inputSchema: { type: "object" } };
    const evil = {
      name: "a",
      description: "Adds.\u200B\u{E0041}",
      inputSchema: { type: "object" },
      extra: 1,
    };
    const { gateway } = openFake(() => succeed({ tools: [evil, plain] as never }));
    expect(await pageOf(gateway, "tools/list", {})).toEqual({
      success: true,
      data: { tools: [{ ...evil, description: "Adds.\\u{200b}\\u{e0041}" }, plain] },
    });
  });

  it("is without what the config denies and what would break a client, which is logged once", async () => {
    const broken = [
      { name: "" },
      null,
      { name: "x", inputSchema: { type: "string" } },
      { name: "y", inputSchema: 1 },
    ];
    const tools = [{ name: "a", inputSchema: { type: "object" } }, { name: "secret" }, ...broken];
    const { gateway, logged } = openFake(() => succeed({ tools: tools as never, nextCursor: "2" }), {
      deny: ["secret"],
    });
    for (const _ of [1, 2]) {
      expect(await pageOf(gateway, "tools/list", {})).toEqual({
        success: true,
        data: { tools: [tools[0]], nextCursor: "2" },
      });
    }
    expect(logged).toHaveLength(broken.length);
    expect(logged[2]).toMatchObject({
      serverName: "one",
      name: "x",
      reason: expect.stringContaining("type"),
    });
  });

  it("fails with the server's own error", async () => {
    const upstream = { code: -32601, message: "no prompts", data: { a: 1 } };
    const { gateway } = openFake(() => fail("TOOL_NOT_FOUND", "no prompts", { upstream }));
    expect(await pageOf(gateway, "prompts/list", {})).toMatchObject({ error: { upstream } });
  });

  it("is read to its end for those who want all of it, and no further where it does not end", async () => {
    const { gateway, asked } = openFake((_, params) => {
      const at = Number(params["cursor"] ?? 0);
      const tools = [{ name: `t${at}`, inputSchema: { type: "object" } }];
      return succeed({ tools, nextCursor: String((at + 1) % 3) });
    });
    expect((await listTools(gateway)).map(({ name }) => name)).toEqual(["t0", "t1", "t2", "t0"]);
    expect(asked).toHaveLength(4);
    expect(gateway.find("t1")?.definition?.name).toBe("t1");
  });
});

describe("a call in a transparent profile", () => {
  it("goes to the server under its own name, and its answer comes as it is", async () => {
    const answer = { content: [], structuredContent: { a: 1 }, future: 1, _meta: { x: 1 } };
    const { gateway, asked } = openFake(() => succeed(answer));
    expect(await gateway.callTool("files__read.it", { a: 1 })).toEqual(answer);
    expect(await gateway.find("execute")!.call({}, contextOf())).toEqual(answer);
    expect(asked).toEqual([
      ["tools/call", { name: "files__read.it", arguments: { a: 1 } }],
      ["tools/call", { name: "execute", arguments: {} }],
    ]);
  });

  it("fails with the JSON-RPC error of the server, whole", async () => {
    const upstream = { code: -32050, message: "Slow down.", data: { retryAfter: 3 } };
    const { gateway } = openFake(() => fail("TOOL_EXECUTION_FAILED", "Slow down.", { upstream }));
    expect((await gateway.callTool("a", {}))[RPC_ERROR]).toEqual(upstream);
  });

  it("fails with a result that a model can read where the server gave no answer", async () => {
    const { gateway } = openFake(() => fail("TOOL_TIMEOUT", "It took too long."));
    const answer = await gateway.callTool("a", {});
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: "TOOL_TIMEOUT" } } });
    expect(answer[RPC_ERROR]).toBeUndefined();
  });

  it.each([{ deny: ["a"] }, { allow: ["b"] }])("is refused by the server's config: %j", async (access) => {
    const { gateway, asked, denied } = openFake(() => succeed({ content: [] }), access);
    expect(await gateway.callTool("a", {})).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "SECURITY_ERROR" } },
    });
    expect([asked, denied]).toEqual([[], ["a"]]);
  });

  it("of a modern client is held while the server asks it back, and goes on with its answer", async () => {
    const { gateway } = openFakeAsking();
    const modern = { capabilities: { elicitation: {} } };
    const asked = await gateway.callTool("a", {}, { modern });
    expect(asked).toMatchObject({ resultType: "input_required", requestState: expect.any(String) });
    const [id] = Object.keys(asked["inputRequests"] as JsonObject);
    const inputResponses = { [id!]: { action: "accept", content: { name: "ann" } } };
    const requestState = asked["requestState"] as string;
    const told = await gateway.callTool("a", {}, { modern: { ...modern, inputResponses, requestState } });
    expect(told.content).toEqual([{ type: "text", text: "ann" }]);
  });

  it("ends when gateways form a loop", async () => {
    const { gateway, asked } = openFake(() => succeed({ content: [] }));
    const answer = await gateway.callTool("a", {}, { meta: { "repertoire/hops": 5 } });
    expect(answer).toMatchObject({ structuredContent: { error: { reason: "loop" } } });
    expect(asked).toEqual([]);
  });
});

describe("everything else in a transparent profile", () => {
  it.each([
    ["resources/read", { uri: "x://a", extra: 1 }],
    ["resources/subscribe", { uri: "x://a" }],
    ["prompts/get", { name: "ask", arguments: { a: "b" } }],
    ["completion/complete", { ref: { type: "ref/prompt", name: "ask" }, argument: { name: "a", value: "" } }],
  ] as const)("%s passes with its own names", async (method, params) => {
    const { gateway, asked } = openFake(() => succeed({ done: true }));
    expect(await gateway.forward(method, params, contextOf())).toEqual({
      success: true,
      data: { done: true },
    });
    expect(asked).toEqual([[method, params]]);
  });

  it("is described in the server's own words, without the tasks that are not passed", async () => {
    const { gateway } = openFake(() => succeed({}));
    expect(await gateway.describe()).toEqual({ success: true, data: DESCRIPTION });
  });

  it("announces the list that changed, or all where the server does not say", () => {
    const { gateway, announce } = openFake(() => succeed({}));
    const heard: string[] = [];
    const before = versionOf(gateway);
    const watch = gateway.watch((what) => {
      expect(versionOf(gateway)).not.toBe(before);
      heard.push(what);
    });
    announce("prompts");
    announce();
    watch.stop();
    announce("tools");
    expect(heard).toEqual(["prompts", "tools", "resources", "prompts"]);
  });
});

// ── a real server ───────────────────────────────────────────────────────────────────────────────────────────────────

const require = createRequire(import.meta.url);

function entryOf(name: string): string {
  return join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), "dist/index.js");
}

/** Asks the server itself, without anything of ours in between. */
async function askDirectly(entry: string, methods: readonly string[]): Promise<JsonObject[]> {
  const child = spawn(process.execPath, [entry], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = once(child, "exit");
  const answers = new Map<unknown, JsonObject>();
  const send = (message: JsonObject) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "1" };
  send({
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
  });
  for await (const line of createInterface(child.stdout)) {
    const { id, result } = JSON.parse(line) as { id?: number; result?: JsonObject };
    if (id === undefined || result === undefined) continue;
    answers.set(id, result);
    if (id === 0) {
      send({ method: "notifications/initialized" });
      methods.forEach((method, at) => send({ id: at + 1, method, params: {} }));
    }
    if (answers.size > methods.length) break;
  }
  child.stdin.end();
  child.kill();
  await ended;
  return ["initialize", ...methods].map((_, at) => answers.get(at)!);
}

it.each([
  ["server-everything", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]],
  ["server-memory", ["tools/list"]],
] as const)(
  "%s lists the same through a transparent profile, byte for byte, and says the same of itself",
  async (name, methods) => {
    const server = createUpstreamServer(
      {
        id: "real",
        transport: { kind: "stdio", command: process.execPath, args: [entryOf(name)], env: {} },
        callTimeoutMs: 60_000,
        connectTimeoutMs: 60_000,
        idleMs: 0,
      },
      { clientInfo: { name: "test", version: "1" }, log: silentLog },
    );
    const { gateway } = openGateway(server);
    const [session, ...direct] = await askDirectly(entryOf(name), methods);
    const { protocolVersion: _version, ...description } = session!;
    const { tasks: _tasks, ...capabilities } = description["capabilities"] as JsonObject;
    expect(await gateway.describe()).toEqual({ success: true, data: { ...description, capabilities } });
    for (const [at, method] of methods.entries()) {
      const through = await pageOf(gateway, method, {});
      expect([method, JSON.stringify(through.success && through.data)]).toEqual([
        method,
        JSON.stringify(direct[at]),
      ]);
    }
  },
  90_000,
);
