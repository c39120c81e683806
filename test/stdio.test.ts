import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_SCOPE } from "../src/core/names.ts";
import { openSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { connect, ERAS, INITIALIZE, startGateway } from "./fixtures/gateway-process.ts";
import { eventually, temporaryFolder } from "./fixtures/temporary.ts";

const META_TOOLS = ["browse_components", "list_library", "describe_workflow", "execute", "save_to_library"];

describe.each(ERAS)("a client of %s", (era) => {
  it("lists exactly the five tools, with both schemas and annotations", async () => {
    const { client } = await connect(era);
    expect(client.getServerVersion()).toMatchObject({ name: "repertoire", version: expect.any(String) });
    expect(client.getInstructions()).toContain("browse_components");
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(META_TOOLS);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        inputSchema: { type: "object" },
        outputSchema: { type: "object" },
        annotations: { readOnlyHint: expect.any(Boolean) },
      });
    }
  });

  it("gets answers that fit the output schemas", async () => {
    const folder = temporaryFolder();
    const store = await openSqliteStore({ home: join(folder, "home") });
    await store.capabilities.save({
      scope: DEFAULT_SCOPE,
      namespace: "math",
      action: "sum",
      kind: "code",
      description: "Adds.",
      author: "ann",
      source: "return 1;",
      inputSchema: { type: "object", properties: { a: { type: "number", default: null } } },
    });
    await store.close();
    const { client } = await connect(era, { folder });
    // The SDK's client checks structuredContent against the schemas that it has listed.
    await client.listTools();
    const call = async (name: string, args: Record<string, unknown>) => {
      const answer = await client.callTool({ name, arguments: args });
      expect(answer.isError ?? false).toBe(false);
      expect(answer.content).toEqual([{ type: "text", text: JSON.stringify(answer.structuredContent) }]);
      return answer.structuredContent;
    };
    expect(await call("browse_components", {})).toMatchObject({
      workflows: [{ name: "math:sum" }],
      // Without the built-in node types, which code cannot call.
      total: 1,
    });
    expect(await call("list_library", { pattern: "math:*" })).toMatchObject({
      items: [{ tool: "mcp__math__sum" }],
    });
    expect(await call("describe_workflow", { name: "mcp__math__sum" })).toMatchObject({
      name: "math:sum",
      version: 1,
    });
  });

  it("gets typed errors that name the field", async () => {
    const { client } = await connect(era);
    const errorOf = async (name: string, args: Record<string, unknown>) => {
      const answer = await client.callTool({ name, arguments: args });
      expect(answer.isError).toBe(true);
      return answer.structuredContent;
    };
    expect(await errorOf("execute", { kode: "1" })).toMatchObject({
      success: false,
      error: {
        code: "TOOL_INVALID_INPUT",
        field: "kode",
        message: expect.stringContaining("Did you mean code?"),
      },
    });
    expect(await errorOf("execute", { name: "../../etc/passwd" })).toMatchObject({
      error: { code: "SECURITY_ERROR" },
    });
    expect(await errorOf("describe_workflow", {})).toMatchObject({ error: { field: "name" } });
    expect(await errorOf("no_such_tool", {})).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
    expect(await errorOf("execute", { code: "return await mcp.nothing.here()" })).toMatchObject({
      error: { code: "TOOL_NOT_FOUND", place: { line: 1, column: 14 } },
    });
  });

  it("hears of a changed config, and keeps its connection when the file breaks", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "repertoire.json");
    const withServers = (...names: string[]) =>
      writeFileSync(
        file,
        JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])) }),
      );
    withServers("github");
    const { client, stderr } = await connect(era, { folder, args: ["--config", file] });
    let changes = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
    if (era === "2026-07-28") await client.listen({ toolsListChanged: true });
    const description = async () =>
      (await client.listTools(undefined, { cacheMode: "bypass" })).tools[0]!.description;
    expect(await description()).toContain("Servers: github.");

    withServers("github", "slack");
    await eventually("list_changed", () => changes === 1);
    expect(await description()).toContain("Servers: github, slack.");

    writeFileSync(file, "{ broken");
    await eventually("the complaint", () => stderr().includes("config.reload.failed"));
    expect(await description()).toContain("Servers: github, slack.");
    expect(changes).toBe(1);
  });
});

describe("raw JSON-RPC", () => {
  it("answers unknown methods and cursors with their errors", async () => {
    const gateway = startGateway();
    gateway.send(INITIALIZE);
    await gateway.answer("init");
    gateway.send({ jsonrpc: "2.0", id: 1, method: "no/such/method" });
    gateway.send({ jsonrpc: "2.0", id: 2, method: "tools/list", params: { cursor: "forged" } });
    gateway.send({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { arguments: {} } });
    gateway.send({ jsonrpc: "2.0", id: 4, method: "ping" });
    expect(await gateway.answer(1)).toMatchObject({ error: { code: -32601 } });
    expect(await gateway.answer(2)).toMatchObject({ error: { code: -32602 } });
    expect(await gateway.answer(3)).toMatchObject({ error: { code: -32602 } });
    expect(await gateway.answer(4)).toMatchObject({ result: {} });
  });

  it("carries the trace id of a call in _meta", async () => {
    const gateway = startGateway();
    gateway.send(INITIALIZE);
    gateway.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_library" } });
    expect(await gateway.answer(1)).toMatchObject({
      result: { structuredContent: { items: [] }, _meta: { "repertoire/traceId": expect.any(String) } },
    });
  });

  it("answers everything that was piped in before the end of input", async () => {
    const gateway = startGateway();
    gateway.send(INITIALIZE);
    gateway.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    gateway.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    gateway.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "list_library" } });
    gateway.child.stdin.end();
    expect(await gateway.exited()).toEqual({ code: 0, signal: null });
    expect(await gateway.answer(1)).toMatchObject({ result: { tools: { length: 5 } } });
    expect(await gateway.answer(2)).toMatchObject({ result: { structuredContent: { items: [] } } });
  });
});
