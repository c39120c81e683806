/**
 * Clients that listed the tools check answers against the listed schemas, failures too: SDK 1.x throws the whole answer away when
 * it does not fit. Real clients of both generations, on the bundle.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, environmentOf } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";
import { evilCommand } from "./rig/evil-process.ts";

const WHO = { name: "test", version: "1.0.0" };
const STRICT = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
  additionalProperties: false,
};
const named = (name: string) => ({ name, inputSchema: { type: "object" }, outputSchema: STRICT });

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}
interface Caller {
  readonly call: (name: string, args?: object) => Promise<Answer>;
  readonly tools: readonly { readonly name: string; readonly outputSchema?: unknown }[];
}

function commandFor(profile?: string) {
  const folder = temporaryFolder();
  const file = join(folder, "config.json");
  const server = {
    ...evilCommand({
      tools: [named("hangs"), { name: "plain", inputSchema: { type: "object" } }],
      rules: [{ method: "tools/call", never: true }],
    }),
    timeoutMs: 1_000,
  };
  const config = {
    mcpServers: { evil: server },
    exposure: "full",
    profiles: { part: { tools: { allow: ["evil__*"] } }, alone: { transparent: "evil" } },
  };
  writeFileSync(file, JSON.stringify(config));
  const args = [BIN, "serve", "--config", file, "--log-level", "error"];
  if (profile !== undefined) args.push("--profile", profile);
  return { command: process.execPath, args, env: environmentOf(folder), cwd: folder };
}

/** Each lists the tools first, and so knows their schemas. */
const CLIENTS: Readonly<Record<string, (profile?: string) => Promise<Caller>>> = {
  "SDK 1.32": async (profile) => {
    const client = new FirstClient(WHO);
    await client.connect(new FirstStdio(commandFor(profile)));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    return {
      tools,
      call: async (name, args = {}) =>
        (await client.callTool({ name, arguments: { ...args } }, undefined, { timeout: 30_000 })) as Answer,
    };
  },
  ...Object.fromEntries(
    (["2025-11-25", "2026-07-28"] as const).map((era) => [
      `SDK 2.4, ${era}`,
      async (profile?: string) => {
        const pin = era === "2026-07-28" ? { versionNegotiation: { mode: { pin: era } } } : {};
        const client = new Client(WHO, pin);
        await client.connect(new StdioClientTransport(commandFor(profile)));
        onTestFinished(() => client.close());
        const { tools } = await client.listTools();
        return {
          tools,
          call: async (name: string, args: object = {}) =>
            (await client.callTool({ name, arguments: { ...args } }, { timeout: 30_000 })) as Answer,
        };
      },
    ]),
  ),
};

/** The error as each client can get at it: as data, and in the words that a model reads. */
function errorOf(answer: Answer): Record<string, unknown> {
  expect(answer.isError).toBe(true);
  const told = JSON.parse(answer.content[0]!.text!) as { success: boolean; error: Record<string, unknown> };
  expect(told.success).toBe(false);
  const error = answer._meta?.["repertoire/error"] ?? answer.structuredContent?.["error"];
  expect(error).toEqual(told.error);
  return told.error;
}

describe.each(Object.entries(CLIENTS))("B3: to a client of %s that listed the tools", (_name, open) => {
  it("each kind of failure comes whole", { timeout: 90_000 }, async () => {
    const { call } = await open();
    const kept = await call("execute", {
      code: `if (args.bad) throw new Error("it was bad"); return { n: 1 };`,
      inputs: { bad: false },
      save_as: "math:risky",
    });
    expect(kept.structuredContent).toMatchObject({ success: true });

    expect(errorOf(await call("describe_workflow", { name: "math:riski" }))).toMatchObject({
      code: "TOOL_NOT_FOUND",
      nearest: expect.arrayContaining(["math:risky"]),
    });
    expect(errorOf(await call("browse_components", { limit: "x" }))).toMatchObject({
      code: "TOOL_INVALID_INPUT",
      field: "limit",
      hint: expect.any(String),
    });
    expect(errorOf(await call("save_to_library", {}))).toMatchObject({ code: "TOOL_INVALID_INPUT" });
    expect(errorOf(await call("list_library", { patern: "x" }))).toMatchObject({ field: "patern" });
    expect(errorOf(await call("execute", {}))).toMatchObject({ code: "TOOL_INVALID_INPUT" });
    const failed = await call("execute", { code: `throw new Error("on purpose");` });
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { success: false, error: { message: expect.stringContaining("on purpose") } },
    });
    const late = { code: "TOOL_TIMEOUT", mayHaveHappened: true };
    const hung = await call("evil__hangs");
    expect(errorOf(hung)).toMatchObject(late);
    expect(hung.structuredContent).toBeUndefined();
    const plain = await call("evil__plain");
    expect(errorOf(plain)).toMatchObject(late);
    expect(plain.structuredContent).toMatchObject({ error: late });
    expect(errorOf(await call("mcp__math__risky", { bad: true }))).toMatchObject({
      message: expect.stringContaining("it was bad"),
    });
    expect(errorOf(await call("evil__no_such"))).toMatchObject({ code: "TOOL_NOT_FOUND" });
  });

  it.each(["part", "alone"])(
    "failures of a tool with a schema fit through the profile %s",
    async (profile) => {
      const { call, tools } = await open(profile);
      const hangs = tools.find((tool) => tool.name.endsWith("hangs"))!;
      expect(hangs.outputSchema).toMatchObject({ required: ["n"] });
      expect(errorOf(await call(hangs.name))).toMatchObject({ code: "TOOL_TIMEOUT", mayHaveHappened: true });
    },
  );
});

describe("B3: the five meta-tools, to a client that checks every answer", () => {
  it("answer what their schemas say", { timeout: 60_000 }, async () => {
    const { call, tools } = await CLIENTS["SDK 1.32"]!();
    const good = async (name: string, args: object) => {
      expect(tools.find((tool) => tool.name === name)).toHaveProperty("outputSchema");
      const answer = await call(name, args);
      expect({ name, args, isError: answer.isError === true }).toEqual({ name, args, isError: false });
      expect(JSON.parse(answer.content[0]!.text!)).toEqual(answer.structuredContent);
      return answer.structuredContent as Record<string, unknown>;
    };
    await good("list_library", {});
    const { draft } = await good("execute", {
      code: "console.log(1); return { n: args.a };",
      inputs: { a: 1 },
    });
    await good("execute", { code: "return [];" });
    await good("save_to_library", { draft_name: draft, final_name: "math:echo", description: "Echoes." });
    await good("execute", { code: "return await mcp.math.echo({ a: 2 });", save_as: "math:twice" });
    await good("execute", { name: "math:echo", inputs: { a: 3 }, intent: "echo a number" });
    await good("list_library", { pattern: "math" });
    await good("describe_workflow", { name: "math:echo" });
    await good("describe_workflow", { name: "math:twice" });
    for (const detail of ["summary", "full"]) {
      await good("browse_components", { detail });
      await good("browse_components", { query: "echo a number", detail });
      await good("browse_components", { query: "zzz no such thing", detail });
    }
  });
});
